#include "tests/api/harness/api_test.hpp"

#include <ctime>
#include <set>
#include <thread>

using namespace turnout::test;
using testing::HasSubstr;
using testing::Not;

namespace {

class errors_test : public api_test {
protected:
  response create_raw(const std::string& body,
                      const header_list& headers = {}) {
    return call("POST", links_path, headers, body);
  }

  void expect_invalid_json(const std::string& body) {
    auto answer = create_raw(body);
    EXPECT_EQ(answer.status, 422) << body.substr(0, 100);
    EXPECT_EQ(answer.detail(), "Invalid JSON in request body");
  }

  static std::string valid_body() {
    return json::serialize(
      json::value{{"name", "x"}, {"variants", two_variants()}});
  }

  std::string raw_create(const std::string& headers, const std::string& body) {
    return "POST " + links_path + " HTTP/1.1\r\nHost: x\r\nX-API-Key: "
           + secret_key + "\r\n" + headers + "Content-Length: "
           + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
};

class rate_limit_headers_test : public api_test {};

} // namespace

TEST_F(errors_test, bodies_that_are_no_json) {
  for (auto body : {"{", "}", "{\"name\":}", "nope", "{'name':'x'}",
                    "{\"name\":\"x\",}", "{\"name\":\"x\"} x", "\xEF\xBB\xBF{}",
                    "{\"a\":01}", "{\"a\":NaN}", "// c\n{}", "\"\\x\""})
    expect_invalid_json(body);
  auto empty = raw_exchange(service->port(), raw_create("", ""));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->status, 422);
  EXPECT_EQ(empty->detail(), "Invalid JSON in request body");
}

TEST_F(errors_test, duplicate_json_keys) {
  expect_invalid_json(R"({"name":"x","name":"y","variants":[]})");
  expect_invalid_json(R"({"name":"x","variants":[{"label":"a","label":"b"}]})");
  expect_invalid_json(R"({"n\u0061me":"x","name":"y"})");
}

TEST_F(errors_test, bad_utf8) {
  for (auto name :
       {"\xFF", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80"})
    expect_invalid_json(std::string{"{\"name\":\""} + name + "\"}");
}

TEST_F(errors_test, nesting_deeper_than_32) {
  auto nested = [](int depth) {
    // The body itself is the first level.
    auto n = static_cast<size_t>(depth - 1);
    auto body = valid_body();
    body.pop_back();
    return body + ",\"x\":" + std::string(n, '[') + std::string(n, ']') + "}";
  };
  EXPECT_EQ(create_raw(nested(32)).status, 201);
  expect_invalid_json(nested(33));
  expect_invalid_json(std::string(100000, '['));
  expect_invalid_json(std::string(33, '[') + std::string(33, ']'));
}

TEST_F(errors_test, bodies_over_a_mebibyte) {
  constexpr size_t limit = 1 << 20;
  auto padded = [](size_t size) {
    auto body = valid_body();
    body.insert(1, size - body.size(), ' ');
    return body;
  };
  EXPECT_EQ(create_raw(padded(limit)).status, 201);
  auto answer
    = raw_exchange(service->port(), raw_create("", padded(limit + 1)));
  ASSERT_TRUE(answer);
  expect_error(*answer, 413);
  EXPECT_EQ(total_links(), 1);
}

TEST_F(errors_test, chunked_bodies) {
  auto body = valid_body();
  char size[32];
  std::snprintf(size, sizeof(size), "%zx", body.size());
  auto head = "POST " + links_path + " HTTP/1.1\r\nHost: x\r\nX-API-Key: "
              + secret_key + "\r\nTransfer-Encoding: chunked\r\n\r\n";
  auto answer = raw_exchange(service->port(),
                             head + size + "\r\n" + body + "\r\n0\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 201) << answer->body;
  // Without a declared length the limit holds too.
  raw_socket sock{service->port()};
  sock.send(head);
  auto chunk = "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
  for (int i = 0; i < 40; ++i)
    if (!sock.send(chunk))
      break;
  sock.send("0\r\n\r\n");
  if (auto refused = sock.receive()) {
    expect_error(*refused, 413);
  } else {
    EXPECT_TRUE(sock.wait_for_close(std::chrono::seconds{1}));
  }
}

TEST_F(errors_test, content_types) {
  EXPECT_EQ(create_raw(valid_body()).status, 201);
  for (auto type : {"application/json; charset=utf-8", "APPLICATION/JSON",
                    "application/json;charset=UTF-8"})
    EXPECT_EQ(create_raw(valid_body(), {{"Content-Type", type}}).status, 201)
      << type;
  auto without = raw_exchange(service->port(), raw_create("", valid_body()));
  ASSERT_TRUE(without);
  EXPECT_EQ(without->status, 201);
  for (auto type :
       {"application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "Application/X-WWW-Form-Urlencoded"})
    expect_error(create_raw(valid_body(), {{"Content-Type", type}}), 415);
}

TEST_F(errors_test, headers_over_64_kib) {
  auto link = make_single("d-1");
  auto request = [&](const std::string& path, size_t size) {
    std::string bytes = "GET " + path + " HTTP/1.1\r\nHost: x\r\n";
    for (int i = 0; size > 0; ++i) {
      auto n = std::min<size_t>(size, 4000);
      bytes += "X-H" + std::to_string(i) + ": " + std::string(n, 'h') + "\r\n";
      size -= n;
    }
    return raw_exchange(service->port(), bytes + "\r\n");
  };
  for (std::string path : {std::string{"/d-1"}, links_path}) {
    auto answer = request(path, 70 * 1024);
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 431) << path;
  }
  auto fits = request("/d-1", 48 * 1024);
  ASSERT_TRUE(fits);
  EXPECT_EQ(fits->status, 302);
}

TEST_F(errors_test, nothing_of_the_inside_reaches_a_client) {
  auto link = make_split();
  for (auto& answer :
       {create_raw("{"), get(links_path + "/x"),
        get(links_path + "/" + unknown_id), get(links_path + "?page='"),
        create_raw(R"({"name":"'; DROP TABLE links; --","variants":[]})"),
        get(path_of(link, "/clicks") + "?start_date=';--"),
        post(conversions_path, {{"click_id", "'"}})}) {
    auto detail = answer.detail();
    for (auto word : {"SQL", "sqlite", "SELECT", ".cpp", "/tmp",
                      "std::", "exception", "caf::"})
      EXPECT_THAT(detail, Not(HasSubstr(word)));
    EXPECT_THAT(answer.header("content-type"), HasSubstr("application/json"));
  }
}

TEST_F(errors_test, names_are_data) {
  auto name = "Robert'); DROP TABLE links;-- \"<b>%s\\u0000";
  auto link = make_link({{"name", name}, {"variants", two_variants()}});
  EXPECT_EQ(text(get(path_of(link)).json(), "name"), name);
  service->restart();
  EXPECT_EQ(text(get(path_of(link)).json(), "name"), name);
}

TEST_F(errors_test, malformed_http_is_refused) {
  for (auto bytes :
       {"GET\r\n\r\n", "\r\n\r\n\r\n", "G\x01T / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
        "Content-Length: 2\r\n\r\nab",
        "GET /x HTTP/1.1\r\nBad Header\r\n\r\n"}) {
    raw_socket sock{service->port()};
    sock.send(bytes);
    sock.finish_sending();
    if (auto answer = sock.receive(false, std::chrono::seconds{30})) {
      EXPECT_GE(answer->status, 400) << bytes;
    }
  }
  EXPECT_EQ(get(links_path).status, 200);
}

TEST_F(errors_test, answers_say_what_they_are) {
  auto answer = get(links_path);
  EXPECT_THAT(answer.header("content-type"), HasSubstr("application/json"));
  EXPECT_EQ(answer.header("content-length"),
            std::to_string(answer.body.size()));
}

TEST_F(rate_limit_headers_test, every_api_answer_carries_them) {
  auto link = make_split();
  auto first = get(links_path);
  EXPECT_EQ(first.header("x-ratelimit-limit"), "1000000");
  auto remaining = std::stol(first.header("x-ratelimit-remaining"));
  auto reset = std::stol(first.header("x-ratelimit-reset"));
  auto now = static_cast<long>(std::time(nullptr));
  EXPECT_GT(reset, now - 5);
  EXPECT_LE(reset, now + 3605);
  EXPECT_EQ(reset % 3600, 0);
  auto second = get(links_path + "/" + unknown_id);
  if (second.header("x-ratelimit-reset") == first.header("x-ratelimit-reset")) {
    EXPECT_EQ(std::stol(second.header("x-ratelimit-remaining")), remaining - 1);
  }
  for (auto& answer :
       {get(path_of(link)), get(links_path + "?page=x"),
        call("POST", links_path, {}, "{"), send("GET", links_path),
        call("PATCH", links_path), send("GET", "/api/v1/public/nothing"),
        call_as("svc_sk_x", "GET", links_path)}) {
    for (auto name :
         {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"})
      EXPECT_EQ(answer.all(name).size(), 1u) << answer.status << " " << name;
  }
}
