#include "tests/api/harness/api_test.hpp"

using namespace turnout::test;

namespace {

class exclusions_test : public api_test {
protected:
  /// Waits until `n` requests were left out, and returns their reasons.
  json::object excluded(const json::value& link, int64_t n) {
    json::object result;
    auto sum = [&] {
      result = analytics(link).at("excluded").as_object();
      int64_t all = 0;
      for (auto& member : result)
        all += member.value().as_int64();
      return all;
    };
    EXPECT_EQ(eventually_equal(n, sum), n);
    return result;
  }
};

json::object reasons(int head, int prefetch, int preview, int crawler) {
  return {{"head", head},
          {"prefetch", prefetch},
          {"preview", preview},
          {"crawler", crawler}};
}

const std::string googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; "
                              "+http://www.google.com/bot.html)";

} // namespace

TEST_F(exclusions_test, head_requests) {
  auto link = make_split();
  for (int i = 0; i < 3; ++i) {
    auto answer
      = send("HEAD", "/" + text(link, "slug"), {{"User-Agent", browser}});
    EXPECT_EQ(answer.status, 302);
    EXPECT_TRUE(answer.has("location"));
    EXPECT_FALSE(answer.has("set-cookie"));
  }
  EXPECT_EQ(excluded(link, 3), reasons(3, 0, 0, 0));
  expect_no_counts(link);
}

TEST_F(exclusions_test, prefetch_and_prerender) {
  auto link = make_split();
  std::vector<header_list> all{
    {{"Sec-Purpose", "prefetch"}},
    {{"Sec-Purpose", "prefetch;prerender"}},
    {{"Sec-Purpose", "prefetch;anonymous-client-ip"}},
    {{"Purpose", "prefetch"}},
    {{"X-Moz", "prefetch"}}};
  for (auto& headers : all) {
    auto answer = visit(text(link, "slug"), headers);
    EXPECT_EQ(answer.status, 302);
    EXPECT_EQ(answer.header("cache-control"), "no-store");
    EXPECT_FALSE(answer.has("set-cookie"));
  }
  EXPECT_EQ(excluded(link, 5), reasons(0, 5, 0, 0));
  expect_no_counts(link);
}

TEST_F(exclusions_test, case_43_previews_and_crawlers) {
  auto link = make_split();
  std::vector<std::string> agents{
    "WhatsApp/2.23.20.0 A",
    "Twitterbot/1.0",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "facebookexternalhit/1.1 "
    "(+http://www.facebook.com/externalhit_uatext.php)",
    "meta-externalagent/1.1 "
    "(+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
    "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient "
    "+http://www.linkedin.com)",
    "TelegramBot (like TwitterBot)",
    "http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.example/) Bot",
    googlebot,
    "Mozilla/5.0 (compatible; bingbot/2.0; "
    "+http://www.bing.com/bingbot.htm)"};
  for (auto& agent : agents) {
    auto answer = visit(text(link, "slug"), {{"User-Agent", agent}});
    EXPECT_EQ(answer.status, 302) << agent;
    EXPECT_FALSE(answer.has("set-cookie")) << agent;
  }
  auto left_out = excluded(link, static_cast<int64_t>(agents.size()));
  EXPECT_EQ(left_out.at("head"), 0);
  EXPECT_EQ(left_out.at("prefetch"), 0);
  expect_no_counts(link);
}

TEST_F(exclusions_test, previews_are_told_from_crawlers) {
  auto link = make_split();
  auto slug = text(link, "slug");
  for (auto agent :
       {"WhatsApp/2.23.20.0 A", "Twitterbot/1.0", "facebookexternalhit/1.1"})
    visit(slug, {{"User-Agent", agent}});
  visit(slug, {{"User-Agent", googlebot}});
  EXPECT_EQ(excluded(link, 4), reasons(0, 0, 3, 1));
}

TEST_F(exclusions_test, case_43_http_libraries_and_devices_count) {
  auto link = make_split();
  std::vector<std::string> agents{
    "curl/8.5.0",
    "Wget/1.21.4",
    "python-requests/2.31.0",
    "axios/1.6.2",
    "okhttp/4.12.0",
    "Go-http-client/1.1",
    "Mozilla/5.0 (Linux; Android 13; CUBOT X70) AppleWebKit/537.36 (KHTML, "
    "like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36"};
  for (auto& agent : agents) {
    auto answer = visit(text(link, "slug"), {{"User-Agent", agent}});
    EXPECT_EQ(answer.status, 302);
    EXPECT_TRUE(answer.has("set-cookie")) << agent;
  }
  expect_counts(link, static_cast<int64_t>(agents.size()));
  EXPECT_EQ(excluded(link, 0), reasons(0, 0, 0, 0));
}

TEST_F(exclusions_test, case_44_every_place_leaves_the_same_out) {
  auto link = make_split();
  auto slug = text(link, "slug");
  for (int i = 0; i < 5; ++i) {
    visit(slug);
    visit(slug, {{"User-Agent", googlebot}});
  }
  EXPECT_EQ(excluded(link, 5), reasons(0, 0, 0, 5));
  expect_counts(link, 5);
  expect_sums_agree(link);
  service->restart();
  EXPECT_EQ(excluded(link, 5), reasons(0, 0, 0, 5));
  expect_counts(link, 5);
}

TEST_F(exclusions_test, case_45_no_user_agent_is_a_visitor) {
  auto link = make_split();
  auto line = "GET /" + text(link, "slug") + " HTTP/1.1\r\nHost: x\r\n";
  for (auto header : {"", "User-Agent:\r\n", "User-Agent: \r\n"}) {
    auto answer = raw_exchange(service->port(), line + header + "\r\n");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 302);
    EXPECT_TRUE(answer->has("set-cookie"));
  }
  expect_counts(link, 3);
  auto body = clicks(link);
  for (auto& click : body.at("items").as_array())
    EXPECT_EQ(text(click, "user_agent"), "");
  EXPECT_EQ(excluded(link, 0), reasons(0, 0, 0, 0));
}

TEST_F(exclusions_test, excluded_requests_are_routed_like_the_others) {
  auto link = make_link({{"name", "x"}, {"variants", two_variants(0, 100)}});
  auto answer = visit(text(link, "slug") + "?x=1", {{"User-Agent", googlebot}});
  EXPECT_EQ(answer.header("location"), "https://b.example/?x=1");
}
