#include "actors/link.hpp"

#include "core/cookie.hpp"
#include "tests/actors/memory_backend.hpp"
#include "tests/actors/probe.hpp"

#include <gtest/gtest.h>

namespace turnout {

namespace {

using test::make_link;
using test::outcome;

struct link_state_test : testing::Test {
  settings options;
  link_state state;

  link_state_test() {
    state.options = &options;
  }

  outcome visit(visit_request request) {
    request.at = now();
    test::probe_visit x{std::move(request)};
    auto result = x.result();
    state.answer(x);
    return test::await(std::move(result));
  }

  static const click& click_of(const outcome& x) {
    return std::get<click>(x.answer.record);
  }
};

TEST_F(link_state_test, records_what_the_visit_was) {
  state.assign(make_link("promo", 0, 100));
  visit_request request;
  request.user_agent = "Browser";
  request.referrer = "https://news.example/";
  request.country = "DE";
  request.ip_address = "8.8.8.0";
  request.visitor = 42;
  const auto x = visit(request);
  ASSERT_EQ(x.status, 302);
  EXPECT_EQ(x.answer.location, "https://b.example/");
  const auto& event = click_of(x);
  EXPECT_TRUE(event.id);
  EXPECT_EQ(event.link_key, state.current.key);
  EXPECT_EQ(event.variant_key, state.current.variants[1].key);
  EXPECT_EQ(event.stratum, state.current.stratum);
  EXPECT_FALSE(event.is_repeat);
  EXPECT_EQ(event.user_agent, "Browser");
  EXPECT_EQ(event.referrer, "https://news.example/");
  EXPECT_EQ(event.country, "DE");
  EXPECT_EQ(event.ip_address, "8.8.8.0");
  EXPECT_EQ(event.visitor, 42);
}

TEST_F(link_state_test, cookie_brings_a_visitor_back_to_its_variant) {
  state.assign(make_link("promo", 99, 1));
  const auto& b = state.current.variants[1];
  visit_request request;
  request.cookies = sticky_cookie_name(state.current.id) + "="
                    + to_cookie_value({b.id, make_uuid(now())});
  for (int i = 0; i < 50; ++i) {
    const auto x = visit(request);
    ASSERT_EQ(x.answer.location, "https://b.example/");
    EXPECT_TRUE(click_of(x).is_repeat);
  }
  options.redirect.sticky = false;
  int to_a = 0;
  for (int i = 0; i < 50; ++i)
    to_a += visit(request).answer.location == "https://a.example/";
  EXPECT_GT(to_a, 25);
}

TEST_F(link_state_test, sets_a_cookie_that_names_variant_and_click) {
  state.assign(make_link("promo", 100, 0));
  const auto x = visit({});
  const auto cookie = find_sticky_cookie(x.answer.cookie, state.current.id);
  ASSERT_TRUE(cookie);
  EXPECT_EQ(cookie->variant_id, state.current.variants[0].id);
  EXPECT_EQ(cookie->click_id, click_of(x).id);
}

TEST_F(link_state_test, excluded_visits_get_no_cookie) {
  state.assign(make_link("promo"));
  visit_request request;
  request.excluded = exclusion::preview;
  const auto x = visit(request);
  ASSERT_EQ(x.status, 302);
  EXPECT_TRUE(x.answer.cookie.empty());
  const auto& record = std::get<excluded_visit>(x.answer.record);
  EXPECT_EQ(record.link_key, state.current.key);
  EXPECT_EQ(record.reason, exclusion::preview);
}

TEST_F(link_state_test, paused_and_deleted_links_are_not_found) {
  auto x = make_link("promo");
  x.is_active = false;
  state.assign(x);
  EXPECT_EQ(visit({}).status, 404);
  x.is_active = true;
  x.is_deleted = true;
  state.assign(x);
  EXPECT_EQ(visit({}).status, 404);
}

TEST_F(link_state_test, query_goes_through_unless_switched_off) {
  state.assign(make_link("promo", 100, 0));
  visit_request request;
  request.query = "a=1&b";
  EXPECT_EQ(visit(request).answer.location, "https://a.example/?a=1&b");
  options.redirect.query_passthrough = false;
  EXPECT_EQ(visit(request).answer.location, "https://a.example/");
}

TEST_F(link_state_test, click_id_goes_to_the_page_when_asked_for) {
  state.assign(make_link("promo", 100, 0));
  options.redirect.click_id_parameter = "cid";
  const auto x = visit({});
  EXPECT_EQ(x.answer.location,
            "https://a.example/?cid=" + click_of(x).id.str());
}

TEST_F(link_state_test, click_id_of_the_query_does_not_stand_for_ours) {
  state.assign(make_link("promo", 100, 0));
  options.redirect.click_id_parameter = "cid";
  visit_request request;
  request.query = "cid=of-an-earlier-click&x=1";
  const auto x = visit(request);
  EXPECT_EQ(x.answer.location,
            "https://a.example/?cid=" + click_of(x).id.str() + "&x=1");
}

} // namespace

} // namespace turnout
