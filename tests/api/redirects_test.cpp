#include "tests/api/harness/api_test.hpp"

#include <set>

using namespace turnout::test;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

namespace {

class redirects_test : public api_test {
protected:
  /// Returns the Location of a visit with a query.
  std::string location(const std::string& slug, const std::string& query) {
    return visit(slug + "?" + query).header("location");
  }
};

class cookie_test : public api_test {};

/// Sum of the squared deviations over the expected counts.
double chi_square(const std::map<std::string, int>& seen,
                  const std::map<std::string, double>& expected) {
  double result = 0;
  for (auto& [place, n] : expected) {
    auto i = seen.find(place);
    auto difference = (i == seen.end() ? 0 : i->second) - n;
    result += difference * difference / n;
  }
  return result;
}

std::string attribute(const response& x, const std::string& name) {
  for (auto& value : x.all("set-cookie")) {
    if (value.rfind("svc_v_", 0) != 0)
      continue;
    auto pos = value.find("; " + name);
    if (pos == std::string::npos)
      return "absent";
    auto end = value.find(';', pos + 1);
    return value.substr(pos + 2,
                        end == std::string::npos ? end : end - pos - 2);
  }
  return "no cookie";
}

} // namespace

TEST_F(redirects_test, the_answer_of_a_visit) {
  make_single("d-1", "https://a.example/landing?x=1#top");
  auto answer = visit("d-1");
  EXPECT_EQ(answer.status, 302);
  EXPECT_EQ(answer.header("location"), "https://a.example/landing?x=1#top");
  EXPECT_EQ(answer.header("cache-control"), "no-store");
  EXPECT_EQ(answer.header("referrer-policy"), "no-referrer-when-downgrade");
  EXPECT_EQ(answer.header("content-length"), "0");
  EXPECT_EQ(answer.body, "");
}

TEST_F(redirects_test, visits_need_no_key_and_take_none) {
  make_single("d-1");
  auto answer = send(
    "GET", "/d-1", {{"X-API-Key", "svc_sk_nonsense"}, {"User-Agent", browser}});
  EXPECT_EQ(answer.status, 302);
  EXPECT_FALSE(answer.has("x-ratelimit-limit"));
}

TEST_F(redirects_test, traffic_follows_the_weights) {
  auto link = make_link(
    {{"name", "x"},
     {"slug", "weights"},
     {"variants", json::array{variant_body("a", "https://a.example/", 50),
                              variant_body("b", "https://b.example/", 30),
                              variant_body("c", "https://c.example/", 17),
                              variant_body("d", "https://d.example/", 3),
                              variant_body("z", "https://z.example/", 0)}}});
  constexpr int n = 4000;
  auto seen = visit_many("weights", n);
  EXPECT_EQ(seen.count("https://z.example/"), 0u);
  // Three degrees of freedom: above 38 once in 30 million runs.
  EXPECT_LT(chi_square(seen, {{"https://a.example/", n * 0.5},
                              {"https://b.example/", n * 0.3},
                              {"https://c.example/", n * 0.17},
                              {"https://d.example/", n * 0.03}}),
            38);
  expect_counts(link, n);
  auto rows = analytics(link).at("variant_performance");
  for (std::string label : {"a", "b", "c", "d"})
    EXPECT_EQ(number(by_label(rows, label), "clicks"),
              seen["https://" + label + ".example/"]);
  EXPECT_EQ(number(by_label(rows, "z"), "clicks"), 0);
}

TEST_F(redirects_test, draws_are_independent_of_each_other) {
  auto link = make_split();
  auto slug = text(link, "slug");
  // Of 1,000 pairs of visits in a row about half go to the same place; a
  // round robin gives none.
  int same = 0;
  for (int i = 0; i < 1000; ++i)
    same += visit(slug).header("location") == visit(slug).header("location");
  EXPECT_GT(same, 400);
  EXPECT_LT(same, 600);
}

TEST_F(redirects_test, case_28_destinations_stay_as_they_are) {
  auto url = "https://app.example/c?email=jo%2Btest%40mail.example";
  make_single("d-1", url);
  EXPECT_EQ(visit("d-1").header("location"), url);
  EXPECT_EQ(location("d-1", "b=%2B%40"), std::string{url} + "&b=%2B%40");
}

TEST_F(redirects_test, case_31_query_parameters_pass_in_order) {
  make_single("d-1", "https://a.example/?own=1");
  make_single("d-2", "https://a.example/p");
  EXPECT_EQ(location("d-1", "flag&empty=&a=1&a=2"),
            "https://a.example/?own=1&flag&empty=&a=1&a=2");
  EXPECT_EQ(location("d-2", "flag&empty=&a=1&a=2"),
            "https://a.example/p?flag&empty=&a=1&a=2");
  EXPECT_EQ(location("d-2", ""), "https://a.example/p");
}

TEST_F(redirects_test, case_32_query_names_arrive_as_sent) {
  make_single("d-1", "https://a.example/");
  EXPECT_EQ(location("d-1", "my%20key=1&a.b=2&x[]=3"),
            "https://a.example/?my%20key=1&a.b=2&x[]=3");
  EXPECT_EQ(location("d-1", "q=a+b&%C3%A9=%c3%a9&x==&y=%"),
            "https://a.example/?q=a+b&%C3%A9=%c3%a9&x==&y=%");
}

TEST_F(redirects_test, case_33_the_owners_parameters_win) {
  make_single("d-1", "https://a.example/?utm_source=own");
  EXPECT_EQ(location("d-1", "utm_source=other"),
            "https://a.example/?utm_source=own");
  EXPECT_EQ(location("d-1", "utm%5Fsource=other&utm_medium=m"),
            "https://a.example/?utm_source=own&utm_medium=m");
}

TEST_F(redirects_test, query_parameters_stand_before_the_fragment) {
  make_single("d-1", "https://a.example/#part?not=query");
  EXPECT_EQ(location("d-1", "x=1"), "https://a.example/?x=1#part?not=query");
  make_single("d-2", "https://a.example/?a=1#part");
  EXPECT_EQ(location("d-2", "x=1"), "https://a.example/?a=1&x=1#part");
  make_single("d-3", "https://a.example");
  EXPECT_THAT(location("d-3", "x=1"),
              AnyOf("https://a.example?x=1", "https://a.example/?x=1"));
}

TEST_F(redirects_test, a_query_cannot_break_out_of_the_header) {
  make_single("d-1", "https://a.example/");
  auto answer = visit("d-1?x=%0d%0aSet-Cookie:%20evil=1");
  EXPECT_EQ(answer.header("location"),
            "https://a.example/?x=%0d%0aSet-Cookie:%20evil=1");
  for (auto& cookie : answer.all("set-cookie"))
    EXPECT_THAT(cookie, Not(HasSubstr("evil")));
}

TEST_F(redirects_test, case_42_head_keeps_the_connection_in_step) {
  auto link = make_single("d-1");
  raw_socket sock{service->port()};
  auto rest
    = " /d-1 HTTP/1.1\r\nHost: x\r\nUser-Agent: " + browser + "\r\n\r\n";
  ASSERT_TRUE(sock.send("HEAD" + rest));
  auto head = sock.receive(true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 302);
  EXPECT_EQ(head->header("location"), "https://a.example/");
  EXPECT_LE(head->all("content-length").size(), 1u);
  ASSERT_TRUE(sock.send("GET" + rest));
  auto answer = sock.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 302);
  EXPECT_EQ(answer->all("content-length"), std::vector<std::string>{"0"});
  EXPECT_EQ(sock.rest(), "");
  settle();
  expect_counts(link, 1);
}

TEST_F(redirects_test, head_of_an_unknown_slug_has_no_body) {
  raw_socket sock{service->port()};
  ASSERT_TRUE(sock.send("HEAD /unknown-1 HTTP/1.1\r\nHost: x\r\n\r\n"
                        "GET /unknown-1 HTTP/1.1\r\nHost: x\r\n\r\n"));
  auto head = sock.receive(true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 404);
  auto answer = sock.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 404);
}

TEST_F(redirects_test, pipelined_visits_are_answered_in_order) {
  make_single("d-1");
  raw_socket sock{service->port()};
  std::string bytes;
  for (int i = 0; i < 10; ++i)
    bytes += "GET /d-1?n=" + std::to_string(i)
             + " HTTP/1.1\r\nHost: x\r\nUser-Agent: " + browser + "\r\n\r\n";
  ASSERT_TRUE(sock.send(bytes));
  for (int i = 0; i < 10; ++i) {
    auto answer = sock.receive();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->header("location"),
              "https://a.example/?n=" + std::to_string(i));
  }
}

TEST_F(redirects_test, case_53_other_methods_are_refused) {
  auto link = make_single("d-1");
  for (auto method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
    SCOPED_TRACE(method);
    auto answer = send(method, "/d-1", {{"User-Agent", browser}});
    EXPECT_EQ(answer.status, 405);
    EXPECT_THAT(answer.header("allow"), HasSubstr("GET"));
    EXPECT_THAT(answer.header("allow"), HasSubstr("HEAD"));
    EXPECT_FALSE(answer.has("location"));
  }
  expect_no_counts(link);
}

TEST_F(redirects_test, an_unknown_slug_is_a_page_for_browsers) {
  auto page = visit("unknown-1", {{"Accept", "text/html,*/*;q=0.8"}});
  EXPECT_EQ(page.status, 404);
  EXPECT_THAT(page.header("content-type"), HasSubstr("text/html"));
  EXPECT_THAT(page.body, HasSubstr("<"));
  EXPECT_EQ(page.header("cache-control"), "no-store");
  EXPECT_FALSE(page.has("set-cookie"));
  auto other = visit("unknown-1", {{"Accept", "application/json"}});
  expect_error(other, 404);
  EXPECT_EQ(other.header("cache-control"), "no-store");
}

TEST_F(redirects_test, the_page_shows_nothing_of_the_request) {
  auto page
    = visit("%3Cscript%3Ealert(1)%3C/script%3E", {{"Accept", "text/html"}});
  EXPECT_EQ(page.status, 404);
  EXPECT_THAT(page.body, Not(HasSubstr("alert(1)")));
}

TEST_F(redirects_test, paths_of_more_segments_are_no_links) {
  make_single("d-1");
  EXPECT_EQ(visit("d-1/more").status, 404);
  EXPECT_EQ(visit("x/d-1").status, 404);
}

TEST_F(redirects_test, case_35_long_headers_are_cut_and_counted) {
  auto link = make_single("d-1");
  std::string query = "q=" + std::string(16 * 1024, 'x');
  std::string bytes
    = "GET /d-1?" + query + " HTTP/1.1\r\nHost: x\r\nUser-Agent: Mozilla/5.0 "
      + std::string(8 * 1024, 'u') + "\r\nReferer: https://r.example/"
      + std::string(10 * 1024, 'r') + "\r\n\r\n";
  auto answer = raw_exchange(service->port(), bytes);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 302);
  EXPECT_EQ(answer->header("location"), "https://a.example/?" + query);
  bytes = "GET /d-1 HTTP/1.1\r\nHost: x\r\nUser-Agent: Mozilla/5.0 \xFF\xFE\r\n"
          "Referer: https://r.example/\xC3\x28\xFF\r\n\r\n";
  answer = raw_exchange(service->port(), bytes);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 302);
  expect_counts(link, 2);
  auto body = clicks(link);
  for (auto& click : body.at("items").as_array()) {
    EXPECT_LE(text(click, "user_agent").size(), 512u);
    if (!click.at("referrer").is_null()) {
      EXPECT_LE(text(click, "referrer").size(), 2048u);
    }
  }
}

TEST_F(cookie_test, its_name_value_and_attributes) {
  auto link = make_split();
  auto answer = visit(text(link, "slug"));
  auto cookie = sticky_cookie(answer);
  EXPECT_EQ(answer.all("set-cookie").size(), 1u);
  EXPECT_EQ(cookie.name, "svc_v_" + text(link, "id"));
  auto label = answer.header("location") == "https://a.example/" ? "a" : "b";
  EXPECT_EQ(cookie.variant_id, variant_id(link, label));
  EXPECT_THAT(cookie.click_id, is_uuid());
  EXPECT_EQ(attribute(answer, "HttpOnly"), "HttpOnly");
  EXPECT_EQ(attribute(answer, "SameSite"), "SameSite=Lax");
  EXPECT_EQ(attribute(answer, "Max-Age"), "Max-Age=2592000");
  EXPECT_EQ(attribute(answer, "Path"), "Path=/");
  EXPECT_EQ(attribute(answer, "Secure"), "absent");
  // The click list has the click under the same id.
  expect_counts(link, 1);
  auto click = clicks(link).at("items").at(0);
  EXPECT_EQ(text(click, "id"), cookie.click_id);
  EXPECT_EQ(text(click, "variant_id"), cookie.variant_id);
}

TEST_F(cookie_test, a_returning_visitor_stays_on_its_variant) {
  auto link = make_split();
  auto slug = text(link, "slug");
  for (int visitor = 0; visitor < 5; ++visitor) {
    auto first = visit(slug);
    auto cookie = sticky_cookie(first);
    std::set<std::string> clicks{cookie.click_id};
    for (int i = 0; i < 15; ++i) {
      auto again = visit(slug, {{"Cookie", cookie.header()}});
      EXPECT_EQ(again.header("location"), first.header("location"));
      auto next = sticky_cookie(again);
      EXPECT_EQ(next.variant_id, cookie.variant_id);
      EXPECT_TRUE(clicks.insert(next.click_id).second);
    }
  }
  // Repeat visits are clicks.
  expect_counts(link, 80);
}

TEST_F(cookie_test, it_is_found_among_other_cookies) {
  auto link = make_split();
  auto slug = text(link, "slug");
  auto first = visit(slug);
  auto header
    = "theme=dark; " + sticky_cookie(first).header() + "; session=\"x y\"";
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(visit(slug, {{"Cookie", header}}).header("location"),
              first.header("location"));
}

TEST_F(cookie_test, a_variant_without_weight_is_left) {
  auto link = make_split(100, 0);
  auto slug = text(link, "slug");
  auto cookie = sticky_cookie(visit(slug));
  ASSERT_EQ(put(path_of(link, "/variants"), two_variants(0, 100)).status, 200);
  auto answer = visit(slug, {{"Cookie", cookie.header()}});
  EXPECT_EQ(answer.header("location"), "https://b.example/");
  EXPECT_EQ(sticky_cookie(answer).variant_id, variant_id(link, "b"));
}

TEST_F(cookie_test, a_promoted_winner_comes_first) {
  auto link = make_split(100, 0);
  auto slug = text(link, "slug");
  auto cookie = sticky_cookie(visit(slug));
  ASSERT_EQ(post(path_of(link, "/promote-winner"),
                 {{"variant_id", variant_id(link, "b")}})
              .status,
            200);
  EXPECT_EQ(visit(slug, {{"Cookie", cookie.header()}}).header("location"),
            "https://b.example/");
}

TEST_F(cookie_test, it_means_nothing_on_a_geo_link) {
  auto link = make_split(100, 0);
  auto slug = text(link, "slug");
  auto cookie = sticky_cookie(visit(slug));
  ASSERT_EQ(put(path_of(link),
                {{"routing_type", "geo"}, {"geo_rules", {{"default", "b"}}}})
              .status,
            200);
  EXPECT_EQ(visit(slug, {{"Cookie", cookie.header()}}).header("location"),
            "https://b.example/");
}

TEST_F(cookie_test, cookies_of_other_links_and_junk_are_ignored) {
  auto link = make_split();
  auto other = make_split();
  auto slug = text(link, "slug");
  auto foreign = sticky_cookie(visit(text(other, "slug")));
  auto own = "svc_v_" + text(link, "id");
  auto cookie = sticky_cookie(visit(slug));
  for (auto& header :
       {foreign.header(),
        own + "=" + foreign.variant_id + "." + foreign.click_id, own + "=",
        own + "=junk", own + "=.", own, std::string{"=;;=;"},
        own + "=" + cookie.variant_id, own + "=" + std::string(4000, 'x')}) {
    SCOPED_TRACE(header.substr(0, 100));
    // 40 draws of one side have a chance of 2 in a million million.
    EXPECT_EQ(visit_many(slug, 40, {{"Cookie", header}}).size(), 2u);
  }
}

namespace {

class no_sticky_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_REDIRECT_STICKY", "false"}};
  }
};

class no_passthrough_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_REDIRECT_QUERY_PASSTHROUGH", "false"}};
  }
};

class https_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_HTTP_SHORT_BASE", "https://go.example"}};
  }
};

class click_id_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_REDIRECT_CLICK_ID_PARAMETER", "svc_click"}};
  }
};

} // namespace

TEST_F(no_sticky_test, every_visit_draws_anew) {
  auto link = make_split();
  auto slug = text(link, "slug");
  auto cookie = "svc_v_" + text(link, "id") + "=" + variant_id(link, "a") + "."
                + unknown_id;
  EXPECT_EQ(visit_many(slug, 40, {{"Cookie", cookie}}).size(), 2u);
}

TEST_F(no_passthrough_test, case_02_queries_stay_here) {
  make_single("d-1", "https://a.example/?own=1");
  EXPECT_EQ(visit("d-1?x=1").header("location"), "https://a.example/?own=1");
  EXPECT_EQ(visit("d-1/?x=1").header("location"), "https://a.example/?own=1");
}

TEST_F(https_test, the_cookie_is_secure_when_short_links_are) {
  auto answer = visit(text(make_split(), "slug"));
  EXPECT_EQ(attribute(answer, "Secure"), "Secure");
}

TEST_F(click_id_test, the_destination_gets_the_click_id) {
  make_single("d-1", "https://a.example/?own=1#part");
  auto answer = visit("d-1?x=1");
  auto click = sticky_cookie(answer).click_id;
  auto location = answer.header("location");
  EXPECT_THAT(location, HasSubstr("svc_click=" + click));
  EXPECT_THAT(location, HasSubstr("own=1"));
  EXPECT_THAT(location, HasSubstr("x=1"));
  EXPECT_THAT(location, testing::EndsWith("#part"));
}

TEST_F(click_id_test, a_query_cannot_bring_another_click) {
  make_single("d-1", "https://a.example/?own=1");
  auto answer = visit("d-1?svc_click=" + unknown_id + "&x=1");
  EXPECT_EQ(answer.header("location"), "https://a.example/?own=1&svc_click="
                                         + sticky_cookie(answer).click_id
                                         + "&x=1");
}
