#include "tests/api/harness/api_test.hpp"

#include <map>
#include <set>
#include <thread>

using namespace turnout::test;
using testing::MatchesRegex;

namespace {

class slugs_test : public api_test {
protected:
  response create(const json::value& slug) {
    return post(links_path,
                {{"name", "x"},
                 {"slug", slug},
                 {"variants", one_destination("https://a.example/")}});
  }
};

} // namespace

TEST_F(slugs_test, case_01_trailing_slash) {
  auto link = make_single("promo-24");
  auto with = visit("promo-24/");
  auto without = visit("promo-24");
  EXPECT_EQ(with.status, 302);
  EXPECT_EQ(without.status, 302);
  EXPECT_EQ(with.header("location"), without.header("location"));
  expect_counts(link, 2);
  expect_error(create("promo-24/"), 422, "slug");
  EXPECT_EQ(visit("promo-24//").status, 404);
}

TEST_F(slugs_test, case_02_trailing_slash_with_query_and_geo) {
  auto link = make_link({{"name", "x"},
                         {"slug", "geo-slash"},
                         {"routing_type", "geo"},
                         {"variants", two_variants()},
                         {"geo_rules", {{"default", "b"}}}});
  for (auto path : {"geo-slash", "geo-slash/"}) {
    EXPECT_EQ(visit(path).header("location"), "https://b.example/");
    EXPECT_EQ(visit(std::string{path} + "?x=1").header("location"),
              "https://b.example/?x=1");
  }
  expect_counts(link, 4);
}

TEST_F(slugs_test, case_03_no_slash_white_space_or_dots) {
  for (auto slug : {"/", "//", "   ", ".", "..", "///", "a/b", "...", "a b",
                    "%2F%2F%2F", "a?b", "a#b", "abc\n", "\tabc"})
    expect_error(create(slug), 422, "slug");
  EXPECT_EQ(total_links(), 0);
}

TEST_F(slugs_test, case_04_a_bad_slug_harms_no_other_link) {
  make_single("good-1");
  expect_error(create("/"), 422);
  expect_error(create("/"), 422);
  make_split();
  EXPECT_EQ(visit("good-1").status, 302);
}

TEST_F(slugs_test, case_05_empty_null_and_absent) {
  expect_error(create(""), 422, "slug");
  expect_error(create(""), 422, "slug");
  auto by_null = create(nullptr);
  ASSERT_EQ(by_null.status, 201);
  auto absent = make_split();
  for (auto& slug : {text(by_null.json(), "slug"), text(absent, "slug")})
    EXPECT_GE(slug.size(), 3u);
  EXPECT_EQ(total_links(), 2);
}

TEST_F(slugs_test, case_07_legal_characters) {
  for (auto slug :
       {"a_b", "a-b", "-ab", "_ab", "ab-", "---", "___", "123", "A1_-z"}) {
    EXPECT_EQ(create(slug).status, 201) << slug;
    EXPECT_EQ(visit(slug).status, 302) << slug;
  }
  for (auto slug :
       {"v1.2", "a~b", "ab.", "a+b", "a@b", "a:b", "\xC3\xA9t\xC3\xA9",
        "\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80"})
    expect_error(create(slug), 422, "slug");
}

TEST_F(slugs_test, three_to_thirty_two_characters) {
  expect_error(create("ab"), 422, "slug");
  expect_error(create(json::value(std::string(33, 'x'))), 422, "slug");
  EXPECT_EQ(create("abc").status, 201);
  EXPECT_EQ(create(json::value(std::string(32, 'x'))).status, 201);
  EXPECT_EQ(visit(std::string(32, 'x')).status, 302);
  EXPECT_EQ(visit(std::string(33, 'x')).status, 404);
}

TEST_F(slugs_test, case_08_capitals_are_kept) {
  for (auto slug : {"LoKE2", "QWERTY"}) {
    auto answer = create(slug);
    ASSERT_EQ(answer.status, 201);
    EXPECT_EQ(text(answer.json(), "slug"), slug);
    EXPECT_EQ(visit(slug).status, 302);
  }
}

TEST_F(slugs_test, case_09_slugs_are_told_apart_by_case) {
  make_single("Launch-1", "https://a.example/");
  make_single("launch-1", "https://b.example/");
  EXPECT_EQ(visit("Launch-1").header("location"), "https://a.example/");
  EXPECT_EQ(visit("launch-1").header("location"), "https://b.example/");
  EXPECT_EQ(visit("LAUNCH-1").status, 404);
}

TEST_F(slugs_test, case_11_12_reserved_words) {
  for (auto slug : {"api",         "auth",        "app",
                    "assets",      "metrics",     "health",
                    "healthz",     "readyz",      "robots.txt",
                    "favicon.ico", "sitemap.xml", ".well-known",
                    "docs",        "admin",       "login",
                    "static",      "HEALTH",      "Api",
                    "MeTrIcS",     "\xC3\xA0pi",  "m\xC3\xA9trics",
                    "Robots.TXT"})
    expect_error(create(slug), 422, "slug");
  EXPECT_EQ(create("apis").status, 201);
  EXPECT_EQ(create("health-1").status, 201);
}

TEST_F(slugs_test, case_12_service_paths_are_answered) {
  auto robots = send("GET", "/robots.txt");
  EXPECT_EQ(robots.status, 200);
  EXPECT_THAT(robots.header("content-type"), testing::HasSubstr("text/plain"));
  EXPECT_THAT(send("GET", "/favicon.ico").status,
              testing::AnyOf(200, 204, 404));
  EXPECT_LT(send("GET", "/").status, 500);
}

TEST_F(slugs_test, case_13_favicon_counts_nothing) {
  auto link = make_single("promo-24");
  EXPECT_EQ(visit("promo-24").status, 302);
  send("GET", "/favicon.ico",
       {{"User-Agent", browser}, {"Referer", service->origin() + "/promo-24"}});
  send("GET", "/robots.txt", {{"User-Agent", browser}});
  settle();
  expect_counts(link, 1);
}

TEST_F(slugs_test, case_15_created_twenty_times_at_once) {
  std::vector<std::thread> threads;
  std::vector<int> statuses(20);
  for (auto& status : statuses)
    threads.emplace_back([this, &status] {
      http_client client{service->origin()};
      json::value body{
        {"name", "x"}, {"slug", "same-1"}, {"variants", two_variants()}};
      status = client
                 .send("POST", links_path, {{"X-API-Key", secret_key}},
                       json::serialize(body))
                 .status;
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 201), 1);
  EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 409), 19);
  auto list = get(links_path).json();
  ASSERT_EQ(number(list, "total"), 1);
  EXPECT_EQ(del(path_of(list.at("items").at(0))).status, 204);
  EXPECT_EQ(total_links(), 0);
}

TEST_F(slugs_test, two_hundred_at_once_each_get_their_own_answer) {
  constexpr size_t slugs = 150;
  std::vector<std::thread> threads;
  std::vector<response> answers(200);
  for (size_t i = 0; i < answers.size(); ++i)
    threads.emplace_back([this, i, &answers] {
      http_client client{service->origin()};
      json::value body{{"name", std::to_string(i)},
                       {"slug", "par-" + std::to_string(i % slugs)},
                       {"variants", two_variants()}};
      answers[i] = client.send("POST", links_path, {{"X-API-Key", secret_key}},
                               json::serialize(body));
    });
  for (auto& x : threads)
    x.join();
  std::map<std::string, std::string> names;
  for (size_t i = 0; i < answers.size(); ++i) {
    const auto slug = "par-" + std::to_string(i % slugs);
    if (answers[i].status == 201) {
      EXPECT_EQ(text(answers[i].json(), "slug"), slug);
      EXPECT_EQ(text(answers[i].json(), "name"), std::to_string(i));
      EXPECT_TRUE(names.emplace(slug, text(answers[i].json(), "id")).second);
    } else {
      expect_error(answers[i], 409, "Slug '" + slug + "' is already taken");
    }
  }
  EXPECT_EQ(names.size(), slugs);
  EXPECT_EQ(total_links(), static_cast<int64_t>(slugs));
  for (const auto& [slug, id] : names) {
    EXPECT_EQ(visit(slug).status, 302);
    EXPECT_EQ(text(get(links_path + "/" + id).json(), "slug"), slug);
  }
}

TEST_F(slugs_test, case_16_a_taken_slug_is_a_conflict) {
  make_single("dup-1");
  auto answer = create("dup-1");
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.detail(), "Slug 'dup-1' is already taken");
  EXPECT_EQ(total_links(), 1);
}

TEST_F(slugs_test, another_account_cannot_take_it_either) {
  make_single("dup-1");
  service->add_user("other@example.com");
  auto other = service->make_key("other@example.com");
  ASSERT_TRUE(eventually(
    [&] { return call_as(other, "GET", links_path).status == 200; }));
  auto answer
    = call_as(other, "POST", links_path,
              {{"name", "x"}, {"slug", "dup-1"}, {"variants", two_variants()}});
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.detail(), "Slug 'dup-1' is already taken");
}

TEST_F(slugs_test, generated_slugs_avoid_look_alikes) {
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    auto slug = text(make_split(), "slug");
    EXPECT_THAT(slug, MatchesRegex("[A-HJ-NP-Za-km-z2-9_-]{7}"));
    EXPECT_TRUE(seen.insert(slug).second);
  }
}

TEST_F(slugs_test, a_remembered_unknown_slug_works_once_it_is_created) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(visit("later-1").status, 404);
  make_single("later-1");
  EXPECT_EQ(visit("later-1").status, 302);
}

TEST_F(slugs_test, percent_encoding_is_no_other_spelling_of_a_slash) {
  make_single("enc-1");
  EXPECT_EQ(visit("enc-1%2F").status, 404);
  EXPECT_NE(visit("enc-1%00").status, 302);
  EXPECT_NE(visit("x/../enc-1").status, 302);
}

namespace {

class slug_length_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_SLUG_LENGTH", "11"}};
  }
};

} // namespace

TEST_F(slug_length_test, the_length_of_generated_slugs_is_a_setting) {
  EXPECT_EQ(text(make_split(), "slug").size(), 11u);
}
