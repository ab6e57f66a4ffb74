#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/load_client.hpp"

#include <atomic>
#include <random>
#include <set>
#include <thread>

using namespace turnout::test;
using testing::HasSubstr;

namespace {

class analytics_test : public api_test {
protected:
  std::map<std::string, int64_t> breakdown(const json::value& link,
                                           const std::string& name) {
    std::map<std::string, int64_t> result;
    auto body = analytics(link);
    for (auto& row : body.at(name).as_array())
      result[text(row, "value")] += number(row, "clicks");
    return result;
  }
};

class clicks_test : public api_test {
protected:
  response clicks_answer(const json::value& link, const std::string& query) {
    return get(path_of(link, "/clicks") + query);
  }
};

std::set<std::string> member_names(const json::value& x) {
  std::set<std::string> result;
  for (auto& member : x.as_object())
    result.insert(std::string{member.key()});
  return result;
}

using breakdowns = std::map<std::string, int64_t>;

} // namespace

TEST_F(analytics_test, all_fields_of_a_link_without_clicks) {
  auto today = day();
  auto link = make_split();
  auto report = analytics(link);
  EXPECT_EQ(
    member_names(report),
    (std::set<std::string>{
      "link_id", "from_date", "to_date", "total_clicks", "total_conversions",
      "unattributed_conversions", "conversion_rate", "unique_visitors",
      "daily_stats", "variant_performance", "conversion_events",
      "top_countries", "top_referrers", "top_browsers", "top_devices",
      "top_operating_systems", "excluded"}));
  EXPECT_EQ(text(report, "link_id"), text(link, "id"));
  EXPECT_EQ(text(report, "from_date"), today);
  EXPECT_EQ(text(report, "to_date"), today);
  EXPECT_EQ(number(report, "total_clicks"), 0);
  EXPECT_EQ(report.at("conversion_rate").to_number<double>(), 0);
  EXPECT_EQ(number(report, "unique_visitors"), 0);
  ASSERT_EQ(report.at("daily_stats").as_array().size(), 1u);
  json::value empty_day{{"date", today}, {"clicks", 0}, {"conversions", 0}};
  EXPECT_EQ(report.at("daily_stats").at(0), empty_day);
  EXPECT_EQ(report.at("variant_performance").as_array().size(), 2u);
  EXPECT_TRUE(report.at("top_countries").as_array().empty());
  json::value excluded{
    {"head", 0}, {"prefetch", 0}, {"preview", 0}, {"crawler", 0}};
  EXPECT_EQ(report.at("excluded"), excluded);
}

TEST_F(analytics_test, all_fields_of_a_link_with_clicks) {
  auto link = make_split(0, 100);
  auto slug = text(link, "slug");
  auto converted = sticky_cookie(visit(slug));
  visit_many(slug, 3);
  ASSERT_EQ(post(conversions_path, {{"click_id", converted.click_id}}).status,
            201);
  expect_counts(link, 4, 1);
  auto report = analytics(link);
  EXPECT_EQ(report.at("conversion_rate").to_number<double>(), 0.25);
  auto row = by_label(report.at("variant_performance"), "b");
  EXPECT_EQ(text(row, "variant_id"), variant_id(link, "b"));
  EXPECT_EQ(text(row, "destination_url"), "https://b.example/");
  EXPECT_EQ(number(row, "weight"), 100);
  EXPECT_EQ(row.at("is_winner"), false);
  EXPECT_EQ(number(row, "clicks"), 4);
  EXPECT_EQ(number(row, "conversions"), 1);
  EXPECT_EQ(row.at("conversion_rate").to_number<double>(), 0.25);
  auto& events = report.at("conversion_events").as_array();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(member_names(events[0]),
            (std::set<std::string>{"id", "link_id", "variant_id", "click_id",
                                   "event_id", "value", "currency",
                                   "created_at", "variant_label"}));
  EXPECT_EQ(breakdown(link, "top_countries"), (breakdowns{{"unknown", 4}}));
  EXPECT_EQ(breakdown(link, "top_referrers"), (breakdowns{{"unknown", 4}}));
  EXPECT_EQ(breakdown(link, "top_browsers"), (breakdowns{{"Firefox", 4}}));
  EXPECT_EQ(breakdown(link, "top_devices"), (breakdowns{{"desktop", 4}}));
  EXPECT_EQ(breakdown(link, "top_operating_systems"),
            (breakdowns{{"Linux", 4}}));
  expect_sums_agree(link);
}

TEST_F(analytics_test, user_agents_are_classified) {
  auto link = make_split();
  auto slug = text(link, "slug");
  visit(slug, {{"User-Agent",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) "
                "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 "
                "Mobile/15E148 Safari/604.1"}});
  visit(slug, {{"User-Agent",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 "
                "(KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"}});
  visit(slug, {{"User-Agent", "x"}});
  expect_counts(link, 3);
  auto devices = breakdown(link, "top_devices");
  EXPECT_EQ(devices["mobile"], 1);
  EXPECT_EQ(devices["desktop"], 1);
  auto systems = breakdown(link, "top_operating_systems");
  EXPECT_EQ(systems["iOS"], 1);
  EXPECT_EQ(systems["Windows"], 1);
  EXPECT_EQ(systems["unknown"], 1);
  expect_sums_agree(link);
}

TEST_F(analytics_test, case_54_referrers_by_host) {
  auto link = make_split();
  auto slug = text(link, "slug");
  for (auto& referrer : {std::string{"https://www.news.example/a?x=1"},
                         std::string{"http://news.example"},
                         std::string{"https://news.example:443/"},
                         std::string{"https://NEWS.example/"},
                         std::string{"android-app://com.example.mail/"},
                         std::string{"not a url"}, service->origin() + "/other",
                         "https://long.example/" + std::string(6000, 'x')})
    EXPECT_EQ(visit(slug, {{"Referer", referrer}}).status, 302);
  visit(slug);
  expect_counts(link, 9);
  EXPECT_EQ(breakdown(link, "top_referrers"),
            (breakdowns{{"news.example", 4},
                        {"com.example.mail", 1},
                        {"long.example", 1},
                        {"unknown", 3}}));
  expect_sums_agree(link);
}

TEST_F(analytics_test, case_48_unique_visitors_are_not_clicks) {
  auto link = make_split();
  auto slug = text(link, "slug");
  visit_many(slug, 5, {{"X-Forwarded-For", "193.0.6.139"}});
  visit(slug, {{"X-Forwarded-For", "193.0.6.140"}});
  expect_counts(link, 6);
  EXPECT_EQ(number(analytics(link), "unique_visitors"), 2);
}

TEST_F(analytics_test, a_breakdown_has_the_ten_largest) {
  auto link = make_split();
  auto slug = text(link, "slug");
  for (int i = 0; i < 12; ++i)
    for (int n = 0; n <= i; ++n)
      visit(slug, {{"Referer", "https://r" + std::to_string(i) + ".example/"}});
  expect_counts(link, 78);
  auto rows = analytics(link).at("top_referrers").as_array();
  ASSERT_EQ(rows.size(), 10u);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(text(rows[i], "value"),
              "r" + std::to_string(11 - i) + ".example");
    EXPECT_EQ(number(rows[i], "clicks"), static_cast<int64_t>(12 - i));
  }
}

TEST_F(analytics_test, case_66_67_68_days_of_a_range) {
  auto link = make_split();
  auto today = day();
  visit_many(text(link, "slug"), 3);
  expect_counts(link, 3);
  for (int n : {1, 7, 30, 365}) {
    auto report
      = analytics(link, "?from_date=" + day(1 - n) + "&to_date=" + today);
    EXPECT_EQ(text(report, "from_date"), day(1 - n));
    EXPECT_EQ(text(report, "to_date"), today);
    auto& days = report.at("daily_stats").as_array();
    ASSERT_EQ(days.size(), static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) {
      auto& row = days[static_cast<size_t>(i)];
      EXPECT_EQ(text(row, "date"), day(1 - n + i));
      EXPECT_EQ(number(row, "clicks"), i == n - 1 ? 3 : 0);
    }
    EXPECT_EQ(number(report, "total_clicks"), 3);
  }
  auto before
    = analytics(link, "?from_date=" + day(-7) + "&to_date=" + day(-1));
  EXPECT_EQ(number(before, "total_clicks"), 0);
  EXPECT_EQ(number(before, "unique_visitors"), 0);
  EXPECT_EQ(before.at("daily_stats").as_array().size(), 7u);
  auto instants = analytics(link, "?from_date=" + today + "T10:00:00Z&to_date="
                                    + today + "T11:00:00.000Z");
  EXPECT_EQ(text(instants, "from_date"), today);
}

TEST_F(analytics_test, case_71_bad_dates) {
  auto link = make_split();
  for (auto query :
       {"?from_date=2026-02-30", "?from_date=yesterday",
        "?from_date=", "?to_date=2026-13-01", "?to_date=20260101",
        "?from_date=2026-1-1", "?from_date=2026-03-02&to_date=2026-03-01",
        "?from_date=2026-03-01T00:00:00+02:00", "?from_date=2026-03-01T25:00Z"})
    expect_error(get(path_of(link, "/analytics") + query), 400);
}

TEST_F(analytics_test, a_lone_end_outside_of_the_life_is_the_only_day) {
  auto link = make_split();
  visit(text(link, "slug"));
  expect_counts(link, 1);
  for (auto& [query, date] :
       {std::pair{"?from_date=", day(5)}, std::pair{"?to_date=", day(-5)}}) {
    auto report = analytics(link, query + date);
    EXPECT_EQ(text(report, "from_date"), date);
    EXPECT_EQ(text(report, "to_date"), date);
    EXPECT_EQ(number(report, "total_clicks"), 0);
    ASSERT_EQ(report.at("daily_stats").as_array().size(), 1u);
    EXPECT_EQ(text(report.at("daily_stats").at(0), "date"), date);
  }
  // The answer would have millions of days.
  expect_error(get(path_of(link, "/analytics?to_date=9999-12-31")), 400,
               "36525 days");
}

TEST_F(analytics_test, case_69_each_click_is_after_its_link) {
  auto link = make_split();
  visit(text(link, "slug"));
  expect_counts(link, 1);
  auto click = clicks(link).at("items").at(0);
  EXPECT_GE(text(click, "created_at"), text(link, "created_at"));
}

TEST_F(analytics_test, sums_agree_after_random_operations) {
  std::mt19937 random{20260}; // always the same operations
  auto pick = [&](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  std::vector<json::value> links;
  for (int i = 0; i < 3; ++i)
    links.push_back(make_split());
  struct tally {
    int64_t clicks = 0;
    int64_t conversions = 0;
    int64_t nameless = 0;
    std::vector<sticky> unconverted;
  };
  std::vector<tally> expected(links.size());
  const std::vector<std::string> addresses{
    "193.0.6.139", "171.64.1.1", "133.11.1.1", "10.0.0.1", "2003:0:1::1"};
  const std::vector<std::string> referrers{"https://a.example/",
                                           "https://www.b.example/x", "junk"};
  for (int i = 0; i < 400; ++i) {
    auto which = static_cast<size_t>(pick(3));
    auto& link = links[which];
    auto& mine = expected[which];
    auto slug = text(link, "slug");
    switch (pick(20)) {
      case 0: {
        auto a = pick(101);
        ASSERT_EQ(
          put(path_of(link, "/variants"), two_variants(a, 100 - a)).status,
          200);
        break;
      }
      case 1:
        ASSERT_EQ(post(path_of(link, "/promote-winner"),
                       {{"variant_id", variant_id(link, "a")}})
                    .status,
                  200);
        break;
      case 2:
        visit(slug, {{"User-Agent", "Twitterbot/1.0"}});
        break;
      case 3:
        ASSERT_EQ(put(path_of(link), {{"is_active", false}}).status, 200);
        EXPECT_EQ(visit(slug).status, 404);
        ASSERT_EQ(put(path_of(link), {{"is_active", true}}).status, 200);
        break;
      case 4:
        ASSERT_EQ(
          post(conversions_path, {{"link_id", text(link, "id")}}).status, 201);
        ++mine.conversions;
        ++mine.nameless;
        break;
      case 5:
      case 6:
      case 7:
        if (!mine.unconverted.empty()) {
          auto click = mine.unconverted.back();
          mine.unconverted.pop_back();
          ASSERT_EQ(
            post(conversions_path, {{"click_id", click.click_id}}).status, 201);
          ++mine.conversions;
        }
        break;
      case 8:
        if (pick(5) == 0)
          service->restart();
        break;
      default: {
        auto answer = visit(
          slug, {{"X-Forwarded-For", addresses[static_cast<size_t>(pick(5))]},
                 {"Referer", referrers[static_cast<size_t>(pick(3))]}});
        ASSERT_EQ(answer.status, 302);
        ++mine.clicks;
        mine.unconverted.push_back(sticky_cookie(answer));
      }
    }
  }
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < links.size(); ++i) {
      SCOPED_TRACE("link " + std::to_string(i));
      expect_counts(links[i], expected[i].clicks, expected[i].conversions);
      expect_sums_agree(links[i], expected[i].nameless);
      EXPECT_EQ(number(analytics(links[i]), "unattributed_conversions"),
                expected[i].nameless);
    }
    auto verify = service->run({"verify"});
    EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
    service->restart();
  }
}

TEST_F(clicks_test, all_fields_newest_first) {
  auto link = make_split();
  auto slug = text(link, "slug");
  std::vector<sticky> made;
  for (int i = 0; i < 3; ++i) {
    made.push_back(
      sticky_cookie(visit(slug, {{"Referer", "https://news.example/a?x=1"},
                                 {"X-Forwarded-For", "193.0.6.139"}})));
    // Clicks of one millisecond have no order of their own.
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  expect_counts(link, 3);
  auto page = clicks(link);
  EXPECT_EQ(member_names(page),
            (std::set<std::string>{"items", "total", "page", "per_page"}));
  EXPECT_EQ(number(page, "page"), 1);
  EXPECT_EQ(number(page, "per_page"), 50);
  auto& items = page.at("items").as_array();
  ASSERT_EQ(items.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    auto& click = items[i];
    EXPECT_EQ(member_names(click),
              (std::set<std::string>{
                "id", "link_id", "variant_id", "ip_address", "user_agent",
                "referrer", "country", "is_conversion", "created_at"}));
    EXPECT_EQ(text(click, "id"), made[2 - i].click_id);
    EXPECT_EQ(text(click, "variant_id"), made[2 - i].variant_id);
    EXPECT_EQ(text(click, "link_id"), text(link, "id"));
    EXPECT_EQ(text(click, "ip_address"), "193.0.6.0");
    EXPECT_EQ(text(click, "user_agent"), browser);
    EXPECT_EQ(text(click, "referrer"), "https://news.example/a?x=1");
    EXPECT_EQ(text(click, "country"), "NL");
    EXPECT_EQ(click.at("is_conversion"), false);
    EXPECT_THAT(text(click, "created_at"), is_timestamp());
  }
}

TEST_F(clicks_test, pages_are_complete_and_disjoint) {
  auto link = make_split();
  visit_many(text(link, "slug"), 120);
  expect_counts(link, 120);
  std::set<std::string> seen;
  std::vector<size_t> sizes;
  std::string last = "9999";
  for (int page = 1; page <= 4; ++page) {
    auto body = clicks(link, "?page=" + std::to_string(page));
    EXPECT_EQ(number(body, "total"), 120);
    EXPECT_EQ(number(body, "page"), page);
    sizes.push_back(body.at("items").as_array().size());
    for (auto& click : body.at("items").as_array()) {
      EXPECT_TRUE(seen.insert(text(click, "id")).second);
      EXPECT_LE(text(click, "created_at"), last);
      last = text(click, "created_at");
    }
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{50, 50, 20, 0}));
  EXPECT_EQ(seen.size(), 120u);
  EXPECT_EQ(clicks(link, "?per_page=100").at("items").as_array().size(), 100u);
}

TEST_F(clicks_test, case_72_paging_parameters) {
  auto link = make_split();
  visit(text(link, "slug"));
  expect_counts(link, 1);
  for (auto query :
       {"?page=0", "?page=-1", "?per_page=0", "?per_page=101", "?per_page=-5"})
    expect_error(clicks_answer(link, query), 422);
  for (auto query : {"?page=abc", "?page=1e9", "?page=", "?per_page=1.5"})
    expect_error(clicks_answer(link, query), 400);
  auto past = clicks(link, "?page=999999");
  EXPECT_TRUE(past.at("items").as_array().empty());
  EXPECT_EQ(number(past, "total"), 1);
  EXPECT_LT(clicks_answer(link, "?page=1&page=2").status, 500);
  EXPECT_LT(clicks_answer(link, "?page=99999999999999999999").status, 500);
}

TEST_F(clicks_test, case_66_date_only_ends_mean_the_whole_day) {
  auto link = make_split();
  auto today = day();
  visit(text(link, "slug"));
  expect_counts(link, 1);
  auto total = [&](const std::string& query) {
    return number(clicks(link, query), "total");
  };
  EXPECT_EQ(total("?start_date=" + today + "&end_date=" + today), 1);
  EXPECT_EQ(total("?start_date=" + today), 1);
  EXPECT_EQ(total("?end_date=" + today), 1);
  EXPECT_EQ(total("?start_date=" + day(-5) + "&end_date=" + day(-1)), 0);
  EXPECT_EQ(total("?end_date=" + day(-1)), 0);
  EXPECT_EQ(total("?start_date=" + today + "T00:00:00Z"), 1);
  EXPECT_EQ(total("?start_date=" + day(-1) + "T00:00:00Z&end_date=" + today
                  + "T00:00:00.000Z"),
            0);
}

TEST_F(clicks_test, case_71_offsets_are_honoured) {
  auto link = make_split();
  auto today = day();
  visit(text(link, "slug"));
  expect_counts(link, 1);
  auto total = [&](const std::string& query) {
    return number(clicks(link, query), "total");
  };
  // Today's midnight in UTC, spelled with an offset.
  EXPECT_EQ(total("?start_date=" + today + "T02:00:00%2B02:00"), 1);
  EXPECT_EQ(total("?start_date=" + day(-1) + "T22:00:00-02:00"), 1);
  // Tomorrow's.
  EXPECT_EQ(total("?start_date=" + day(-1) + "T00:00:00Z&end_date=" + today
                  + "T02:00:00%2B02:00"),
            0);
  expect_error(clicks_answer(link, "?start_date=" + today + "T02:00:00+02:00"),
               400);
}

TEST_F(clicks_test, case_71_ranges_have_at_most_90_days) {
  auto link = make_split();
  auto status = [&](const std::string& query) {
    return clicks_answer(link, query).status;
  };
  EXPECT_EQ(status("?start_date=" + day(-89) + "&end_date=" + day()), 200);
  expect_error(
    clicks_answer(link, "?start_date=" + day(-90) + "&end_date=" + day()), 400);
  EXPECT_EQ(status("?start_date=" + day(-89)), 200);
  expect_error(clicks_answer(link, "?start_date=" + day(-100)), 400);
  EXPECT_EQ(status("?start_date=2024-01-01&end_date=2024-03-30"), 200);
  expect_error(clicks_answer(link, "?start_date=2024-01-01&end_date="
                                   "2024-03-31"),
               400);
  EXPECT_EQ(status(""), 200);
}

TEST_F(clicks_test, case_71_bad_dates) {
  auto link = make_split();
  for (auto query : {"?start_date=2026-02-30", "?start_date=junk",
                     "?start_date=", "?end_date=2026-00-01",
                     "?start_date=2026-03-02&end_date=2026-03-01",
                     "?end_date=2026-03-01T24:01:00Z"})
    expect_error(clicks_answer(link, query), 400);
}

TEST_F(clicks_test, the_csv_has_all_clicks) {
  auto link = make_split();
  auto slug = text(link, "slug");
  for (int i = 0; i < 5; ++i)
    visit(slug, {{"Referer", "https://r.example/?a=\"x\",y"}});
  expect_counts(link, 5);
  auto answer = clicks_answer(link, ".csv");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.header("content-type"), HasSubstr("text/csv"));
  EXPECT_THAT(answer.header("content-disposition"), HasSubstr("attachment"));
  auto& body = answer.body;
  auto first = body.substr(0, body.find_first_of("\r\n"));
  EXPECT_EQ(first, "id,link_id,variant_id,ip_address,user_agent,referrer,"
                   "country,is_conversion,created_at");
  EXPECT_EQ(std::count(body.begin(), body.end(), '\n'), 6);
  EXPECT_THAT(body, HasSubstr("\"https://r.example/?a=\"\"x\"\",y\""));
  EXPECT_EQ(clicks_answer(link, ".csv?start_date=2020-01-01").status, 200);
  answer = clicks_answer(link, ".csv?end_date=" + day(-1));
  EXPECT_EQ(answer.body, first + "\r\n");
  expect_error(clicks_answer(link, ".csv?start_date=junk"), 400);
  EXPECT_EQ(send("GET", path_of(link, "/clicks.csv")).status, 401);
  expect_error(get(links_path + "/" + unknown_id + "/clicks.csv"), 404,
               "Link not found");
  expect_error(call("POST", path_of(link, "/clicks.csv")), 405);
}

TEST_F(clicks_test, case_102_the_csv_is_stable_while_visits_come_in) {
  auto link = make_split();
  auto slug = "/" + text(link, "slug");
  load_client load{
    service->port(), {slug}, 8, "User-Agent: " + browser + "\r\n"};
  // More than a part has.
  ASSERT_TRUE(
    eventually([&] { return number(analytics(link), "total_clicks") > 1500; }));
  std::set<std::string> last;
  for (int round = 0; round < 3; ++round) {
    auto answer = clicks_answer(link, ".csv");
    ASSERT_EQ(answer.status, 200);
    std::istringstream lines{answer.body};
    std::string line;
    std::getline(lines, line);
    std::vector<std::string> ids;
    while (std::getline(lines, line))
      ids.push_back(line.substr(0, line.find(',')));
    EXPECT_TRUE(std::is_sorted(ids.rbegin(), ids.rend()));
    std::set<std::string> now{ids.begin(), ids.end()};
    EXPECT_EQ(now.size(), ids.size()) << "a click stands twice";
    EXPECT_TRUE(std::includes(now.begin(), now.end(), last.begin(), last.end()))
      << "a click is missing";
    last = std::move(now);
  }
  load.finish();
  expect_counts(link, load.acknowledged());
  auto body = clicks_answer(link, ".csv").body;
  EXPECT_EQ(std::count(body.begin(), body.end(), '\n'),
            load.acknowledged() + 1);
}

TEST_F(clicks_test, case_74_pages_are_read_while_visits_come_in) {
  auto link = make_split();
  auto slug = text(link, "slug");
  std::atomic<bool> done{false};
  std::atomic<int> visits{0};
  std::thread visitor{[&] {
    http_client client{service->origin()};
    while (!done) {
      visits += client.send("GET", "/" + slug, {{"User-Agent", browser}}).status
                == 302;
    }
  }};
  std::vector<std::thread> readers;
  std::vector<std::string> problems(8);
  for (auto& problem : problems)
    readers.emplace_back([&] {
      http_client client{service->origin()};
      int64_t last = 0;
      for (int i = 0; i < 25; ++i) {
        auto answer = client.send("GET", path_of(link, "/clicks?per_page=100"),
                                  {{"X-API-Key", secret_key}});
        if (answer.status != 200) {
          problem = "status " + std::to_string(answer.status);
          return;
        }
        auto total = number(answer.json(), "total");
        if (total < last)
          problem = "the total fell";
        last = total;
      }
    });
  for (auto& x : readers)
    x.join();
  done = true;
  visitor.join();
  for (auto& problem : problems)
    EXPECT_EQ(problem, "");
  expect_counts(link, visits);
}
