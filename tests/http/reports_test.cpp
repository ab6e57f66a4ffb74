#include "http/codec/query.hpp"
#include "tests/http/fixture.hpp"

#include <boost/json/serialize.hpp>

using namespace turnout;
using namespace turnout::test;

namespace {

constexpr auto get_m = http_method::get;

timestamp at(const char* text) {
  return parse_date_or_time(text)->at;
}

const auto today = at("2026-11-27T12:00:00Z");

storage::click_range clicks(std::string_view query) {
  auto result = read_click_range(query_params{query}, today);
  EXPECT_TRUE(result) << query;
  return result ? *result : storage::click_range{};
}

/// Returns the status's code and the text of a failure.
std::string click_error(std::string_view query) {
  auto result = read_click_range(query_params{query}, today);
  if (result)
    return "";
  EXPECT_EQ(code_of(result.error()), ec::bad_request);
  return detail(result.error());
}

class reports : public http_test {
  // nop
};

} // namespace

TEST(click_range, dates_mean_whole_days) {
  auto x = clicks("start_date=2026-11-27&end_date=2026-11-27");
  EXPECT_EQ(x.from, at("2026-11-27"));
  EXPECT_EQ(x.until, at("2026-11-28"));
}

TEST(click_range, date_times_are_included_to_the_millisecond) {
  auto x = clicks("start_date=2026-03-01T00:00:00%2B02:00"
                  "&end_date=2026-03-01T10:00:00Z");
  EXPECT_EQ(x.from, at("2026-02-28T22:00:00Z"));
  EXPECT_EQ(x.until, at("2026-03-01T10:00:00.001Z"));
}

TEST(click_range, one_end_only) {
  auto x = clicks("start_date=2026-11-01");
  EXPECT_EQ(x.from, at("2026-11-01"));
  EXPECT_FALSE(x.until.has_value());
  x = clicks("end_date=2026-11-01");
  EXPECT_EQ(x.until, at("2026-11-02"));
  EXPECT_EQ(x.from, at("2026-08-04")) << "90 days, both ends included";
  x = clicks("end_date=2026-11-01T00:00:00Z");
  EXPECT_EQ(x.from, at("2026-08-03"));
  x = clicks("");
  EXPECT_FALSE(x.from.has_value());
  EXPECT_FALSE(x.until.has_value());
}

TEST(click_range, ninety_days_pass_and_ninety_one_do_not) {
  clicks("start_date=2026-01-01&end_date=2026-03-31"); // 90 days
  const auto too_long = "The range must not be longer than 90 days";
  EXPECT_EQ(click_error("start_date=2026-01-01&end_date=2026-04-01"), too_long);
  clicks("start_date=2026-08-30"); // 89.5 days before now
  EXPECT_EQ(click_error("start_date=2026-08-29"), too_long);
  clicks("start_date=2026-08-29T12:00:00Z");
  EXPECT_EQ(click_error("start_date=2026-08-29T11:59:59Z"), too_long);
}

TEST(click_range, nonsense_is_refused) {
  for (auto query : {"start_date=2026-02-30", "start_date=", "start_date=abc",
                     "start_date=2026-03-01T00:00:00+02:00",
                     "end_date=2026-13-01", "start_date=%zz"})
    EXPECT_NE(click_error(query), "") << query;
  EXPECT_EQ(click_error("start_date=2026-03-02&end_date=2026-03-01"),
            "start_date must not be after end_date");
  EXPECT_EQ(click_error("start_date=2026-03-01T12:00:00Z"
                        "&end_date=2026-03-01T11:00:00Z"),
            "start_date must not be after end_date");
}

TEST(day_range, days_and_their_order) {
  auto read = [](std::string_view query) {
    return read_day_range(query_params{query}, today);
  };
  auto x = read("from_date=2026-11-21&to_date=2026-11-27T10:00:00Z");
  ASSERT_TRUE(x);
  EXPECT_EQ(*x->to - *x->from, 6);
  x = read("");
  ASSERT_TRUE(x);
  EXPECT_FALSE(x->from || x->to);
  EXPECT_TRUE(read("from_date=2026-11-27&to_date=2026-11-27"));
  EXPECT_TRUE(read("from_date=2026-11-27T10:00:00Z&to_date=2026-11-27"));
  EXPECT_FALSE(read("from_date=2026-11-28&to_date=2026-11-27"));
  EXPECT_FALSE(
    read("from_date=2026-11-27T10:00:00Z&to_date=2026-11-27T09:00:00Z"));
  EXPECT_FALSE(read("from_date=yesterday"));
  EXPECT_FALSE(read("from_date=1970-01-01&to_date=9999-12-31"));
  // The answer has every day up to there.
  EXPECT_FALSE(read("to_date=9999-12-31"));
  EXPECT_FALSE(read("from_date=1900-01-01"));
  EXPECT_TRUE(read("to_date=2100-01-01"));
}

TEST_F(reports, paging_is_checked) {
  const auto path = "/public/links/" + add_link().id.str() + "/clicks";
  auto expect
    = [&](const std::string& query, int status, const std::string& detail) {
        for (auto list : {std::string{"/public/links"}, path}) {
          auto out = api(get_m, list + "?" + query);
          EXPECT_EQ(out->status(), status) << query;
          EXPECT_EQ(out->detail(), detail) << query;
        }
      };
  for (std::string bad : {"abc", "", "1.5", "1e9", "0x1", "%201", "+1"})
    expect("page=" + bad, 400, "page must be an integer");
  for (std::string bad : {"0", "-1", "99999999999999999999"})
    expect("page=" + bad, 422, "page must be between 1 and 20000000");
  for (std::string bad : {"0", "101", "-5"})
    expect("per_page=" + bad, 422, "per_page must be between 1 and 100");
  expect("page=1&page=2", 422, "page must be given once only");
  expect("page=999999", 200, "");
  EXPECT_EQ(actors.paging, std::make_pair(999999, 50));
}

TEST_F(reports, clicks_show_the_fields_of_the_contract) {
  const auto link_id = add_link().id;
  click_row x;
  x.id = link_id;
  x.ip_address = "8.8.8.0";
  x.user_agent = "";
  x.created_at = at("2026-11-27T21:58:57.123Z");
  actors.page_of_clicks.items.push_back(x);
  x.referrer = "https://r.example/";
  x.country = "DE";
  actors.page_of_clicks.items.push_back(x);
  actors.page_of_clicks.total = 2;
  auto out = api(get_m, "/public/links/" + link_id.str()
                          + "/clicks?start_date=2026-11-27&end_date=2026-11-28"
                            "&page=3&per_page=7");
  ASSERT_EQ(out->status(), 200);
  EXPECT_EQ(actors.range.until, at("2026-11-29"));
  const auto body = out->json();
  EXPECT_EQ(body.at("page"), 3);
  EXPECT_EQ(body.at("per_page"), 7);
  EXPECT_EQ(body.at("total"), 2);
  EXPECT_EQ(boost::json::serialize(body.at("items").at(0)),
            R"({"id":")" + link_id.str() + R"(","link_id":")" + link_id.str()
              + R"(","variant_id":"00000000-0000-0000-0000-000000000000",)"
                R"("ip_address":"8.8.8.0","user_agent":"","referrer":null,)"
                R"("country":null,"is_conversion":false,)"
                R"("created_at":"2026-11-27T21:58:57.123Z"})");
  EXPECT_EQ(body.at("items").at(1).at("country"), "DE");
  out = api(get_m, "/public/links/00000000-0000-7000-8000-0000000009ff/clicks");
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->detail(), "Link not found");
  out = api(get_m, "/public/links/zz/clicks?page=0");
  EXPECT_EQ(out->status(), 400);
  EXPECT_EQ(out->detail(), "id must be a UUID");
}

TEST_F(reports, analytics_fill_every_day_and_agree_with_the_totals) {
  auto x = add_link();
  x.variants[1].retired = true;
  auto& report = actors.report;
  report.subject = x;
  report.from = day_of(at("2026-11-25"));
  report.to = day_of(at("2026-11-28"));
  report.unique_visitors = 5;
  report.unattributed_conversions = 2;
  report.days = {{report.from + 1, 6, 3}, {report.to, 2, 3}};
  report.variants = {{x.variants[0].id, 6, 3, 3},
                     {x.variants[1].id, 2, 2, 1},
                     {uuid{}, 0, 1, 0}};
  conversion c;
  c.id = x.id;
  c.link_id = x.id;
  c.created_at = at("2026-11-27");
  report.conversions.push_back(c);
  report.top[0] = {{"DE", 5, 1}, {"unknown", 3, 4}};
  report.excluded = {1, 2, 3, 4};
  auto out = api(get_m, "/public/links/" + x.id.str()
                          + "/analytics?from_date=2026-11-25"
                            "&to_date=2026-11-28");
  ASSERT_EQ(out->status(), 200);
  EXPECT_EQ(actors.days.first, report.from);
  EXPECT_EQ(actors.days.second, report.to);
  const auto body = out->json().as_object();
  std::vector<std::string> names;
  for (const auto& member : body)
    names.emplace_back(member.key());
  EXPECT_EQ(names, (std::vector<std::string>{
                     "link_id", "from_date", "to_date", "total_clicks",
                     "total_conversions", "unattributed_conversions",
                     "conversion_rate", "unique_visitors", "daily_stats",
                     "variant_performance", "conversion_events",
                     "top_countries", "top_referrers", "top_browsers",
                     "top_devices", "top_operating_systems", "excluded"}));
  EXPECT_EQ(body.at("from_date"), "2026-11-25");
  EXPECT_EQ(body.at("to_date"), "2026-11-28");
  EXPECT_EQ(body.at("total_clicks"), 8);
  EXPECT_EQ(body.at("total_conversions"), 6);
  EXPECT_EQ(body.at("conversion_rate"), 0.5);
  EXPECT_EQ(boost::json::serialize(body.at("daily_stats")),
            R"([{"date":"2026-11-25","clicks":0,"conversions":0},)"
            R"({"date":"2026-11-26","clicks":6,"conversions":3},)"
            R"({"date":"2026-11-27","clicks":0,"conversions":0},)"
            R"({"date":"2026-11-28","clicks":2,"conversions":3}])");
  const auto& variants = body.at("variant_performance").as_array();
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[0].at("conversion_rate"), 0.5);
  EXPECT_EQ(variants[0].at("retired"), false);
  EXPECT_EQ(variants[1].at("retired"), true);
  EXPECT_EQ(variants[1].at("conversions"), 2);
  EXPECT_EQ(body.at("conversion_events").at(0).at("variant_label"), nullptr);
  EXPECT_EQ(boost::json::serialize(body.at("top_countries")),
            R"([{"value":"DE","clicks":5,"conversions":1},)"
            R"({"value":"unknown","clicks":3,"conversions":4}])");
  EXPECT_EQ(boost::json::serialize(body.at("excluded")),
            R"({"head":1,"prefetch":2,"preview":3,"crawler":4})");
}

TEST_F(reports, analytics_without_clicks_have_rates_of_zero) {
  auto x = add_link();
  actors.report.subject = x;
  auto out = api(get_m, "/public/links/" + x.id.str() + "/analytics");
  ASSERT_EQ(out->status(), 200);
  EXPECT_FALSE(actors.days.first.has_value());
  EXPECT_EQ(out->json().at("conversion_rate").as_double(), 0.0);
  EXPECT_EQ(out->json().at("variant_performance").at(0).at("clicks"), 0);
  EXPECT_EQ(api(get_m, "/public/links/" + x.id.str()
                         + "/analytics?from_date=2026-02-30")
              ->status(),
            400);
}

TEST_F(reports, conversions_are_read_and_shown) {
  const auto link_id = add_link().id.str();
  const std::string click_id = "00000000-0000-7000-8000-0000000003aa";
  const auto path = "/public/conversions";
  const auto post = http_method::post;
  auto out = api(post, path,
                 R"({"click_id":")" + click_id
                   + R"(","event_id":"e-1","value":12.5,)"
                     R"("currency":"EUR"})");
  ASSERT_EQ(out->status(), 201);
  std::vector<std::string> names;
  const auto body = out->json();
  for (const auto& member : body.as_object())
    names.emplace_back(member.key());
  EXPECT_EQ(names, (std::vector<std::string>{"id", "link_id", "variant_id",
                                             "click_id", "event_id", "value",
                                             "currency", "created_at"}));
  EXPECT_EQ(out->json().at("value"), "12.5");
  EXPECT_EQ(out->json().at("variant_id"), nullptr);
  auto sent = actors.conversions.back();
  EXPECT_FALSE(sent.may_be_unattributed);
  EXPECT_EQ(sent.click_id.str(), click_id);
  EXPECT_TRUE(sent.id);
  actors.conversion_is_new = false;
  EXPECT_EQ(api(post, path, R"({"click_id":")" + click_id + "\"}")->status(),
            200);
  out = api(post, path,
            R"({"link_id":")" + link_id
              + R"(","click_id":null,"value":"0.10","occurred_at":)"
                R"("2026-01-02T03:04:05Z"})");
  EXPECT_EQ(out->status(), 200);
  sent = actors.conversions.back();
  EXPECT_TRUE(sent.may_be_unattributed);
  EXPECT_EQ(sent.value, "0.10");
  EXPECT_EQ(sent.occurred_at, at("2026-01-02T03:04:05Z"));
  EXPECT_NE(sent.visitors[0], 0) << "the caller may be the visitor";
  actors.convert_error = make_error(ec::not_found, "Click not found");
  out = api(post, path, R"({"click_id":")" + click_id + "\"}");
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->detail(), "Click not found");
}

TEST_F(reports, bad_conversions_are_refused) {
  const auto link_id = R"("link_id":")" + add_link().id.str() + "\"";
  auto expect = [&](const std::string& body, const std::string& detail) {
    auto out = api(http_method::post, "/public/conversions", body);
    EXPECT_EQ(out->status(), 422) << body;
    EXPECT_EQ(out->detail(), detail) << body;
  };
  auto with
    = [&](const std::string& more) { return "{" + link_id + "," + more + "}"; };
  expect("{}", "field required: click_id or link_id");
  expect(R"({"click_id":null})", "field required: click_id or link_id");
  expect(R"({"click_id":5,"link_id":6})", "click_id must be a UUID");
  expect(with(R"("variant_id":"x")"), "variant_id must be a UUID");
  expect(with(R"("event_id":5)"), "event_id must be a string");
  for (std::string bad : {std::string{}, std::string(256, 'e')})
    expect(with(R"("event_id":")" + bad + "\""),
           "event_id must be 1 to 255 characters without control characters");
  for (std::string bad : {"-1", "\"-1\"", "\"1,5\"", "\"abc\"", "true", "1e300",
                          "\"1e3\"", "\".5\"", "\"1.\"", "1e-12"})
    expect(with("\"value\":" + bad),
           "value must be a decimal number of at least 0, with at most 18 "
           "digits before and 9 after the point");
  for (std::string bad : {"eur", "XYZ", "EURO", ""})
    expect(with(R"("currency":")" + bad + "\""),
           "currency must be an upper-case ISO 4217 code");
  expect(with(R"("currency":978)"), "currency must be a string");
  expect(with(R"("occurred_at":"yesterday")"),
         "occurred_at must be an ISO 8601 date-time");
  expect(with(R"("occurred_at":"9999-01-01T00:00:00Z")"),
         "occurred_at must not be in the future");
  EXPECT_TRUE(actors.conversions.empty());
}
