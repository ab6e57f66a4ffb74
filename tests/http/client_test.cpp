#include "http/bad_key_limiter.hpp"
#include "http/client_address.hpp"
#include "http/error_table.hpp"
#include "http/percent.hpp"
#include "http/request.hpp"
#include "http/response.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace turnout;

namespace {

ip_address ip(const std::string& text) {
  return *ip_address::parse(text);
}

struct client : ::testing::Test {
  std::string address(const std::string& peer,
                      const std::vector<std::string>& forwarded,
                      const std::string& real_ip = "") {
    request x;
    x.peer = ip(peer);
    for (const auto& value : forwarded)
      x.add_header("X-Forwarded-For", value, "");
    if (!real_ip.empty())
      x.add_header("x-real-ip", real_ip, "");
    return resolver.address(x).str();
  }

  client_resolver resolver{{"127.0.0.0/8", "::1", "10.0.0.0/8", "nonsense"}};
};

} // namespace

TEST_F(client, headers_of_strangers_are_ignored) {
  EXPECT_EQ(address("9.9.9.9", {"1.2.3.4"}, "5.6.7.8"), "9.9.9.9");
}

TEST_F(client, the_last_untrusted_hop_is_the_client) {
  EXPECT_EQ(address("127.0.0.1", {"1.2.3.4"}), "1.2.3.4");
  EXPECT_EQ(address("127.0.0.1", {"6.6.6.6, 1.2.3.4"}), "1.2.3.4");
  EXPECT_EQ(address("127.0.0.1", {"6.6.6.6, 1.2.3.4, 10.0.0.1,10.0.0.2"}),
            "1.2.3.4");
  EXPECT_EQ(address("127.0.0.1", {"6.6.6.6", "1.2.3.4", "10.0.0.1"}),
            "1.2.3.4");
}

TEST_F(client, the_leftmost_of_trusted_hops_is_the_client) {
  EXPECT_EQ(address("127.0.0.1", {"10.0.0.1, 10.0.0.2"}), "10.0.0.1");
}

TEST_F(client, junk_is_skipped) {
  EXPECT_EQ(address("127.0.0.1", {"1.2.3.4, unknown,, _hidden , 999.1.1.1"}),
            "1.2.3.4");
  EXPECT_EQ(address("127.0.0.1", {"unknown"}, "5.6.7.8"), "5.6.7.8");
  EXPECT_EQ(address("127.0.0.1", {""}), "127.0.0.1");
  EXPECT_EQ(address("127.0.0.1", {}, "junk"), "127.0.0.1");
}

TEST_F(client, real_ip_is_for_want_of_a_better) {
  EXPECT_EQ(address("127.0.0.1", {}, "5.6.7.8"), "5.6.7.8");
  EXPECT_EQ(address("127.0.0.1", {"1.2.3.4"}, "5.6.7.8"), "1.2.3.4");
}

TEST_F(client, ports_brackets_and_mapped_addresses) {
  EXPECT_EQ(address("127.0.0.1", {"1.2.3.4:5678"}), "1.2.3.4");
  EXPECT_EQ(address("::1", {"[2001:db8:1:2:3:4:5:6]:80"}),
            "2001:db8:1:2:3:4:5:6");
  EXPECT_EQ(address("127.0.0.1", {"::ffff:1.2.3.4"}), "1.2.3.4");
}

TEST_F(client, nobody_is_trusted_without_a_setting) {
  request x;
  x.peer = ip("127.0.0.1");
  x.add_header("X-Forwarded-For", "1.2.3.4", "");
  EXPECT_EQ(client_resolver{{}}.address(x).str(), "127.0.0.1");
}

// -- bad_key_limiter ----------------------------------------------------------

namespace {

const timestamp start{std::chrono::hours{490000} + std::chrono::seconds{10}};

} // namespace

TEST(bad_key_limiter, exactly_the_limit_passes_in_a_minute) {
  bad_key_limiter x{3};
  const auto a = ip("1.2.3.4");
  for (auto i = 0; i < 3; ++i) {
    const auto r = x.count(a, start);
    EXPECT_TRUE(r.allowed);
    EXPECT_EQ(r.limit, 3);
    EXPECT_EQ(r.remaining, 2 - i);
    EXPECT_EQ(r.reset_at, start + std::chrono::seconds{50});
  }
  EXPECT_FALSE(x.count(a, start).allowed);
  EXPECT_EQ(x.count(a, start).remaining, 0);
  EXPECT_TRUE(x.count(ip("1.2.3.5"), start).allowed);
  EXPECT_TRUE(x.count(a, start + std::chrono::seconds{50}).allowed);
}

TEST(bad_key_limiter, peeking_does_not_count) {
  bad_key_limiter x{2};
  const auto a = ip("1.2.3.4");
  for (auto i = 0; i < 5; ++i)
    EXPECT_EQ(x.peek(a, start).remaining, 2);
  x.count(a, start);
  EXPECT_EQ(x.peek(a, start).remaining, 1);
}

TEST(bad_key_limiter, a_changed_limit_holds_for_the_minute_under_way) {
  bad_key_limiter x{1};
  const auto a = ip("1.2.3.4");
  EXPECT_TRUE(x.count(a, start).allowed);
  EXPECT_FALSE(x.count(a, start).allowed);
  x.set_limit(3);
  EXPECT_EQ(x.peek(a, start).remaining, 2);
  EXPECT_TRUE(x.count(a, start).allowed);
  x.set_limit(1);
  EXPECT_EQ(x.peek(a, start).remaining, 0);
  EXPECT_FALSE(x.count(a, start).allowed);
}

TEST(bad_key_limiter, addresses_of_one_ipv6_network_share_a_budget) {
  bad_key_limiter x{1};
  EXPECT_TRUE(x.count(ip("2001:db8:1:2::1"), start).allowed);
  EXPECT_FALSE(x.count(ip("2001:db8:1:2:ffff::9"), start).allowed);
  EXPECT_TRUE(x.count(ip("2001:db8:1:3::1"), start).allowed);
}

TEST(bad_key_limiter, clients_beyond_the_bound_share_a_budget) {
  bad_key_limiter x{2, 2};
  x.count(ip("1.0.0.1"), start);
  x.count(ip("1.0.0.2"), start);
  EXPECT_TRUE(x.count(ip("1.0.0.3"), start).allowed);
  EXPECT_TRUE(x.count(ip("1.0.0.4"), start).allowed);
  EXPECT_FALSE(x.count(ip("1.0.0.5"), start).allowed);
  EXPECT_TRUE(x.count(ip("1.0.0.1"), start).allowed);
  EXPECT_TRUE(x.count(ip("1.0.0.5"), start + std::chrono::minutes{1}).allowed);
}

// -- request, response --------------------------------------------------------

TEST(request, targets_are_taken_apart) {
  auto parts = [](std::string_view target) {
    request x;
    x.set_target(target);
    return std::string{x.path} + "|" + std::string{x.query};
  };
  EXPECT_EQ(parts("/a/b?c=d?e"), "/a/b|c=d?e");
  EXPECT_EQ(parts("/a#b?c"), "/a|");
  EXPECT_EQ(parts("/a?"), "/a|");
  EXPECT_EQ(parts("http://h.example/a?b"), "/a|b");
  EXPECT_EQ(parts("http://h.example"), "/|");
  EXPECT_EQ(parts("http://h.example?q#f"), "/|q");
  EXPECT_EQ(parts("*"), "*|");
}

TEST(request, the_key_is_no_part_of_the_size_of_headers) {
  request x;
  x.set_target("/abc");
  x.add_header("X-API-KEY", std::string(1000, 'k'), "");
  EXPECT_EQ(x.header_bytes, 4u);
  x.add_header("A", "b", "");
  EXPECT_EQ(x.header_bytes, 10u);
}

TEST(response, is_rendered_with_one_content_length) {
  response x{404};
  x.content("text/plain", "abc");
  EXPECT_EQ(render(x, false, true),
            "HTTP/1.1 404 Not Found\r\nConnection: keep-alive\r\n"
            "Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(render(x, true, false),
            "HTTP/1.1 404 Not Found\r\nConnection: close\r\n"
            "Content-Type: text/plain\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(render(response{204}, false, true),
            "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n");
}

TEST(response, every_error_has_a_status) {
  for (auto i = 0; i <= static_cast<int>(ec::journal); ++i) {
    const auto code = static_cast<ec>(i);
    EXPECT_EQ(row_of(code).code, code) << to_string(code);
  }
  EXPECT_EQ(error_response(make_error(ec::internal, "/path SELECT")).body,
            R"({"detail":"Internal server error"})");
  const auto busy = error_response(make_error(ec::in_progress, "running"));
  EXPECT_EQ(busy.status, 409);
  EXPECT_NE(busy.fields.find("Retry-After: 1\r\n"), std::string::npos);
  EXPECT_EQ(error_response(make_error(ec::conflict, "a \"b\"")).body,
            R"({"detail":"a \"b\""})");
}

TEST(percent, decoding) {
  EXPECT_EQ(percent_decode("a%2Bb+c%20", true), "a+b c ");
  EXPECT_EQ(percent_decode("a+b", false), "a+b");
  for (auto bad : {"%", "%2", "%zz", "a%2"})
    EXPECT_EQ(percent_decode(bad, true), std::nullopt) << bad;
}
