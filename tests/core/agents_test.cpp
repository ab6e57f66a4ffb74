#include "core/agent_data.hpp"
#include "core/visitor.hpp"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <thread>

namespace turnout {
namespace {

std::string class_of(std::string_view agent) {
  auto x = classify_agent(agent);
  return x.browser + " / " + x.device + " / " + x.system;
}

TEST(agents, of_computers) {
  EXPECT_EQ(class_of("Mozilla/5.0 (Windows NT 10.0; Win64; x64) "
                     "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 "
                     "Safari/537.36"),
            "Chrome / desktop / Windows");
  EXPECT_EQ(class_of("Mozilla/5.0 (Windows NT 10.0; Win64; x64) "
                     "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 "
                     "Safari/537.36 Edg/124.0.0.0"),
            "Edge / desktop / Windows");
  EXPECT_EQ(class_of("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) "
                     "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 "
                     "Safari/605.1.15"),
            "Safari / desktop / Mac OS X");
  EXPECT_EQ(class_of("Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:121.0) "
                     "Gecko/20100101 Firefox/121.0"),
            "Firefox / desktop / Ubuntu");
  EXPECT_EQ(class_of("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) "
                     "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 "
                     "Safari/537.36"),
            "Chrome / desktop / Chrome OS");
  EXPECT_EQ(class_of("Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; "
                     "Trident/4.0; Tablet PC 2.0)"),
            "IE / desktop / Windows");
}

TEST(agents, of_phones) {
  EXPECT_EQ(class_of("Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 "
                     "(KHTML, like Gecko) Chrome/124.0.0.0 Mobile "
                     "Safari/537.36"),
            "Chrome Mobile / mobile / Android");
  EXPECT_EQ(class_of("Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) "
                     "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 "
                     "Mobile/15E148 Safari/604.1"),
            "Mobile Safari / mobile / iOS");
  EXPECT_EQ(class_of("Mozilla/5.0 (Mobile; Nokia 8110 4G; rv:48.0) Gecko/48.0 "
                     "Firefox/48.0 KAIOS/2.5"),
            "Firefox Mobile / mobile / KaiOS");
  EXPECT_EQ(class_of("Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; "
                     "Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like "
                     "Gecko) Chrome/52.0.2743.116 Mobile Safari/537.36 "
                     "Edge/15.15063"),
            "Edge Mobile / mobile / Windows Phone");
  EXPECT_EQ(class_of("Mozilla/5.0 (Linux; Android 8.1.0; CUBOT_P20 "
                     "Build/O11019) AppleWebKit/537.36 (KHTML, like Gecko) "
                     "Chrome/96.0.4664.45 Mobile Safari/537.36"),
            "Chrome Mobile / mobile / Android");
}

TEST(agents, of_tablets) {
  EXPECT_EQ(class_of("Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) "
                     "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 "
                     "Mobile/15E148 Safari/604.1"),
            "Mobile Safari / tablet / iOS");
  EXPECT_EQ(class_of("Mozilla/5.0 (Linux; Android 13; SM-T870) "
                     "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/112.0.0.0 "
                     "Safari/537.36"),
            "Chrome / tablet / Android");
}

TEST(agents, of_other_devices) {
  EXPECT_EQ(classify_agent("Mozilla/5.0 (Web0S; Linux/SmartTV) "
                           "AppleWebKit/537.36 (KHTML, like Gecko) "
                           "Chrome/79.0.3945.79 Safari/537.36 WebAppManager")
              .device,
            "tv");
  EXPECT_EQ(classify_agent("Mozilla/5.0 (Linux; Android 9; AFTMM Build/PS7233; "
                           "wv) AppleWebKit/537.36 (KHTML, like Gecko) "
                           "Version/4.0 Chrome/88.0 Mobile Safari/537.36")
              .device,
            "tv");
  EXPECT_EQ(classify_agent("Mozilla/5.0 (PlayStation; PlayStation 5/2.26) "
                           "AppleWebKit/605.1.15 (KHTML, like Gecko) "
                           "Version/13.0 Safari/605.1.15")
              .device,
            "console");
  EXPECT_EQ(classify_agent("Mozilla/5.0 (Apple Watch; CPU Apple Watch OS 9 "
                           "like Mac OS X) AppleWebKit/605.1.15")
              .device,
            "wearable");
}

TEST(agents, of_bots_and_libraries) {
  auto bot = classify_agent("Mozilla/5.0 (compatible; Googlebot/2.1; "
                            "+http://www.google.com/bot.html)");
  EXPECT_EQ(bot.browser, "Googlebot");
  EXPECT_EQ(bot.device, "bot");
  EXPECT_EQ(class_of("curl/8.0.1"), "curl / unknown / unknown");
  EXPECT_EQ(class_of("Java/17.0.1"), "Java / unknown / unknown");
  EXPECT_EQ(class_of("libwww-perl/6.05"), "libwww-perl / unknown / unknown");
}

TEST(agents, of_nothing_are_unknown) {
  for (auto agent : {"", "  ", "x", "~~~"})
    EXPECT_EQ(class_of(agent), "unknown / unknown / unknown");
  EXPECT_EQ(class_of("\xff\xfe\x01"), "unknown / unknown / unknown");
  EXPECT_EQ(class_of(std::string(100'000, 'x')), "unknown / unknown / unknown");
}

TEST(agents, are_the_same_after_the_cache_ran_over) {
  auto firefox = [](int i) {
    return "Mozilla/5.0 (X11; Linux x86_64; rv:" + std::to_string(i)
           + ".0) Gecko/20100101 Firefox/" + std::to_string(i) + ".0";
  };
  for (auto i = 1; i < 4'200; ++i)
    ASSERT_EQ(class_of(firefox(i)), "Firefox / desktop / Linux");
  EXPECT_EQ(class_of(firefox(1)), "Firefox / desktop / Linux");
}

TEST(agents, are_the_same_in_every_thread) {
  std::string here = class_of("curl/8.0.1");
  std::string there;
  std::thread{[&] { there = class_of("curl/8.0.1"); }}.join();
  EXPECT_EQ(here, there);
}

TEST(agents, have_rules_that_all_compile) {
  for (auto rules :
       {agent_data::browsers, agent_data::systems, agent_data::devices}) {
    ASSERT_GT(rules.size(), 100u);
    for (const auto& rule : rules) {
      RE2::Options options;
      options.set_log_errors(false);
      options.set_case_sensitive(!rule.ignores_case);
      RE2 regex{std::string{rule.regex}, options};
      EXPECT_TRUE(regex.ok()) << rule.regex;
    }
  }
}

} // namespace
} // namespace turnout
