#include "http/codec/qr.hpp"

#include "tests/http/fixture.hpp"

using namespace turnout;
using namespace turnout::test;

namespace {

class qr_calls : public http_test {
public:
  qr_calls() : id{add_link().id.str()} {
    // nop
  }

  std::shared_ptr<outcome> qr(const std::string& query = "") {
    return api(http_method::get, "/public/links/" + id + "/qr" + query);
  }

  const std::string id;
};

} // namespace

TEST_F(qr_calls, is_an_image_that_nobody_takes_for_something_else) {
  auto out = qr();
  ASSERT_EQ(out->status(), 200);
  EXPECT_EQ(out->header("Content-Type"), "image/svg+xml");
  EXPECT_EQ(out->header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(out->header("Content-Security-Policy"),
            "default-src 'none'; sandbox");
  EXPECT_EQ(out->header("Content-Disposition"),
            "inline; filename=\"promo-24.svg\"");
  EXPECT_NE(out->last->body.find("width=\"256\" height=\"256\""),
            std::string::npos);
  out = qr("?format=png");
  ASSERT_EQ(out->status(), 200);
  EXPECT_EQ(out->header("Content-Type"), "image/png");
  EXPECT_EQ(out->header("Content-Disposition"),
            "inline; filename=\"promo-24.png\"");
  EXPECT_TRUE(out->last->body.starts_with("\x89PNG"));
  EXPECT_EQ(actors.admissions, 2) << "a request like others";
}

TEST_F(qr_calls, is_not_sent_twice) {
  const auto etag = qr()->header("ETag");
  ASSERT_GT(etag.size(), 2u);
  call_spec again{
    http_method::get,
    "/api/v1/public/links/" + id + "/qr",
    {{"X-API-Key", fake_service::publishable_key}, {"If-None-Match", etag}},
    ""};
  auto out = send(again);
  EXPECT_EQ(out->status(), 304);
  EXPECT_TRUE(out->last->body.empty());
  EXPECT_NE(qr("?size=300")->header("ETag"), etag);
}

TEST_F(qr_calls, options_are_checked) {
  for (std::string query :
       {"?format=gif", "?format=", "?format=SVG", "?size=63", "?size=2049",
        "?size=0", "?size=-1", "?margin=-1", "?margin=17", "?ecc=X",
        "?ecc=", "?ecc=m", "?ecc=LL", "?size=64&size=65",
        "?size=64&margin=16&ecc=H", "?size=99999999999999999999"})
    EXPECT_EQ(qr(query)->status(), 422) << query;
  for (std::string query :
       {"?size=abc", "?size=", "?margin=1.5", "?size=1e3", "?format=%zz"})
    EXPECT_EQ(qr(query)->status(), 400) << query;
  for (std::string query : {"?size=64&margin=0&ecc=L", "?size=2048&format=png",
                            "?margin=16&ecc=Q", "?other=1"})
    EXPECT_EQ(qr(query)->status(), 200) << query;
  EXPECT_EQ(qr("?size=64&margin=16&ecc=H")->detail(),
            "size must be at least 65 for this address, margin and ecc");
  EXPECT_EQ(qr("?ecc=m")->detail(), "ecc must be \"L\", \"M\", \"Q\" or \"H\"");
}

TEST_F(qr_calls, links_that_are_not_there) {
  actors.links.begin()->second.is_deleted = true;
  EXPECT_EQ(qr()->detail(), "Link not found");
  EXPECT_EQ(api(http_method::get, "/public/links/x/qr")->status(), 400);
  EXPECT_EQ(get("/api/v1/public/links/" + id + "/qr")->status(), 401);
  EXPECT_EQ(api(http_method::post, "/public/links/" + id + "/qr")->status(),
            405);
}

TEST(qr_code, a_text_that_is_too_long_is_refused) {
  qr_options how;
  how.size = 2048;
  const auto code = make_qr_code(std::string(3000, 'x'), how);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error(), ec::invalid);
}

TEST(qr_code, pngs_have_the_size_that_was_asked_for) {
  qr_options how;
  how.format = qr_options::file_format::png;
  for (how.size = 64; how.size < 140; ++how.size) {
    const auto code = make_qr_code("https://s.example/promo-24", how);
    ASSERT_TRUE(code);
    const auto png = render_png(*code, how);
    ASSERT_TRUE(png);
    EXPECT_EQ(static_cast<unsigned char>(png->at(19)), how.size) << "width";
    EXPECT_EQ(static_cast<unsigned char>(png->at(23)), how.size) << "height";
  }
}

TEST_F(http_test, slugs_are_checked_while_they_are_typed) {
  add_link("promo-24");
  auto ask = [&](const std::string& slug) {
    return api(http_method::get, "/public/slugs/" + slug, "",
               fake_service::publishable_key);
  };
  EXPECT_EQ(ask("promo-25")->last->body,
            R"({"slug":"promo-25","available":true,"detail":null})");
  EXPECT_EQ(ask("promo-24")->last->body,
            R"({"slug":"promo-24","available":false,)"
            R"("detail":"Slug 'promo-24' is already taken"})");
  for (std::string slug : {"ab", "API", "a%20b", "a%2Fb", "%C3%A0pi", "%FF",
                           "v1.2", "123456789012345678901234567890123"}) {
    auto out = ask(slug);
    EXPECT_EQ(out->status(), 200) << slug;
    EXPECT_FALSE(out->json().at("available").as_bool());
    EXPECT_TRUE(out->json().at("detail").is_string());
  }
  EXPECT_EQ(ask("promo%2D24")->json().at("available").as_bool(), false);
  EXPECT_EQ(ask("a%zz")->status(), 400);
  EXPECT_EQ(ask("")->status(), 404);
  EXPECT_EQ(ask("abc/d")->status(), 404);
  EXPECT_EQ(get("/api/v1/public/slugs/abc")->status(), 401);
  actors.store_is_down = true;
  EXPECT_EQ(ask("promo-25")->status(), 503);
}
