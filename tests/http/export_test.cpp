#include "http/codec/clicks_csv.hpp"
#include "tests/http/fixture.hpp"

#include <algorithm>

using namespace turnout;
using namespace turnout::test;

namespace {

const std::string header_line
  = "id,link_id,variant_id,ip_address,user_agent,referrer,country,"
    "is_conversion,created_at\r\n";

class clicks_export : public http_test {
public:
  clicks_export() : subject{add_link()} {
    // nop
  }

  std::shared_ptr<outcome> csv(const std::string& query = "") {
    return api(http_method::get,
               "/public/links/" + subject.id.str() + "/clicks.csv" + query);
  }

  /// Adds clicks, the newest first.
  void add_clicks(int n) {
    for (int i = n; i > 0; --i) {
      click_row x;
      x.id = uuid{0x0190000000000000u + static_cast<uint64_t>(i), 7};
      x.variant_id = subject.variants[0].id;
      x.ip_address = "8.8.8.0";
      x.user_agent = "agent";
      x.created_at = timestamp{std::chrono::hours{480001}};
      actors.all_clicks.push_back(x);
    }
  }

  static auto lines(const outcome& x) {
    return std::count(x.last->body.begin(), x.last->body.end(), '\n');
  }

  turnout::link subject;
};

std::string field(std::string_view value) {
  std::string result;
  append_csv_field(result, value);
  return result;
}

} // namespace

TEST(csv_field, is_quoted_where_it_must_be) {
  EXPECT_EQ(field(""), "");
  EXPECT_EQ(field("plain text"), "plain text");
  EXPECT_EQ(field("a,b"), "\"a,b\"");
  EXPECT_EQ(field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(field("a\r\nb"), "\"a\r\nb\"");
  EXPECT_EQ(field("\n"), "\"\n\"");
  // Data stays data, also what a spreadsheet would compute.
  EXPECT_EQ(field("=1+1"), "=1+1");
}

TEST_F(clicks_export, has_every_field_under_its_name) {
  add_clicks(1);
  auto& x = actors.all_clicks[0];
  x.user_agent = "a \"b\", c";
  x.referrer = "https://r.example/?a,b";
  x.country = "DE";
  x.is_conversion = true;
  auto out = csv();
  EXPECT_EQ(out->status(), 200);
  EXPECT_EQ(out->header("Content-Type"), "text/csv; charset=utf-8");
  EXPECT_EQ(out->header("Content-Disposition"),
            "attachment; filename=\"clicks-" + subject.id.str() + ".csv\"");
  EXPECT_EQ(out->header("X-RateLimit-Limit"), "1000");
  EXPECT_EQ(out->header("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(out->last->body,
            header_line + x.id.str() + "," + subject.id.str() + ","
              + x.variant_id.str()
              + ",8.8.8.0,\"a \"\"b\"\", c\",\"https://r.example/?a,b\",DE,"
                "true,"
              + to_iso8601(x.created_at) + "\r\n");
  EXPECT_EQ(out->complete, true);
}

TEST_F(clicks_export, of_a_link_without_clicks_is_the_header) {
  auto out = csv();
  EXPECT_EQ(out->last->body, header_line);
  EXPECT_EQ(out->complete, true);
}

TEST_F(clicks_export, comes_part_by_part) {
  for (auto n : {499, 500, 501, 1000, 2300}) {
    actors.all_clicks.clear();
    actors.before_ids.clear();
    add_clicks(n);
    auto out = csv();
    EXPECT_EQ(lines(*out), n + 1);
    EXPECT_EQ(out->complete, true);
    // A full part may be the last one, which only the next one tells.
    EXPECT_EQ(actors.before_ids.size(), static_cast<size_t>(n / 500 + 1));
    EXPECT_FALSE(actors.before_ids[0]);
    for (auto size : out->parts)
      EXPECT_LT(size, 100'000u);
  }
}

TEST_F(clicks_export, takes_ranges_of_any_length) {
  auto out = csv("?start_date=2020-01-01&end_date=2026-01-01");
  EXPECT_EQ(out->status(), 200);
  EXPECT_EQ(to_iso8601(*actors.range.from), "2020-01-01T00:00:00.000Z");
  EXPECT_EQ(to_iso8601(*actors.range.until), "2026-01-02T00:00:00.000Z");
  csv("?end_date=2026-01-01");
  EXPECT_FALSE(actors.range.from);
  csv();
  EXPECT_FALSE(actors.range.from || actors.range.until);
  EXPECT_EQ(csv("?start_date=x")->status(), 400);
  EXPECT_EQ(csv("?start_date=2026-01-02&end_date=2026-01-01")->status(), 400);
}

TEST_F(clicks_export, errors_before_the_first_row_are_answers) {
  EXPECT_EQ(api(http_method::get, "/public/links/abc/clicks.csv")->status(),
            400);
  auto out = api(http_method::get,
                 "/public/links/" + actors.owner.str() + "/clicks.csv");
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->detail(), "Link not found");
  actors.clicks_error = make_error(ec::unavailable, "SELECT failed");
  EXPECT_EQ(csv()->status(), 503);
  EXPECT_EQ(where.exports, 0);
}

TEST_F(clicks_export, a_failure_in_the_middle_leaves_it_incomplete) {
  add_clicks(1200);
  actors.clicks_error = make_error(ec::unavailable, "SELECT failed");
  actors.pages_before_error = 1;
  auto out = csv();
  EXPECT_EQ(out->status(), 200);
  EXPECT_EQ(lines(*out), 501);
  EXPECT_EQ(out->complete, false);
  EXPECT_EQ(where.exports, 0);
}

TEST_F(clicks_export, ends_when_the_client_has_left) {
  add_clicks(1200);
  auto out = std::make_shared<outcome>();
  out->client_left = true;
  route_request(where, std::make_shared<fake_exchange>(
                         call_spec{http_method::get,
                                   "/api/v1/public/links/" + subject.id.str()
                                     + "/clicks.csv",
                                   {{"X-API-Key", fake_service::secret_key}},
                                   ""},
                         out));
  EXPECT_EQ(out->complete, false);
  EXPECT_EQ(actors.before_ids.size(), 1u);
  EXPECT_EQ(where.exports, 0);
}

TEST_F(clicks_export, too_many_at_a_time_are_503) {
  where.exports = 64;
  auto out = csv();
  EXPECT_EQ(out->status(), 503);
  EXPECT_EQ(out->header("Retry-After"), "1");
  EXPECT_EQ(where.exports, 64);
  EXPECT_EQ(counters.exports_refused->Value(), 1.0);
  where.exports = 63;
  EXPECT_EQ(csv()->status(), 200);
  EXPECT_EQ(counters.exports_refused->Value(), 1.0);
  EXPECT_EQ(counters.exports_running->Value(), 0.0);
}
