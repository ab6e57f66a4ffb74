#include "core/cookie.hpp"
#include "http/visit_reply.hpp"
#include "tests/http/fixture.hpp"

#include <thread>

using namespace turnout;
using namespace turnout::test;

namespace {

constexpr auto browser
  = "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0";

redirect_answer to_a() {
  redirect_answer result;
  result.location = "https://a.example/?x=1";
  result.cookie = "svc_v_1=2";
  result.record = click{};
  return result;
}

class visits : public http_test {
public:
  visits() {
    actors.on_resolve = [](visit_ptr x) {
      if (x->request().excluded) {
        auto answer = to_a();
        answer.cookie.clear();
        answer.record = excluded_visit{1, *x->request().excluded, {}};
        x->redirect(std::move(answer));
      } else {
        x->redirect(to_a());
      }
    };
  }

  std::shared_ptr<outcome>
  hit(std::vector<std::pair<std::string, std::string>> headers,
      http_method method = http_method::get, std::string peer = "198.41.0.4") {
    return send({method, "/promo-24", std::move(headers), "", std::move(peer)});
  }
};

} // namespace

TEST_F(visits, a_redirect_has_all_headers_and_no_body) {
  auto out = hit({{"User-Agent", browser}});
  EXPECT_EQ(out->status(), 302);
  EXPECT_EQ(out->header("Location"), "https://a.example/?x=1");
  EXPECT_EQ(out->header("Cache-Control"), "no-store");
  EXPECT_EQ(out->header("Referrer-Policy"), "no-referrer-when-downgrade");
  EXPECT_EQ(out->header("Set-Cookie"),
            "svc_v_1=2; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax; "
            "Secure");
  EXPECT_TRUE(out->last->body.empty());
  EXPECT_EQ(out->answers, 1);
  EXPECT_EQ(counters.redirects_found->Value(), 1.0);
}

TEST_F(visits, cookies_are_secure_on_https_only) {
  where.short_base = "http://s.example";
  auto options = test_settings();
  options.http.short_base = "http://s.example/";
  site plain{actors, options, counters, geo, 1};
  EXPECT_EQ(plain.cookie_attributes,
            "; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax");
  EXPECT_EQ(plain.own_host, "s.example");
}

TEST_F(visits, slash_at_the_end_and_encoding_lead_to_the_same_link) {
  for (auto target : {"/promo-24", "/promo-24/", "/%70romo-24", "/promo%2D24/",
                      "http://s.example/promo-24", "/promo-24?x#y"}) {
    EXPECT_EQ(get(target)->status(), 302) << target;
    EXPECT_EQ(actors.last_visit.slug, "promo-24") << target;
  }
}

TEST_F(visits, what_cannot_be_a_slug_is_not_asked_for) {
  for (auto target : {"/ab",          "/a.b.c",
                      "/a%2Fb",       "/promo%zz",
                      "/promo%",      "/promo-24//",
                      "/x/y/z",       "/..",
                      "/caf%C3%A9",   "/assets",
                      "/metrics",     "/HEALTHZ",
                      "/DOCS",        "/a123456789012345678901234567890bc",
                      "/c/",          "/c/x",
                      "/d.js",        "*",
                      "/sitemap.xml", "/.well-known/acme"}) {
    auto out = get(target);
    EXPECT_EQ(out->status(), 404) << target;
    EXPECT_EQ(out->header("Cache-Control"), "no-store") << target;
  }
  EXPECT_EQ(actors.visits, 0);
}

TEST_F(visits, own_pages_do_not_count) {
  EXPECT_EQ(get("/")->status(), 302);
  auto out = get("/robots.txt");
  EXPECT_EQ(out->status(), 200);
  EXPECT_EQ(out->header("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(get("/favicon.ico")->status(), 204);
  EXPECT_EQ(actors.visits, 0);
  EXPECT_TRUE(actors.journaled.empty());
}

TEST_F(visits, other_methods_are_405) {
  for (auto method : {http_method::post, http_method::put, http_method::del,
                      http_method::options, http_method::other})
    for (auto target : {"/promo-24", "/", "/x/y", "/c/1.gif"}) {
      auto out = send({method, target, {}, ""});
      EXPECT_EQ(out->status(), 405);
      EXPECT_EQ(out->header("Allow"), "GET, HEAD");
    }
  EXPECT_EQ(actors.visits, 0);
}

TEST_F(visits, not_found_is_a_page_for_browsers_and_json_otherwise) {
  actors.on_resolve = [](visit_ptr x) { x->not_found(); };
  auto out = hit({{"Accept", "text/html,application/xhtml+xml"}});
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(out->header("Cache-Control"), "no-store");
  out = hit({{"Accept", "*/*"}});
  EXPECT_EQ(out->last->body, R"({"detail":"Link not found"})");
  EXPECT_EQ(out->header("Set-Cookie"), "");
  EXPECT_EQ(counters.redirects_not_found->Value(), 2.0);
}

TEST_F(visits, the_request_is_read_and_anonymised) {
  hit({{"User-Agent", browser},
       {"Referer", "https://news.example/a?x=1"},
       {"Cookie", "a=b"},
       {"Cookie", "c=d"}},
      http_method::get, "198.41.7.9");
  const auto& x = actors.last_visit;
  EXPECT_EQ(x.ip_address, "198.41.7.0");
  EXPECT_EQ(x.user_agent, browser);
  EXPECT_EQ(x.referrer, "https://news.example/a?x=1");
  EXPECT_EQ(x.cookies, "a=b; c=d");
  EXPECT_EQ(x.country, "");
  EXPECT_FALSE(x.excluded.has_value());
  const auto visitor = x.visitor;
  EXPECT_NE(visitor, 0);
  hit({{"User-Agent", browser}}, http_method::get, "198.41.7.9");
  EXPECT_EQ(actors.last_visit.visitor, visitor);
  EXPECT_EQ(actors.last_visit.referrer, "");
  hit({{"User-Agent", browser}}, http_method::get, "198.41.7.8");
  EXPECT_NE(actors.last_visit.visitor, visitor)
    << "the key is made of the full address";
  send({http_method::get, "/promo-24?flag&empty=&a=1&a=2&my%20key=1", {}, ""});
  EXPECT_EQ(actors.last_visit.query, "flag&empty=&a=1&a=2&my%20key=1");
}

TEST_F(visits, long_and_broken_headers_are_cut) {
  auto out = hit({{"User-Agent", std::string(8192, 'u')},
                  {"Referer", "https://r.example/" + std::string(10240, 'r')}});
  EXPECT_EQ(out->status(), 302);
  EXPECT_EQ(actors.last_visit.user_agent.size(), 512u);
  EXPECT_LE(actors.last_visit.referrer.size(), 2048u);
  for (auto junk : {"not a url", "\xff\xfe", "https://s.example/promo-24"}) {
    EXPECT_EQ(hit({{"Referer", junk}})->status(), 302);
    EXPECT_EQ(actors.last_visit.referrer, "") << junk;
  }
  out = get("/promo-24?" + std::string(16384, 'q'));
  EXPECT_EQ(out->status(), 302);
}

TEST_F(visits, some_visits_are_excluded_and_counted_by_reason) {
  const std::tuple<http_method, std::string, std::string, exclusion> cases[] = {
    {http_method::head, "User-Agent", browser, exclusion::head},
    {http_method::get, "Sec-Purpose", "prefetch;prerender",
     exclusion::prefetch},
    {http_method::get, "Purpose", "prefetch", exclusion::prefetch},
    {http_method::get, "X-Moz", "prefetch", exclusion::prefetch},
    {http_method::get, "User-Agent", "WhatsApp/2.23", exclusion::preview},
    {http_method::get, "User-Agent",
     "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
     exclusion::crawler},
  };
  for (const auto& [method, name, value, reason] : cases) {
    auto out = hit({{name, value}}, method);
    EXPECT_EQ(out->status(), 302);
    EXPECT_EQ(out->header("Set-Cookie"), "");
    EXPECT_EQ(actors.last_visit.excluded, reason) << value;
  }
  EXPECT_EQ(counters.excluded[0]->Value(), 1.0);
  EXPECT_EQ(counters.excluded[1]->Value(), 3.0);
  EXPECT_EQ(counters.excluded[2]->Value(), 1.0);
  EXPECT_EQ(counters.excluded[3]->Value(), 1.0);
  for (auto agent : {"", "curl/8.1", "python-requests/2.31"}) {
    hit({{"User-Agent", agent}});
    EXPECT_FALSE(actors.last_visit.excluded.has_value()) << agent;
  }
  hit({});
  EXPECT_FALSE(actors.last_visit.excluded.has_value());
}

TEST_F(visits, the_country_header_counts_from_trusted_proxies_only) {
  hit({{"CF-IPCountry", "DE"}});
  EXPECT_EQ(actors.last_visit.country, "");
  hit({{"cf-ipcountry", "de"}, {"X-Forwarded-For", "198.41.0.4"}},
      http_method::get, "127.0.0.1");
  EXPECT_EQ(actors.last_visit.country, "DE");
  EXPECT_EQ(actors.last_visit.ip_address, "198.41.0.0");
  for (auto junk : {"XX", "T1", "ZZZ", "", "D"}) {
    hit({{"CF-IPCountry", junk}}, http_method::get, "127.0.0.1");
    EXPECT_EQ(actors.last_visit.country, "") << junk;
  }
}

TEST_F(visits, the_answer_waits_for_the_journal) {
  actors.hold_journal = true;
  auto out = hit({});
  EXPECT_EQ(out->answers, 0);
  ASSERT_EQ(actors.held.size(), 1u);
  actors.held.front()(true);
  EXPECT_EQ(out->status(), 302);
  EXPECT_EQ(counters.clicks_lost->Value(), 0.0);
  actors.held.clear();
  EXPECT_EQ(out->answers, 1);
}

TEST_F(visits, redirects_go_on_when_the_journal_fails) {
  actors.journal_works = false;
  EXPECT_EQ(hit({})->status(), 302);
  EXPECT_EQ(counters.clicks_lost->Value(), 1.0);
}

TEST_F(visits, a_journal_that_forgets_the_visit_is_503) {
  actors.hold_journal = true;
  auto out = hit({});
  actors.held.clear();
  EXPECT_EQ(out->status(), 503);
  EXPECT_EQ(out->answers, 1);
}

TEST_F(visits, a_dropped_visit_is_503) {
  actors.on_resolve = [](visit_ptr) {};
  auto out = hit({});
  EXPECT_EQ(out->status(), 503);
  EXPECT_EQ(out->header("Retry-After"), "1");
  EXPECT_FALSE(out->detail().empty());
  EXPECT_EQ(counters.redirects_unavailable->Value(), 1.0);
}

TEST_F(visits, unavailable_is_503) {
  actors.on_resolve = [](visit_ptr x) { x->unavailable(); };
  auto out = hit({});
  EXPECT_EQ(out->status(), 503);
  EXPECT_EQ(out->header("Retry-After"), "1");
  EXPECT_EQ(counters.redirects_unavailable->Value(), 1.0);
}

TEST_F(visits, only_the_first_answer_counts) {
  actors.on_resolve = [](visit_ptr x) {
    x->not_found();
    x->redirect(to_a());
    x->unavailable();
  };
  auto out = hit({});
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->answers, 1);
  EXPECT_TRUE(actors.journaled.empty());
}

TEST_F(visits, an_exception_is_500) {
  actors.on_resolve = [](visit_ptr) { throw std::runtime_error("secret"); };
  auto out = hit({});
  EXPECT_EQ(out->answers, 1);
  EXPECT_GE(out->status(), 500);
  EXPECT_EQ(out->last->body.find("secret"), std::string::npos);
}

TEST_F(visits, overload_is_503) {
  auto out = send({http_method::get, "/promo-24", {}, "", "198.41.0.4", 101});
  EXPECT_EQ(out->status(), 503);
  EXPECT_EQ(out->header("Retry-After"), "1");
  EXPECT_EQ(actors.visits, 0);
  EXPECT_EQ(counters.refused_overload->Value(), 1.0);
}

TEST_F(visits, locations_cannot_add_headers) {
  actors.on_resolve = [](visit_ptr x) {
    auto answer = to_a();
    answer.location = "https://a.example/\r\nSet-Cookie: x=y";
    x->redirect(std::move(answer));
  };
  auto out = hit({});
  EXPECT_EQ(out->header("Location"), "https://a.example/Set-Cookie: x=y");
}

// -- pixel --------------------------------------------------------------------

namespace {

class pixel : public http_test {
public:
  static constexpr auto id = "00000000-0000-7000-8000-0000000003aa";
  static constexpr auto other = "00000000-0000-7000-8000-0000000003bb";

  void expect_gif(const outcome& x) {
    EXPECT_EQ(x.status(), 200);
    EXPECT_EQ(x.answers, 1);
    EXPECT_EQ(x.header("Content-Type"), "image/gif");
    EXPECT_EQ(x.header("Cache-Control"), "no-store");
    ASSERT_TRUE(x.last.has_value());
    EXPECT_EQ(x.last->body.size(), 43u);
    EXPECT_EQ(x.last->body.substr(0, 6), "GIF89a");
  }

  conversion_request last() {
    return std::get<conversion_request>(actors.journaled.back().second);
  }
};

} // namespace

TEST_F(pixel, journals_what_the_query_says) {
  auto out = get(std::string{"/c/"} + id + ".gif?click_id=" + other
                 + "&event_id=order%201&value=12.50&currency=EUR");
  expect_gif(*out);
  ASSERT_EQ(actors.journaled.size(), 1u);
  const auto x = last();
  EXPECT_EQ(x.link_id.str(), id);
  EXPECT_EQ(x.click_id.str(), other);
  EXPECT_EQ(x.event_id, "order 1");
  EXPECT_EQ(x.value, "12.50");
  EXPECT_EQ(x.currency, "EUR");
  EXPECT_TRUE(x.id);
  EXPECT_FALSE(x.may_be_unattributed);
  EXPECT_NE(x.visitors[0], 0);
  EXPECT_NE(x.visitors[1], 0);
  EXPECT_NE(x.visitors[0], x.visitors[1]);
}

TEST_F(pixel, bad_values_are_ignored) {
  auto out = get(std::string{"/c/"} + id
                 + ".gif?click_id=x&event_id=&value=-1&currency=eur&value=2");
  expect_gif(*out);
  const auto x = last();
  EXPECT_FALSE(x.click_id);
  EXPECT_EQ(x.event_id + x.value + x.currency, "");
}

TEST_F(pixel, finds_the_click_in_the_cookie) {
  const auto link_id = *uuid::parse(id);
  const auto cookie = sticky_cookie_name(link_id) + "="
                      + to_cookie_value({link_id, *uuid::parse(other)});
  auto out = send({http_method::get,
                   std::string{"/c/"} + id + ".gif",
                   {{"Cookie", "x=y; " + cookie}},
                   ""});
  expect_gif(*out);
  EXPECT_EQ(last().click_id.str(), other);
}

TEST_F(pixel, the_visitor_is_the_one_of_the_visit) {
  const std::vector<std::pair<std::string, std::string>> headers
    = {{"User-Agent", std::string(600, 'u')}};
  send({http_method::get, "/promo-24", headers, ""});
  send({http_method::get, std::string{"/c/"} + id + ".gif", headers, ""});
  EXPECT_EQ(last().visitors[0], actors.last_visit.visitor);
}

TEST_F(pixel, is_always_a_gif) {
  expect_gif(*get("/c/nothing.gif"));
  expect_gif(*get("/c/.gif"));
  expect_gif(*get("/c/00000000-0000-0000-0000-000000000000.gif"));
  expect_gif(
    *send({http_method::head, std::string{"/c/"} + id + ".gif", {}, ""}));
  EXPECT_TRUE(actors.journaled.empty());
  actors.journal_works = false;
  expect_gif(*get(std::string{"/c/"} + id + ".gif"));
}

TEST_F(pixel, answers_after_the_commit) {
  actors.hold_journal = true;
  auto out = get(std::string{"/c/"} + id + ".gif");
  EXPECT_EQ(out->answers, 0);
  actors.held.front()(true);
  expect_gif(*out);
}
