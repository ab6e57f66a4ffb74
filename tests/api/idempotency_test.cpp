#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/clock.hpp"

#include <thread>

using namespace turnout::test;

namespace {

class idempotency_test : public api_test {
protected:
  static json::value body(const std::string& name = "once") {
    return {{"name", name}, {"variants", two_variants()}};
  }

  response create(const json::value& x, const std::string& key) {
    return post(links_path, x, {{"Idempotency-Key", key}});
  }
};

} // namespace

TEST_F(idempotency_test, a_retry_gets_the_first_answer) {
  auto first = create(body(), "key-1");
  ASSERT_EQ(first.status, 201);
  auto retry = create(body(), "key-1");
  EXPECT_EQ(retry.status, 201);
  EXPECT_EQ(retry.json(), first.json());
  EXPECT_EQ(total_links(), 1);
}

TEST_F(idempotency_test, member_order_and_white_space_do_not_matter) {
  auto first = call("POST", links_path, {{"Idempotency-Key", "k"}},
                    R"({"name":"n","variants":[
  {"label":"a","destination_url":"https://a.example/","weight":50},
  {"weight":50,"label":"b","destination_url":"https://b.example/"}]})");
  ASSERT_EQ(first.status, 201) << first.body;
  auto retry = call("POST", links_path, {{"Idempotency-Key", "k"}},
                    R"({"variants":[{"destination_url":"https://a.example/",)"
                    R"("weight":50,"label":"a"},{"label":"b","weight":50,)"
                    R"("destination_url":"https://b.example/"}],"name":"n"})");
  EXPECT_EQ(retry.status, 201);
  EXPECT_EQ(retry.json(), first.json());
  EXPECT_EQ(total_links(), 1);
}

TEST_F(idempotency_test, another_body_is_a_conflict) {
  ASSERT_EQ(create(body(), "key-1").status, 201);
  expect_error(create(body("other"), "key-1"), 409);
  EXPECT_EQ(total_links(), 1);
}

TEST_F(idempotency_test, another_key_makes_another_link) {
  ASSERT_EQ(create(body(), "key-1").status, 201);
  ASSERT_EQ(create(body(), "key-2").status, 201);
  EXPECT_EQ(total_links(), 2);
}

TEST_F(idempotency_test, a_failed_request_does_not_occupy_the_key) {
  auto wrong = body().as_object();
  wrong["slug"] = "/";
  expect_error(create(json::value(wrong), "key-1"), 422);
  make_single("taken-1");
  wrong["slug"] = "taken-1";
  expect_error(create(json::value(wrong), "key-1"), 409);
  auto right = create(body(), "key-1");
  EXPECT_EQ(right.status, 201) << right.body;
  EXPECT_EQ(total_links(), 2);
}

TEST_F(idempotency_test, it_outlives_a_restart_and_the_deletion_of_the_link) {
  auto first = create(body(), "key-1");
  ASSERT_EQ(first.status, 201);
  service->restart();
  // A restart moves the free port, and with it short_url; the answer is the
  // first one all the same.
  auto retry = create(body(), "key-1");
  EXPECT_EQ(retry.status, 201);
  EXPECT_EQ(retry.json(), first.json());
  ASSERT_EQ(del(path_of(first.json())).status, 204);
  EXPECT_EQ(create(body(), "key-1").json(), first.json());
  EXPECT_EQ(total_links(), 0);
}

TEST_F(idempotency_test, it_is_forgotten_after_a_day) {
  auto first = create(body(), "key-1");
  ASSERT_EQ(first.status, 201);
  for (auto& [name, value] : clock_ahead(1))
    service->set(name, value);
  service->restart();
  auto another = create(body("other"), "key-1");
  EXPECT_EQ(another.status, 201) << another.body;
  EXPECT_NE(text(another.json(), "id"), text(first.json(), "id"));
  EXPECT_EQ(total_links(), 2);
}

TEST_F(idempotency_test, case_14_twenty_parallel_retries_make_one_link) {
  std::vector<std::thread> threads;
  std::vector<response> answers(20);
  for (auto& answer : answers)
    threads.emplace_back([this, &answer] {
      http_client client{service->origin()};
      answer
        = client.send("POST", links_path,
                      {{"X-API-Key", secret_key}, {"Idempotency-Key", "same"}},
                      json::serialize(body()));
    });
  for (auto& x : threads)
    x.join();
  std::string made;
  for (auto& x : answers) {
    if (x.status == 201) {
      auto id = text(x.json(), "id");
      EXPECT_TRUE(made.empty() || made == id);
      made = id;
    } else {
      expect_error(x, 409);
      EXPECT_EQ(x.header("retry-after"), "1");
    }
  }
  EXPECT_FALSE(made.empty());
  EXPECT_EQ(total_links(), 1);
}

TEST_F(idempotency_test, keys_are_1_to_255_printable_ascii_characters) {
  EXPECT_EQ(create(body(), std::string(255, 'k')).status, 201);
  EXPECT_EQ(create(body(), "with space ~!").status, 201);
  expect_error(create(body(), std::string(256, 'k')), 422);
  auto payload = json::serialize(body());
  auto raw = [&](const std::string& key) {
    return raw_exchange(
      service->port(),
      "POST " + links_path + " HTTP/1.1\r\nHost: x\r\nX-API-Key: " + secret_key
        + "\r\nIdempotency-Key:" + key + "\r\nContent-Length: "
        + std::to_string(payload.size()) + "\r\n\r\n" + payload);
  };
  auto accented = raw(" k\xC3\xA9y");
  ASSERT_TRUE(accented);
  expect_error(*accented, 422);
  auto empty = raw("");
  ASSERT_TRUE(empty);
  expect_error(*empty, 422);
  EXPECT_EQ(total_links(), 2);
}

TEST_F(idempotency_test, accounts_do_not_share_keys) {
  service->add_user("other@example.com");
  auto other = service->make_key("other@example.com");
  ASSERT_TRUE(eventually(
    [&] { return call_as(other, "GET", links_path).status == 200; }));
  auto mine = create(body(), "same");
  ASSERT_EQ(mine.status, 201);
  auto theirs = send("POST", links_path,
                     {{"X-API-Key", other}, {"Idempotency-Key", "same"}},
                     json::serialize(body("other")));
  ASSERT_EQ(theirs.status, 201) << theirs.body;
  EXPECT_NE(text(mine.json(), "id"), text(theirs.json(), "id"));
}

TEST_F(idempotency_test, keys_of_one_account_share_them) {
  auto second = service->make_key(owner_email, "secret", "second");
  ASSERT_TRUE(eventually(
    [&] { return call_as(second, "GET", links_path).status == 200; }));
  auto first = create(body(), "same");
  ASSERT_EQ(first.status, 201);
  auto retry = send("POST", links_path,
                    {{"X-API-Key", second}, {"Idempotency-Key", "same"}},
                    json::serialize(body()));
  EXPECT_EQ(retry.status, 201);
  EXPECT_EQ(retry.json(), first.json());
}
