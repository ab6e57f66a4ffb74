#include "core/rules.hpp"

#include <gtest/gtest.h>

namespace turnout {
namespace {

const std::string path = "variants[0].destination_url";

std::string check(std::string_view url, const own_hosts& own = {}) {
  auto err = check_destination(url, own, path);
  if (!err)
    return "fine";
  EXPECT_EQ(code_of(err), ec::invalid);
  auto text = detail(err);
  EXPECT_EQ(text.substr(0, path.size() + 1), path + " ");
  return text.substr(path.size() + 1);
}

constexpr auto length_rule = "must be 1 to 2048 characters";
constexpr auto character_rule
  = "must not contain spaces, control characters or non-ASCII characters "
    "(send punycode and percent-encoding)";
constexpr auto scheme_rule = "must be an absolute http or https URL";
constexpr auto user_rule = "must not contain a user name or password";
constexpr auto host_rule = "must have a valid host";
constexpr auto port_rule = "must have a port between 1 and 65535, or none";
constexpr auto own_rule = "must not point at the host of the short links";

TEST(destination, may_be_any_web_address) {
  for (auto good : {"https://a.example",
                    "http://a.example/",
                    "HTTPS://A.Example/X",
                    "https://a.example:8443/p?q=1#f",
                    "https://a.example?x=1",
                    "https://a.example#f",
                    "http://localhost/",
                    "http://127.0.0.1:9/",
                    "http://[::1]:8080/x",
                    "https://[2001:DB8::1]",
                    "https://a_b.example/",
                    "https://xn--bcher-kva.example/",
                    "https://a.example./",
                    "https://a.example:1/",
                    "https://a.example:65535/",
                    "https://app.example/c?email=jo%2Btest%40mail.example",
                    "https://a.example/@user?x=[]{}|^`\"<>\\",
                    "https://1.2.3.4.example/",
                    "https://a.example/http://b.example/",
                    "https://0x.a/"})
    EXPECT_EQ(check(good), "fine") << good;
}

// shlinkio/shlink#1742
TEST(destination, must_be_absolute_with_a_host) {
  for (auto bad : {"example.com/x", "//c.example/", "mailto:a@b.example",
                   "http:/x", "http:x", "ftp://f.example/", "https",
                   "https:", "/x", "?", "http", "httpss://a.example/"})
    EXPECT_EQ(check(bad), scheme_rule) << bad;
  for (auto bad :
       {"http://", "https:///x", "https://:80/", "http://[::1", "https://?x",
        "https://#", "https://.", "https://a..example/", "https://.example/",
        "https://[]/", "https://[::1]x/", "https://[1.2.3.4]/",
        "https://[::1%25eth0]/", "https://[g::1]/", "https://a%2Eexample/",
        "https://a.exa mple/", "https://a.example\\@b.example/"})
    EXPECT_NE(check(bad), "fine") << bad;
  for (auto bad : {"http://", "https://:80/", "http://[::1",
                   "https://a%2Eexample/", "https://a\\b/"})
    EXPECT_EQ(check(bad), host_rule) << bad;
}

// xthxr/piik.me#125
TEST(destination, must_not_be_code_data_or_files) {
  for (auto bad : {"javascript:alert(1)", "JaVaScRiPt:alert(1)",
                   "data:text/html,x", "file:///etc/passwd", "vbscript:x"})
    EXPECT_EQ(check(bad), scheme_rule) << bad;
  for (auto bad :
       {" javascript:alert(1)", "java\tscript:alert(1)", " https://a.example/",
        "https://a.example/ ", "https://a.example/\r\nSet-Cookie: x",
        "https://a.example/\x7f", "https://b\u00fccher.example/",
        "https://a.example/\u00e9"})
    EXPECT_EQ(check(bad), character_rule) << bad;
  EXPECT_EQ(check({"https://a.example/\0", 19}), character_rule);
}

TEST(destination, must_not_name_a_user) {
  for (auto bad : {"https://user:pass@a.example/", "https://user@a.example/",
                   "https://@a.example/", "https://a.example:80@b.example/"})
    EXPECT_EQ(check(bad), user_rule) << bad;
}

TEST(destination, must_have_a_real_port) {
  for (auto bad :
       {"https://a.example:/", "https://a.example:0/",
        "https://a.example:65536/", "https://a.example:80x/",
        "https://a.example:-1/", "https://a.example:999999/",
        "https://a.example:80:80/", "https://[::1]:/", "https://[::1]:0"})
    EXPECT_EQ(check(bad), port_rule) << bad;
}

TEST(destination, must_write_addresses_as_usual) {
  for (auto bad : {"http://1.2.3/", "http://2130706433/", "http://0x7f000001/",
                   "http://127.1/", "http://256.1.1.1/", "http://01.2.3.4/",
                   "http://0x7f.0.0.1/", "http://1.2.3.4.5/",
                   "http://0X7F000001/", "http://127.0.0.0x1/"})
    EXPECT_EQ(check(bad), host_rule) << bad;
}

// shlinkio/shlink#1674
TEST(destination, is_bounded) {
  EXPECT_EQ(check(""), length_rule);
  std::string url = "https://a.example/";
  url.resize(2048, 'x');
  EXPECT_EQ(check(url), "fine");
  EXPECT_EQ(check(url + "x"), length_rule);
  EXPECT_EQ(check("https://" + std::string(63, 'a') + ".example/"), "fine");
  EXPECT_EQ(check("https://" + std::string(64, 'a') + ".example/"), host_rule);
  std::string host;
  while (host.size() < 254)
    host += "a.";
  EXPECT_EQ(check("https://" + host + "b/"), host_rule);
}

// YOURLS/YOURLS#173
TEST(destination, knows_the_host_of_the_short_links) {
  auto host = [](std::string_view address) {
    auto own = host_of_short_links(address);
    return own.names.empty() ? "none" : own.names.front();
  };
  EXPECT_EQ(host("https://Go.Example"), "go.example");
  EXPECT_EQ(host("http://go.example.:8080/x"), "go.example");
  EXPECT_EQ(host("http://[::1]:8080"), "[::1]");
  EXPECT_EQ(host("127.0.0.1:8080"), "127.0.0.1");
  EXPECT_EQ(host(""), "none");
}

TEST(destination, must_not_be_our_own) {
  own_hosts own{{"s.example", "go.example"}};
  for (auto bad : {"https://s.example/l-1", "http://S.EXAMPLE/l-1",
                   "https://s.example:8443/", "https://s.example./x",
                   "https://go.example", "HTTPS://Go.Example.:80?x"})
    EXPECT_EQ(check(bad, own), own_rule) << bad;
  for (auto good : {"https://www.s.example/", "https://xs.example/",
                    "https://s.example.org/", "https://a.example/s.example"})
    EXPECT_EQ(check(good, own), "fine") << good;
  EXPECT_EQ(check("https://s.example/"), "fine");
}

TEST(destination, must_not_be_our_own_address_in_any_text) {
  EXPECT_EQ(check("http://127.0.0.1:8080/x", {{"127.0.0.1"}}), own_rule);
  EXPECT_EQ(check("http://[::ffff:7f00:1]/x", {{"127.0.0.1"}}), own_rule);
  EXPECT_EQ(check("http://[0:0::1]/x", {{"::1"}}), own_rule);
  EXPECT_EQ(check("http://[0:0::1]/x", {{"[::1]"}}), own_rule);
  EXPECT_EQ(check("http://127.0.0.2/x", {{"127.0.0.1"}}), "fine");
}

} // namespace
} // namespace turnout
