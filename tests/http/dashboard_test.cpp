#include "http/dashboard_data.hpp"
#include "tests/http/fixture.hpp"

using namespace turnout;
using namespace turnout::test;

namespace {

/// What the issue of the dashboard allows.
constexpr size_t max_gzipped_bytes = 200 * 1024;

class dashboard_files : public http_test {
public:
  std::shared_ptr<outcome> get_with(const std::string& target,
                                    const std::string& name,
                                    const std::string& value) {
    return send({http_method::get, target, {{name, value}}, ""});
  }

  static std::string meta(const outcome& x, const std::string& name) {
    const auto mark = "<meta name=\"" + name + "\" content=\"";
    const auto pos = x.last->body.find(mark);
    if (pos == std::string::npos)
      return "none";
    const auto begin = pos + mark.size();
    return x.last->body.substr(begin, x.last->body.find('"', begin) - begin);
  }
};

} // namespace

TEST_F(dashboard_files, the_front_leads_to_it) {
  auto out = get("/");
  EXPECT_EQ(out->status(), 302);
  EXPECT_EQ(out->header("Location"), "/app");
  EXPECT_EQ(out->header("Cache-Control"), "no-cache");
}

TEST_F(dashboard_files, every_path_below_app_is_the_page) {
  const auto page = get("/app");
  ASSERT_EQ(page->status(), 200);
  EXPECT_EQ(page->header("Content-Type"), "text/html; charset=utf-8");
  for (auto target : {"/app/", "/app/links", "/app/links/x/y", "/app?a=b"})
    EXPECT_EQ(get(target)->last->body, page->last->body) << target;
  EXPECT_EQ(get("/apps")->status(), 404);
  EXPECT_EQ(actors.visits, 1) << "which is a short link";
  auto out = send({http_method::post, "/app", {}, ""});
  EXPECT_EQ(out->status(), 405);
  EXPECT_EQ(out->header("Allow"), "GET, HEAD");
}

TEST_F(dashboard_files, the_policy_allows_nothing_that_is_not_ours) {
  auto out = get("/app");
  EXPECT_EQ(out->header("Content-Security-Policy"),
            "default-src 'none'; script-src 'self'; style-src 'self'; "
            "img-src 'self' data:; font-src 'self'; connect-src 'self'; "
            "form-action 'self'; frame-ancestors 'none'; base-uri 'none'");
  EXPECT_EQ(out->header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(out->header("Referrer-Policy"), "same-origin");
  EXPECT_NE(out->header("Permissions-Policy"), "");
  EXPECT_EQ(out->header("Cross-Origin-Opener-Policy"), "same-origin");
  EXPECT_EQ(out->header("Access-Control-Allow-Origin"), "");
  // And so is the page.
  const auto& body = out->last->body;
  EXPECT_EQ(body.find("<script>"), std::string::npos);
  EXPECT_EQ(body.find("style="), std::string::npos);
  for (std::string attribute : {" src=\"", " href=\""})
    for (auto pos = body.find(attribute); pos != std::string::npos;
         pos = body.find(attribute, pos + 1)) {
      const auto begin = pos + attribute.size();
      const auto file = body.substr(begin, body.find('"', begin) - begin);
      EXPECT_EQ(get(file)->status(), 200) << file;
    }
}

TEST_F(dashboard_files, the_page_knows_the_addresses) {
  auto page = get("/app");
  EXPECT_EQ(meta(*page, "turnout-api"), "/api/v1");
  EXPECT_EQ(meta(*page, "turnout-short"), "https://s.example");
  EXPECT_EQ(meta(*page, "turnout-auth"), "/");
  const auto etag = page->header("ETag");
  EXPECT_EQ(get_with("/app/links", "If-None-Match", etag)->status(), 304);
  where.base_url = "https://api.example/x\"y/api/v1";
  where.short_base = "https://go.example";
  where.listening_on("127.0.0.1:1");
  page = get("/app");
  EXPECT_EQ(meta(*page, "turnout-api"), "/x&quot;y/api/v1");
  EXPECT_EQ(meta(*page, "turnout-short"), "https://go.example");
  EXPECT_NE(page->header("ETag"), etag);
  EXPECT_EQ(get_with("/app", "If-None-Match", etag)->status(), 200);
}

TEST(dashboard_page, an_external_identity_provider_may_be_asked) {
  request in;
  const dashboard_page page{
    {"/api/v1", "https://s.example", "https://id.example:8443/x", "anon"}};
  const auto answer = page.answer(in);
  EXPECT_NE(answer.fields.find(
              "connect-src 'self' https://id.example:8443; form-action"),
            std::string::npos);
  EXPECT_NE(answer.body.find("https://id.example:8443/x"), std::string::npos);
  const auto unknown
    = dashboard_page{{"/api/v1", "https://s.example", "", ""}}.answer(in);
  EXPECT_NE(unknown.fields.find("connect-src 'self'; form-action"),
            std::string::npos);
}

TEST_F(dashboard_files, have_stable_names_types_and_tags) {
  for (auto [path, type] :
       {std::pair{"/assets/dashboard.js", "text/javascript; charset=utf-8"},
        std::pair{"/assets/dashboard.css", "text/css; charset=utf-8"},
        std::pair{"/assets/dashboard.svg", "image/svg+xml"}}) {
    const auto plain = get(path);
    ASSERT_EQ(plain->status(), 200) << path;
    EXPECT_EQ(plain->header("Content-Type"), type);
    EXPECT_EQ(plain->header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(plain->header("Cache-Control"), "public, no-cache");
    const auto small = get_with(path, "Accept-Encoding", "gzip");
    EXPECT_EQ(small->header("Content-Encoding"), "gzip");
    EXPECT_EQ(get_with(path, "If-None-Match", plain->header("ETag"))->status(),
              304);
  }
  for (auto target : {"/assets", "/assets/", "/assets/index.html", "/assets/x",
                      "/assets/../app"})
    EXPECT_EQ(get(target)->status(), 404) << target;
  EXPECT_EQ(actors.visits, 0);
}

TEST_F(dashboard_files, are_small_in_all) {
  auto total = dashboard_data::page.size();
  for (const auto& x : dashboard_data::files)
    total += x.gzip.size();
  EXPECT_LE(total, max_gzipped_bytes);
}
