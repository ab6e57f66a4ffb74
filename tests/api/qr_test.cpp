#include "tests/api/harness/api_test.hpp"

#include <fstream>

using namespace turnout::test;
using testing::HasSubstr;

// Decodes the codes with a reader that shares nothing with their maker.

namespace {

class qr_test : public api_test {
protected:
  response qr(const json::value& link, const std::string& query) {
    auto answer = get(path_of(link, "/qr" + query));
    EXPECT_EQ(answer.status, 200) << query << ' ' << answer.body;
    return answer;
  }

  /// Returns the text of the code in an image.
  std::string decode(const response& image) {
    const auto is_svg = image.header("content-type") == "image/svg+xml";
    auto file = dir.path() / (is_svg ? "code.svg" : "code.png");
    std::ofstream{file, std::ios::binary} << image.body;
    if (is_svg) {
      const auto svg = file;
      file = dir.path() / "rendered.png";
      auto done = run_command({"/usr/bin/rsvg-convert", svg, "-o", file}, {});
      EXPECT_EQ(done.status, 0) << done.err;
    }
    auto read = run_command({"/usr/bin/zbarimg", "-q", "--raw", "--nodbus",
                             "-Sdisable", "-Sqrcode.enable", file},
                            {});
    EXPECT_EQ(read.status, 0) << read.err;
    return read.out;
  }

  temporary_directory dir;
};

class long_address_test : public qr_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_HTTP_SHORT_BASE",
             "https://a-rather-long-host-name.of-a-department.example/go"}};
  }
};

} // namespace

TEST_F(qr_test, readers_find_the_short_address) {
  auto link = make_single("QR_code-24");
  const auto address = service->origin() + "/QR_code-24\n";
  EXPECT_EQ(text(link, "short_url") + "\n", address);
  for (std::string format : {"svg", "png"})
    for (std::string ecc : {"L", "M", "Q", "H"})
      for (std::string size : {"150", "256", "1000"}) {
        const auto query
          = "?format=" + format + "&ecc=" + ecc + "&size=" + size;
        EXPECT_EQ(decode(qr(link, query)), address) << query;
      }
  for (auto query : {"", "?format=png", "?margin=10&size=400",
                     "?format=png&margin=2&size=333", "?size=2048&format=png"})
    EXPECT_EQ(decode(qr(link, query)), address) << query;
}

TEST_F(qr_test, asking_counts_nothing) {
  auto link = make_single("qr-case-19");
  qr(link, "");
  qr(link, "?format=png");
  expect_no_counts(link);
}

TEST_F(qr_test, is_for_any_key_of_the_owner_only) {
  auto link = make_single("qr-1");
  auto path = path_of(link, "/qr");
  auto reader = service->make_key(owner_email, "publishable");
  EXPECT_EQ(
    eventually_equal(200, [&] { return call_as(reader, "GET", path).status; }),
    200);
  EXPECT_EQ(send("GET", path).status, 401);
  service->add_user("other@example.com");
  auto other = service->make_key("other@example.com");
  EXPECT_EQ(
    eventually_equal(404, [&] { return call_as(other, "GET", path).status; }),
    404);
  auto answer = get(path);
  EXPECT_EQ(answer.header("x-content-type-options"), "nosniff");
  EXPECT_TRUE(answer.has("x-ratelimit-remaining"));
  EXPECT_EQ(
    call("GET", path, {{"If-None-Match", answer.header("etag")}}).status, 304);
  // Paused links are readable, deleted ones are gone.
  EXPECT_EQ(put(path_of(link), {{"is_active", false}}).status, 200);
  EXPECT_EQ(get(path).status, 200);
  EXPECT_EQ(del(path_of(link)).status, 204);
  EXPECT_EQ(get(path).detail(), "Link not found");
}

TEST_F(qr_test, slugs_are_checked) {
  make_single("taken-1");
  auto ask = [&](const std::string& slug) {
    auto answer = get("/api/v1/public/slugs/" + slug);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json();
  };
  EXPECT_TRUE(ask("free-1").at("available").as_bool());
  EXPECT_TRUE(ask("free-1").at("detail").is_null());
  EXPECT_TRUE(ask("TAKEN-1").at("available").as_bool()) << "case matters";
  EXPECT_FALSE(ask("taken-1").at("available").as_bool());
  // With the words that a create would answer.
  for (std::string slug : {"taken-1", "api", "ab", "a.b"}) {
    auto refused
      = post(links_path,
             {{"name", "x"}, {"slug", slug}, {"variants", two_variants()}});
    EXPECT_EQ(text(ask(slug), "detail"), refused.detail()) << slug;
  }
  auto gone = make_single("gone-1");
  EXPECT_EQ(del(path_of(gone)).status, 204);
  EXPECT_FALSE(ask("gone-1").at("available").as_bool())
    << "a deleted link keeps its slug";
}

TEST_F(long_address_test, readers_find_it_too) {
  auto link = make_single("promo-with-a-slug-of-32-letters-");
  for (auto query : {"?size=128", "?size=128&format=png&ecc=H", "?ecc=Q"})
    EXPECT_EQ(decode(qr(link, query)), text(link, "short_url") + "\n") << query;
  auto refused = get(path_of(link, "/qr?size=64&ecc=H&margin=16"));
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.detail(), HasSubstr("size must be at least"));
}
