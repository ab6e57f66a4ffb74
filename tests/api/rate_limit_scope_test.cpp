#include "tests/api/harness/api_test.hpp"

using namespace turnout::test;

// Which requests use up the budget of an account.

namespace {

class rate_limit_scope_test : public api_test {
protected:
  /// What one window says after a request that counts.
  struct budget {
    std::string window;
    int64_t remaining;
  };

  static budget of(const response& x) {
    return {x.header("x-ratelimit-reset"),
            std::stoll(x.header("x-ratelimit-remaining"))};
  }

  /// Checks how many requests `f` counts as; once more when the hour ends in
  /// between.
  template <class F>
  void expect_counted(int64_t n, F f) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      auto before = of(get(links_path));
      f();
      auto after = of(get(links_path));
      if (before.window != after.window)
        continue;
      EXPECT_EQ(before.remaining - after.remaining, n + 1);
      return;
    }
    FAIL() << "the hour ended twice";
  }
};

} // namespace

TEST_F(rate_limit_scope_test, visits_pixels_and_preflights_are_free) {
  auto link = make_split();
  expect_counted(0, [&] {
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(visit(text(link, "slug"), {{"X-API-Key", secret_key}}).status,
                302);
      EXPECT_EQ(send("GET", "/c/" + text(link, "id") + ".gif",
                     {{"X-API-Key", secret_key}})
                  .status,
                200);
      EXPECT_EQ(send("OPTIONS", links_path, {{"X-API-Key", secret_key}}).status,
                204);
    }
  });
}

TEST_F(rate_limit_scope_test, every_answer_to_a_valid_key_counts) {
  auto publishable = service->make_key(owner_email, "publishable");
  ASSERT_TRUE(eventually(
    [&] { return call_as(publishable, "GET", links_path).status == 200; }));
  auto link = make_split();
  expect_counted(10, [&] {
    EXPECT_EQ(get(path_of(link)).status, 200);
    EXPECT_EQ(get(links_path + "?page=x").status, 400);
    EXPECT_EQ(
      call_as(publishable, "DELETE", path_of(link), json::object{}).status,
      403);
    EXPECT_EQ(get("/api/v1/public/nothing").status, 404);
    EXPECT_EQ(get(links_path + "/" + unknown_id).status, 404);
    EXPECT_EQ(call("PATCH", links_path).status, 405);
    EXPECT_EQ(call("POST", links_path,
                   {{"Content-Type", "application/x-www-form-urlencoded"}},
                   "name=x")
                .status,
              415);
    EXPECT_EQ(call("POST", links_path, {}, "{").status, 422);
    EXPECT_EQ(post(links_path, json::object{}).status, 422);
    EXPECT_EQ(
      call("GET", links_path, {{"X-Big", std::string(70'000, 'x')}}).status,
      431);
  });
}

TEST_F(rate_limit_scope_test, requests_without_a_valid_key_use_up_nothing) {
  expect_counted(0, [&] {
    EXPECT_EQ(send("GET", links_path).status, 401);
    EXPECT_EQ(
      call_as("svc_sk_" + std::string(32, 'x'), "GET", links_path).status, 401);
  });
}
