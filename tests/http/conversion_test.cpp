#include "core/cookie.hpp"
#include "tests/http/fixture.hpp"

using namespace turnout;
using namespace turnout::test;

namespace {

class conversion_redirect : public http_test {
public:
  conversion_redirect() {
    auto x = add_link();
    id = x.id;
    actors.links[id].conversion_redirect_url = "https://thanks.example/?a=1";
  }

  std::string path() const {
    return "/c/" + id.str();
  }

  uuid id;
  const uuid click_id = *uuid::parse("00000000-0000-7000-8000-0000000003bb");
};

} // namespace

TEST_F(conversion_redirect, journals_and_then_redirects) {
  actors.hold_journal = true;
  auto out = get(path() + "?click_id=" + click_id.str()
                 + "&event_id=e&value=2.5&currency=EUR");
  EXPECT_EQ(out->answers, 0);
  ASSERT_EQ(actors.journaled.size(), 1u);
  const auto& x = std::get<conversion_request>(actors.journaled[0].second);
  EXPECT_EQ(x.link_id, id);
  EXPECT_EQ(x.click_id, click_id);
  EXPECT_EQ(x.event_id, "e");
  EXPECT_EQ(x.value, "2.5");
  EXPECT_EQ(x.currency, "EUR");
  EXPECT_FALSE(x.may_be_unattributed);
  actors.held.front()(true);
  EXPECT_EQ(out->status(), 302);
  EXPECT_EQ(out->header("Location"), "https://thanks.example/?a=1");
  EXPECT_EQ(out->header("Cache-Control"), "no-store");
  EXPECT_EQ(out->header("Set-Cookie"), "");
  EXPECT_EQ(out->answers, 1);
}

TEST_F(conversion_redirect, goes_on_when_the_journal_fails) {
  actors.journal_works = false;
  EXPECT_EQ(get(path())->status(), 302);
  EXPECT_EQ(counters.clicks_lost->Value(), 1.0);
}

TEST_F(conversion_redirect, head_and_prefetch_count_nothing) {
  EXPECT_EQ(send({http_method::head, path(), {}, ""})->status(), 302);
  auto out
    = send({http_method::get, path(), {{"Sec-Purpose", "prefetch"}}, ""});
  EXPECT_EQ(out->status(), 302);
  EXPECT_TRUE(actors.journaled.empty());
}

TEST_F(conversion_redirect, a_paused_link_still_redirects) {
  actors.links[id].is_active = false;
  EXPECT_EQ(get(path())->status(), 302);
  EXPECT_EQ(actors.journaled.size(), 1u);
}

TEST_F(conversion_redirect, is_404_where_there_is_nothing) {
  EXPECT_EQ(get("/c/" + actors.owner.str())->status(), 404);
  for (auto target :
       {"/c/abc", "/c/", "/c/x.js", "/c/00000000-0000-0000-0000-000000000000"})
    EXPECT_EQ(get(target)->status(), 404) << target;
  EXPECT_EQ(get(path() + "/more")->status(), 404);
  actors.links[id].conversion_redirect_url.reset();
  auto out = get(path());
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->header("Cache-Control"), "no-store");
  actors.links[id].conversion_redirect_url = "https://thanks.example/";
  actors.links[id].is_deleted = true;
  EXPECT_EQ(get(path())->status(), 404);
  EXPECT_EQ(send({http_method::post, path(), {}, ""})->status(), 405);
  EXPECT_TRUE(actors.journaled.empty());
}

TEST_F(conversion_redirect, without_the_store_it_is_503) {
  actors.store_is_down = true;
  auto out = get(path());
  EXPECT_EQ(out->status(), 503);
  EXPECT_EQ(out->header("Retry-After"), "1");
  actors.store_is_down = false;
  actors.drop_replies = true;
  EXPECT_EQ(get(path())->status(), 503);
}

// -- script -------------------------------------------------------------------

using conversion_script = http_test;

TEST_F(conversion_script, is_kept_for_an_hour) {
  auto out = get("/c.js");
  EXPECT_EQ(out->status(), 200);
  EXPECT_EQ(out->header("Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(out->header("Cache-Control"), "public, max-age=3600");
  const auto tag = out->header("ETag");
  ASSERT_EQ(tag.size(), 18u);
  for (auto value : {tag, "W/" + tag, "\"other\", " + tag, std::string{"*"}}) {
    auto again
      = send({http_method::get, "/c.js", {{"If-None-Match", value}}, ""});
    EXPECT_EQ(again->status(), 304) << value;
    EXPECT_EQ(again->header("ETag"), tag);
    EXPECT_TRUE(again->last->body.empty());
    EXPECT_EQ(render(*again->last, false, true).find("Content-Length"),
              std::string::npos);
  }
  auto other
    = send({http_method::get, "/c.js", {{"If-None-Match", "\"x\""}}, ""});
  EXPECT_EQ(other->status(), 200);
  EXPECT_EQ(send({http_method::post, "/c.js", {}, ""})->status(), 405);
}

// -- server call --------------------------------------------------------------

TEST_F(conversion_redirect, the_server_call_tells_whose_it_may_be) {
  const auto cookie
    = sticky_cookie_name(id) + "=" + to_cookie_value({actors.owner, click_id});
  auto call = [&](const std::string& body) {
    send({http_method::post,
          "/api/v1/public/conversions",
          {{"X-API-Key", fake_service::secret_key},
           {"Cookie", cookie},
           {"User-Agent", "some agent"}},
          body});
    return actors.conversions.back();
  };
  auto x = call(R"({"link_id":")" + id.str() + "\"}");
  EXPECT_EQ(x.click_id, click_id);
  EXPECT_TRUE(x.may_be_unattributed);
  EXPECT_NE(x.visitors[0], 0);
  // A named click or variant decides alone.
  x = call(R"({"link_id":")" + id.str() + R"(","click_id":")"
           + actors.owner.str() + "\"}");
  EXPECT_EQ(x.click_id, actors.owner);
  EXPECT_FALSE(x.may_be_unattributed);
  x = call(R"({"link_id":")" + id.str() + R"(","variant_id":")"
           + actors.owner.str() + "\"}");
  EXPECT_FALSE(x.click_id);
  EXPECT_EQ(x.visitors[0], 0);
}
