#include "tests/api/harness/api_test.hpp"

#include <thread>

using namespace turnout::test;

// What one process does holds for the next request; what another process does,
// within a second.

namespace {

class visibility_test : public api_test {
protected:
  /// Asks on `n` new connections, so that all threads of the service answer.
  template <class F>
  void on_new_connections(const std::string& path, F check, int n = 20) {
    for (int i = 0; i < n; ++i) {
      http_client client{service->origin()};
      check(client.send("GET", path, {{"User-Agent", browser}}));
    }
  }
};

/// Generous for a loaded machine; the contract says 1 s.
constexpr std::chrono::seconds soon{5};

} // namespace

TEST_F(visibility_test, a_key_of_the_command_line_works_within_a_second) {
  auto key = service->make_key(owner_email, "secret", "late");
  EXPECT_TRUE(eventually(
    [&] { return call_as(key, "GET", links_path).status == 200; }, soon));
}

TEST_F(visibility_test, a_new_account_works_within_a_second) {
  service->add_user("late@example.com");
  auto key = service->make_key("late@example.com");
  EXPECT_TRUE(eventually(
    [&] { return call_as(key, "GET", links_path).status == 200; }, soon));
  auto created = call_as(key, "POST", links_path,
                         {{"name", "x"}, {"variants", two_variants()}});
  EXPECT_EQ(created.status, 201) << created.body;
}

TEST_F(visibility_test, a_key_that_was_refused_before_it_existed) {
  auto key = "svc_live_" + std::string(32, 'Q');
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(call_as(key, "GET", links_path).status, 401);
  auto made = service->run({"key", "create", "--email", owner_email, "--name",
                            "n", "--type", "live", "--key", key});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_TRUE(eventually(
    [&] { return call_as(key, "GET", links_path).status == 200; }, soon));
}

TEST_F(visibility_test, a_created_link_redirects_on_every_thread) {
  on_new_connections("/fresh-1",
                     [](const response& x) { EXPECT_EQ(x.status, 404); });
  make_single("fresh-1");
  on_new_connections("/fresh-1",
                     [](const response& x) { EXPECT_EQ(x.status, 302); });
}

TEST_F(visibility_test, pause_and_delete_hold_on_every_thread) {
  auto link = make_single("fresh-1");
  on_new_connections("/fresh-1",
                     [](const response& x) { EXPECT_EQ(x.status, 302); });
  ASSERT_EQ(put(path_of(link), {{"is_active", false}}).status, 200);
  on_new_connections("/fresh-1",
                     [](const response& x) { EXPECT_EQ(x.status, 404); });
  ASSERT_EQ(put(path_of(link), {{"is_active", true}}).status, 200);
  on_new_connections("/fresh-1",
                     [](const response& x) { EXPECT_EQ(x.status, 302); });
  ASSERT_EQ(del(path_of(link)).status, 204);
  on_new_connections("/fresh-1",
                     [](const response& x) { EXPECT_EQ(x.status, 404); });
}

TEST_F(visibility_test, changes_hold_while_others_visit) {
  auto link = make_single("busy-1", "https://v0.example/");
  std::atomic<bool> done{false};
  std::vector<std::thread> visitors;
  std::atomic<int> failures{0};
  for (int i = 0; i < 3; ++i)
    visitors.emplace_back([&] {
      http_client client{service->origin()};
      while (!done)
        failures
          += client.send("GET", "/busy-1", {{"User-Agent", browser}}).status
             != 302;
    });
  for (int i = 1; i <= 30; ++i) {
    auto url = "https://v" + std::to_string(i) + ".example/";
    EXPECT_EQ(put(path_of(link, "/variants"), one_destination(url)).status,
              200);
    EXPECT_EQ(visit("busy-1").header("location"), url);
    http_client other{service->origin()};
    EXPECT_EQ(other.send("GET", "/busy-1", {{"User-Agent", browser}})
                .header("location"),
              url);
  }
  done = true;
  for (auto& x : visitors)
    x.join();
  EXPECT_EQ(failures, 0);
}

namespace {

class passivation_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_LINKS_IDLE_SECONDS", "1"}};
  }
};

} // namespace

TEST_F(passivation_test, a_link_that_left_memory_comes_back_as_it_was) {
  auto link = make_split(0, 100);
  auto slug = text(link, "slug");
  visit(slug);
  std::this_thread::sleep_for(std::chrono::milliseconds{2500});
  EXPECT_EQ(visit(slug).header("location"), "https://b.example/");
  ASSERT_EQ(put(path_of(link, "/variants"), two_variants(100, 0)).status, 200);
  std::this_thread::sleep_for(std::chrono::milliseconds{2500});
  EXPECT_EQ(visit(slug).header("location"), "https://a.example/");
  expect_counts(link, 3);
}
