#include "core/bot_data.hpp"
#include "core/visitor.hpp"

#include <gtest/gtest.h>
#include <re2/re2.h>

namespace turnout {
namespace {

std::string class_of(std::string_view agent) {
  auto x = classify_bot(agent);
  return x ? to_string(*x) : "person";
}

// shlinkio/shlink#900
TEST(bots, that_show_previews) {
  for (auto agent :
       {"WhatsApp/2.23.20.0 A",
        "Twitterbot/1.0",
        "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
        "Slackbot 1.0 (+https://api.slack.com/robots)",
        "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
        "facebookexternalhit/1.1 "
        "(+http://www.facebook.com/externalhit_uatext.php)",
        "facebookexternalhit/1.1 Facebot Twitterbot/1.0",
        "meta-externalfetcher/1.1",
        "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient "
        "+http://www.linkedin.com)",
        "TelegramBot (like TwitterBot)",
        "http.rb/5.1.1 (Mastodon/4.2.0; +https://mastodon.social/) Bot",
        "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
        "Viber/20.0",
        "redditbot/1.0 (+http://www.reddit.com/feedback)",
        "Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)",
        "Iframely/1.3.1 (+https://iframely.com/docs/about)",
        "bitlybot/3.0 (+http://bit.ly/)",
        "Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)",
        "Snap URL Preview Service; bot; snapchat; "
        "https://developers.snap.com/robots",
        "Mozilla/5.0 (compatible; Pinterestbot/1.0; "
        "+https://www.pinterest.com/bot.html)",
        "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; "
        "+mailto:support@bsky.app)"})
    EXPECT_EQ(class_of(agent), "preview") << agent;
}

TEST(bots, are_recognised_again) {
  // More than are remembered, of one length, so that they take each other's
  // places.
  for (auto round = 0; round < 2; ++round)
    for (auto i = 1000; i < 3000; ++i) {
      const auto number = std::to_string(i);
      EXPECT_EQ(class_of("Mozilla/5.0 Firefox/1" + number), "person");
      EXPECT_EQ(class_of("Mozilla/5.0 AhrefsBot/" + number), "crawler");
      EXPECT_EQ(class_of("Mozilla/5.0 Discordbot" + number), "preview");
    }
}

TEST(bots, that_crawl) {
  for (auto agent :
       {"Mozilla/5.0 (compatible; Googlebot/2.1; "
        "+http://www.google.com/bot.html)",
        "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) "
        "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/41.0.2272.96 Mobile "
        "Safari/537.36 (compatible; Googlebot/2.1; "
        "+http://www.google.com/bot.html)",
        "Mozilla/5.0 (compatible; bingbot/2.0; "
        "+http://www.bing.com/bingbot.htm)",
        "Mozilla/5.0 (compatible; Baiduspider/2.0)",
        "Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm)",
        "meta-externalagent/1.1", "GPTBot/1.2", "AhrefsBot/7.0",
        "AhrefsSiteAudit/6.1", "SEMrushBot/7", "pingdom/1.0", "Seekbot/1.0",
        "Scrapy/2.11 (+https://scrapy.org)",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like "
        "Gecko) HeadlessChrome/120.0.0.0 Safari/537.36"})
    EXPECT_EQ(class_of(agent), "crawler") << agent;
}

TEST(bots, that_say_so_without_being_listed) {
  for (auto agent :
       {"BOT", "bot", "Some BOT", "SomeBOT/2 for JCE", "my_bot/1.0",
        "Mozilla/5.0 (compatible; New-Crawler)", "MYSPIDER 1", "x robot y"})
    EXPECT_EQ(class_of(agent), "crawler") << agent;
}

TEST(bots, are_not_phones_or_words_that_sound_alike) {
  for (auto agent :
       {"Mozilla/5.0 (Linux; Android 8.1.0; CUBOT_P20 Build/O11019) "
        "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/96.0.4664.45 Mobile "
        "Safari/537.36",
        "Mozilla/5.0 (Linux; Android 10; CUBOT X30) AppleWebKit/537.36",
        "Mozilla/5.0 (Linux; Android 10; Cubot) AppleWebKit/537.36", "CUBOT",
        "cubot", "Botany/1.0", "bottle", "Spiderman", "Crawlery"})
    EXPECT_EQ(class_of(agent), "person") << agent;
}

TEST(bots, are_not_browsers) {
  for (auto agent :
       {"", " ",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, "
        "like Gecko) Chrome/124.0.0.0 Safari/537.36",
        "Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like "
        "Gecko) Chrome/80.0.3987.87 Safari/537.36 SE 2.X MetaSr 1.0",
        "Mozilla/5.0 (Linux; Android 9) AppleWebKit/537.36 (KHTML, like Gecko) "
        "Version/4.0 Chrome/88 Mobile Safari/537.36 SogouMobileBrowser/5.9",
        "Mozilla/5.0 (Linux; Android 16; Pixel 10; wv) AppleWebKit/537.36 "
        "(KHTML, like Gecko) Version/4.0 Chrome/146.0 Mobile Safari/537.36 "
        "MetaIAB Facebook",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) "
        "AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 "
        "[Pinterest/iOS]",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) "
        "AppleWebKit/605.1.15 Snapchat/12.80 (like Safari/8618)",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) "
        "AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 300",
        "Mozilla/5.0 (Linux; Android 11; KFTRWI) AppleWebKit/537.36 (KHTML, "
        "like Gecko) Silk/108.1 like Chrome/108 Safari/537.36"})
    EXPECT_EQ(class_of(agent), "person") << agent;
}

TEST(bots, are_not_http_libraries) {
  for (auto agent :
       {"curl/8.0.1", "Wget/1.21", "wget", "python-requests/2.31.0",
        "Python-urllib/3.11", "python-httpx/0.25", "Python/3.11 aiohttp/3.8.4",
        "axios/1.6.2", "Go-http-client/2.0", "okhttp/4.9.3", "Java/17.0.1",
        "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)", "undici",
        "libwww-perl/6.05", "Apache-HttpClient/4.5.13 (Java/11)",
        "PostmanRuntime/7.36.0", "got (https://github.com/sindresorhus/got)"})
    EXPECT_EQ(class_of(agent), "person") << agent;
}

TEST(bots, keep_their_rules_in_the_listed_case) {
  EXPECT_EQ(class_of("Yeti/1.1"), "crawler");
  EXPECT_EQ(class_of("yeti/1.1"), "person");
  EXPECT_EQ(class_of("x Seekbird"), "person");
}

TEST(bots, have_rules_that_compile_and_contain_their_text) {
  ASSERT_GT(bot_data::rules.size(), 1'000u);
  auto num_previews = 0;
  for (const auto& rule : bot_data::rules) {
    EXPECT_FALSE(rule.atom.empty());
    num_previews += rule.preview ? 1 : 0;
    if (!rule.regex.empty()) {
      RE2 regex{std::string{rule.regex}};
      EXPECT_TRUE(regex.ok()) << rule.regex;
    }
  }
  EXPECT_GT(num_previews, 30);
}

TEST(bots, are_found_in_long_and_broken_text) {
  std::string agent(60'000, 'a');
  EXPECT_EQ(class_of(agent), "person");
  EXPECT_EQ(class_of(agent + "\xff\xfe Googlebot/2.1"), "crawler");
}

} // namespace
} // namespace turnout
