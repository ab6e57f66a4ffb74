#include "core/visitor.hpp"

#include <gtest/gtest.h>

namespace turnout {
namespace {

TEST(clean_text, keeps_valid_text) {
  EXPECT_EQ(clean_text("Mozilla/5.0 \u00e9\U0001f600", 512),
            "Mozilla/5.0 \u00e9\U0001f600");
  EXPECT_EQ(clean_text("", 512), "");
}

TEST(clean_text, drops_bad_bytes_and_controls) {
  EXPECT_EQ(clean_text("a\xff\xc3z\x80\n\t\x7f\u0085y", 512), "azy");
  EXPECT_EQ(clean_text({"a\0b", 3}, 512), "ab");
}

TEST(clean_text, cuts_between_characters) {
  EXPECT_EQ(clean_text("abcdef", 3), "abc");
  EXPECT_EQ(clean_text("ab\u00e9", 3), "ab");
  EXPECT_EQ(clean_text("a\u00e9", 3), "a\u00e9");
  EXPECT_EQ(clean_text("ab\U0001f600z", 5), "ab");
  EXPECT_EQ(clean_text("\n\nabc", 3), "abc");
  EXPECT_EQ(clean_text(std::string(10'000, 'x'), 512), std::string(512, 'x'));
}

// ibericode/koko-analytics#43
TEST(referrer, is_kept_when_it_is_an_address) {
  for (auto good :
       {"https://www.news.example/a?x=1", "http://news.example",
        "https://news.example:443/", "android-app://com.example.mail/",
        "HTTPS://News.Example/", "http://[2001:db8::1]:80/x",
        "https://news.example?x", "https://b\u00fccher.example/"})
    EXPECT_EQ(clean_referrer(good, "s.example"), good);
  EXPECT_EQ(clean_referrer(" https://a.example/ ", "s.example"),
            "https://a.example/");
}

TEST(referrer, is_dropped_when_it_is_junk) {
  for (auto bad : {"",
                   " ",
                   "not a url",
                   "news.example",
                   "//news.example/",
                   "about:blank",
                   "https://",
                   "https:///x",
                   "https://?x",
                   "https://a b.example/",
                   "javascript:alert(1)",
                   "file:///etc/passwd",
                   "data:text/html,x",
                   "https://[::1/",
                   "https://[]/",
                   "https://[x]/",
                   "https://a.example:x/",
                   "https://<script>/",
                   "ftp://a.example/",
                   "android-app:///x",
                   "chrome-extension://abc/",
                   "https://."})
    EXPECT_EQ(clean_referrer(bad, "s.example"), "") << bad;
  EXPECT_EQ(clean_referrer("https://" + std::string(254, 'a') + "/", ""), "");
}

TEST(referrer, is_dropped_when_it_is_our_own) {
  for (auto own : {"https://s.example/promo", "http://S.Example",
                   "https://s.example:8443/", "https://s.example./x",
                   "https://u:p@s.example/"})
    EXPECT_EQ(clean_referrer(own, "s.example"), "") << own;
  EXPECT_EQ(clean_referrer("http://127.0.0.1:8080/x", "127.0.0.1"), "");
  for (auto other : {"https://www.s.example/", "https://s.example.org/",
                     "https://a.example/s.example"})
    EXPECT_EQ(clean_referrer(other, "s.example"), other);
}

TEST(referrer, is_cut) {
  std::string url = "https://news.example/";
  url.resize(10'000, 'x');
  EXPECT_EQ(clean_referrer(url, ""), url.substr(0, 2048));
  EXPECT_EQ(clean_referrer("https://a.example/\xff\x01z", ""),
            "https://a.example/z");
}

TEST(referrer, has_the_host_as_its_class) {
  for (auto same : {"https://www.news.example/a?x=1", "http://news.example",
                    "https://news.example:443/", "https://WWW.News.Example./",
                    "https://user@news.example/#x"})
    EXPECT_EQ(referrer_class(same), "news.example") << same;
  EXPECT_EQ(referrer_class("https://m.news.example/"), "m.news.example");
  EXPECT_EQ(referrer_class("https://www./"), "www");
  EXPECT_EQ(referrer_class("http://www.www.example/"), "www.example");
  EXPECT_EQ(referrer_class("http://[2001:DB8::1]:80/"), "[2001:db8::1]");
  EXPECT_EQ(referrer_class("android-app://com.example.mail/"),
            "com.example.mail");
  EXPECT_EQ(referrer_class("android-app://com.Example.Mail"),
            "com.example.mail");
  EXPECT_EQ(referrer_class(""), "unknown");
  EXPECT_EQ(referrer_class("junk"), "unknown");
}

TEST(prefetch, is_told_by_any_header) {
  EXPECT_FALSE(is_prefetch({}));
  EXPECT_TRUE(is_prefetch({"prefetch", "", ""}));
  EXPECT_TRUE(is_prefetch({"prefetch;prerender", "", ""}));
  EXPECT_TRUE(is_prefetch({"prefetch;anonymous-client-ip", "", ""}));
  EXPECT_TRUE(is_prefetch({"Prerender", "", ""}));
  EXPECT_TRUE(is_prefetch({"", "prefetch", ""}));
  EXPECT_TRUE(is_prefetch({"", "PREVIEW", ""}));
  EXPECT_TRUE(is_prefetch({"", "", "prefetch"}));
  EXPECT_FALSE(is_prefetch({"navigate", "document", "x"}));
}

} // namespace
} // namespace turnout
