#include "tests/api/harness/api_test.hpp"

#include <set>
#include <thread>

using namespace turnout::test;
using testing::HasSubstr;
using testing::MatchesRegex;

namespace {

class links_test : public api_test {};

std::set<std::string> member_names(const json::value& x) {
  std::set<std::string> result;
  for (auto& member : x.as_object())
    result.insert(std::string{member.key()});
  return result;
}

} // namespace

TEST_F(links_test, create_returns_the_link_with_its_variants) {
  auto answer = post(links_path, {{"name", "Spring campaign"},
                                  {"slug", "spring-1"},
                                  {"variants", two_variants(70, 30)}});
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_THAT(answer.header("content-type"), HasSubstr("application/json"));
  auto link = answer.json();
  EXPECT_THAT(text(link, "id"), is_uuid());
  EXPECT_EQ(text(link, "user_id"), owner_id);
  EXPECT_TRUE(link.at("organization_id").is_null());
  EXPECT_EQ(text(link, "slug"), "spring-1");
  EXPECT_EQ(text(link, "name"), "Spring campaign");
  EXPECT_EQ(link.at("is_active"), true);
  EXPECT_EQ(link.at("auto_winner"), false);
  EXPECT_EQ(number(link, "auto_winner_threshold"), 100);
  EXPECT_EQ(text(link, "routing_type"), "ab_test");
  EXPECT_TRUE(link.at("geo_rules").is_null());
  EXPECT_THAT(text(link, "created_at"), is_timestamp());
  EXPECT_THAT(text(link, "updated_at"), is_timestamp());
  EXPECT_EQ(text(link, "short_url"), service->origin() + "/spring-1");
  auto& variants = link.at("variants").as_array();
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(text(variants[0], "label"), "a");
  EXPECT_EQ(text(variants[1], "label"), "b");
  for (auto& x : variants) {
    EXPECT_THAT(text(x, "id"), is_uuid());
    EXPECT_EQ(text(x, "link_id"), text(link, "id"));
    EXPECT_EQ(x.at("is_winner"), false);
    EXPECT_THAT(text(x, "created_at"), is_timestamp());
  }
  EXPECT_EQ(text(variants[0], "destination_url"), "https://a.example/");
  EXPECT_EQ(number(variants[0], "weight"), 70);
  EXPECT_EQ(number(variants[1], "weight"), 30);
}

TEST_F(links_test, create_takes_every_field) {
  auto link = make_link({{"name", "all"},
                         {"slug", "all-fields"},
                         {"variants", two_variants()},
                         {"auto_winner", true},
                         {"auto_winner_threshold", 10},
                         {"routing_type", "geo"},
                         {"geo_rules", {{"DE", "a"}, {"default", "b"}}},
                         {"enable_conversion_tracking", false},
                         {"conversion_redirect_url", "https://t.example/"},
                         {"unknown_field", "is ignored"}});
  EXPECT_EQ(link.at("auto_winner"), true);
  EXPECT_EQ(number(link, "auto_winner_threshold"), 10);
  EXPECT_EQ(text(link, "routing_type"), "geo");
  json::value rules{{"DE", "a"}, {"default", "b"}};
  EXPECT_EQ(link.at("geo_rules"), rules);
  EXPECT_EQ(link.at("enable_conversion_tracking"), false);
  EXPECT_EQ(text(link, "conversion_redirect_url"), "https://t.example/");
}

TEST_F(links_test, reading_shows_the_created_link_without_short_url) {
  auto link = make_split();
  auto answer = get(path_of(link));
  ASSERT_EQ(answer.status, 200);
  auto expected = link.as_object();
  expected.erase("short_url");
  EXPECT_EQ(answer.json(), json::value(expected));
}

TEST_F(links_test, reading_an_unknown_or_malformed_id) {
  auto unknown = get(links_path + "/" + unknown_id);
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.detail(), "Link not found");
  for (auto id : {"abc", "123", "01890000-0000-7000-8000-00000000000g",
                  "018900000000700080000000000000000000"}) {
    for (auto rest : {"", "/analytics", "/analytics/winner", "/clicks"})
      expect_error(get(links_path + "/" + id + rest), 400);
  }
}

TEST_F(links_test, list_has_the_documented_fields_newest_first) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i)
    ids.push_back(text(make_split(), "id"));
  auto list = get(links_path);
  ASSERT_EQ(list.status, 200);
  auto body = list.json();
  EXPECT_EQ(number(body, "total"), 5);
  auto& items = body.at("items").as_array();
  ASSERT_EQ(items.size(), 5u);
  std::set<std::string> fields{
    "id",           "slug",       "name",         "is_active",
    "routing_type", "created_at", "total_clicks", "total_conversions",
    "top_variant"};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(text(items[i], "id"), ids[4 - i]);
    EXPECT_EQ(member_names(items[i]), fields);
    EXPECT_EQ(items[i].at("is_active"), true);
    EXPECT_THAT(text(items[i], "created_at"), is_timestamp());
  }
}

TEST_F(links_test, case_75_links_without_clicks_are_listed) {
  make_split(40, 60);
  auto body = get(links_path).json();
  auto& items = body.at("items").as_array();
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(number(items[0], "total_clicks"), 0);
  EXPECT_EQ(number(items[0], "total_conversions"), 0);
  // No conversions, no clicks: the highest weight decides.
  EXPECT_EQ(text(items[0], "top_variant"), "b");
}

TEST_F(links_test, list_pages_are_complete_and_disjoint) {
  std::set<std::string> made;
  for (int i = 0; i < 45; ++i)
    made.insert(text(make_split(), "id"));
  std::set<std::string> seen;
  std::vector<size_t> sizes;
  for (int page = 1; page <= 4; ++page) {
    auto body = get(links_path + "?page=" + std::to_string(page)).json();
    EXPECT_EQ(number(body, "total"), 45);
    auto& items = body.at("items").as_array();
    sizes.push_back(items.size());
    for (auto& item : items)
      EXPECT_TRUE(seen.insert(text(item, "id")).second);
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{20, 20, 5, 0}));
  EXPECT_EQ(seen, made);
  auto large = get(links_path + "?per_page=100").json();
  EXPECT_EQ(large.at("items").as_array().size(), 45u);
  auto small = get(links_path + "?per_page=7&page=7").json();
  EXPECT_EQ(small.at("items").as_array().size(), 3u);
}

TEST_F(links_test, case_72_list_paging_parameters) {
  make_split();
  for (auto query :
       {"page=0", "page=-1", "per_page=0", "per_page=101", "per_page=-5"})
    expect_error(get(links_path + "?" + query), 422);
  for (auto query : {"page=abc", "per_page=x", "page=", "page=1.5", "page=1e9"})
    expect_error(get(links_path + "?" + query), 400);
  auto past = get(links_path + "?page=999999");
  ASSERT_EQ(past.status, 200);
  EXPECT_TRUE(past.json().at("items").as_array().empty());
  EXPECT_EQ(number(past.json(), "total"), 1);
}

TEST_F(links_test, list_finds_what_is_searched_for) {
  auto add = [&](const std::string& slug, const std::string& name) {
    return text(
      make_link({{"slug", slug}, {"name", name}, {"variants", two_variants()}}),
      "slug");
  };
  add("spring-1", "Half price");
  add("mail", "SPRING mail");
  add("half", "50% off");
  add("under_score", "Plain");
  auto found = [&](const std::string& query) {
    std::vector<std::string> result;
    auto answer = get(links_path + "?search=" + query);
    EXPECT_EQ(answer.status, 200) << answer.body;
    auto body = answer.json();
    for (auto& item : body.at("items").as_array())
      result.push_back(text(item, "slug"));
    EXPECT_EQ(number(body, "total"), static_cast<int64_t>(result.size()));
    return result;
  };
  using testing::ElementsAre;
  EXPECT_THAT(found("sPring"), ElementsAre("mail", "spring-1"));
  EXPECT_THAT(found("%25"), ElementsAre("half"));
  EXPECT_THAT(found("_"), ElementsAre("under_score"));
  EXPECT_THAT(found("g%25m"), ElementsAre());
  EXPECT_THAT(found("half+price"), ElementsAre("spring-1"));
  EXPECT_EQ(found("").size(), 4u);
  // `total` counts what matches, whatever the page.
  auto second = get(links_path + "?search=spring&per_page=1&page=2").json();
  EXPECT_EQ(number(second, "total"), 2);
  ASSERT_EQ(second.at("items").as_array().size(), 1u);
  EXPECT_EQ(text(second.at("items").at(0), "slug"), "spring-1");
  // What is deleted is not found, and what is renamed is under its new name.
  auto link = get(links_path + "?search=mail").json().at("items").at(0);
  ASSERT_EQ(put(path_of(link), {{"name", "Letter"}}).status, 200);
  EXPECT_THAT(found("SPRING"), ElementsAre("spring-1"));
  EXPECT_THAT(found("letter"), ElementsAre("mail"));
  ASSERT_EQ(call("DELETE", path_of(link)).status, 204);
  EXPECT_THAT(found("letter"), ElementsAre());
  expect_error(get(links_path + "?search=" + std::string(201, 'a')), 422);
  expect_error(get(links_path + "?search=%ff"), 400);
}

TEST_F(links_test, list_has_every_order) {
  json::value made[3];
  auto i = 0;
  for (auto name : {"Sale 10", "sale 9", "Other"})
    made[i++] = make_link(
      {{"name", name}, {"variants", one_destination("https://a.example/")}});
  auto listed = [&](const std::string& sort) {
    std::vector<std::string> result;
    auto body = get(links_path + "?sort=" + sort).json();
    for (auto& item : body.at("items").as_array())
      result.push_back(text(item, "name"));
    EXPECT_EQ(number(body, "total"), 3);
    return result;
  };
  using testing::ElementsAre;
  EXPECT_THAT(listed("newest"), ElementsAre("Other", "sale 9", "Sale 10"));
  EXPECT_THAT(listed("oldest"), ElementsAre("Sale 10", "sale 9", "Other"));
  EXPECT_THAT(listed("name"), ElementsAre("Other", "sale 9", "Sale 10"));
  // Two clicks for one link, a conversion for another that has one click.
  for (auto n : {0, 0, 1})
    ASSERT_EQ(visit(text(made[n], "slug")).status, 302);
  ASSERT_EQ(post(conversions_path, {{"link_id", text(made[1], "id")}}).status,
            201);
  ASSERT_TRUE(eventually([&] {
    auto clicks = 0;
    auto body = get(links_path).json();
    for (auto& item : body.at("items").as_array())
      clicks += static_cast<int>(number(item, "total_clicks"));
    return clicks == 3;
  }));
  EXPECT_THAT(listed("clicks"), ElementsAre("Sale 10", "sale 9", "Other"));
  EXPECT_THAT(listed("conversions"), ElementsAre("sale 9", "Other", "Sale 10"));
  EXPECT_THAT(listed("rate"), ElementsAre("sale 9", "Other", "Sale 10"));
  auto refused = get(links_path + "?sort=random");
  expect_error(refused, 400);
  EXPECT_THAT(refused.body, HasSubstr("sort must be"));
}

TEST_F(links_test, update_changes_what_is_named_and_nothing_else) {
  auto link = make_split();
  auto answer = put(path_of(link), {{"name", "renamed"}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  auto updated = answer.json();
  EXPECT_EQ(text(updated, "name"), "renamed");
  EXPECT_GE(text(updated, "updated_at"), text(link, "updated_at"));
  auto expected = link.as_object();
  expected.erase("short_url");
  expected["name"] = "renamed";
  expected["updated_at"] = updated.at("updated_at");
  EXPECT_EQ(updated, json::value(expected));
  EXPECT_EQ(get(path_of(link)).json(), updated);
}

TEST_F(links_test, case_25_metadata_can_be_reset) {
  auto link = make_link({{"name", "x"},
                         {"variants", two_variants()},
                         {"geo_rules", {{"default", "a"}}}});
  auto path = path_of(link);
  EXPECT_EQ(
    put(path, {{"auto_winner", true}, {"auto_winner_threshold", 500}}).status,
    200);
  EXPECT_EQ(put(path, {{"auto_winner", false}}).status, 200);
  auto read = get(path).json();
  EXPECT_EQ(read.at("auto_winner"), false);
  EXPECT_EQ(number(read, "auto_winner_threshold"), 500);
  EXPECT_FALSE(read.at("geo_rules").is_null());
  EXPECT_EQ(put(path, {{"geo_rules", nullptr}}).status, 200);
  read = get(path).json();
  EXPECT_TRUE(read.at("geo_rules").is_null());
  auto answer = call("PUT", path, {}, "{}");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json(), read);
  EXPECT_EQ(get(path).json(), read);
}

TEST_F(links_test, the_whole_body_of_a_get_can_be_sent_back) {
  auto link = make_link({{"name", "x"},
                         {"variants", two_variants()},
                         {"geo_rules", {{"US", "b"}, {"default", "a"}}},
                         {"conversion_redirect_url", "https://t.example/"}});
  auto read = get(path_of(link)).json();
  auto answer = put(path_of(link), read);
  EXPECT_EQ(answer.status, 200) << answer.body;
  read = get(path_of(link)).json();
  read.as_object()["name"] = "y";
  answer = put(path_of(link), read);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(text(get(path_of(link)).json(), "name"), "y");
}

TEST_F(links_test, case_18_the_slug_never_changes) {
  auto link = make_single("old-1");
  expect_error(put(path_of(link), {{"slug", "new-1"}}), 422, "slug");
  EXPECT_EQ(visit("old-1").status, 302);
  EXPECT_EQ(visit("new-1").status, 404);
  auto items = get(links_path).json().at("items").as_array();
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(text(items[0], "slug"), "old-1");
}

TEST_F(links_test, read_only_fields_cannot_be_changed) {
  auto link = make_split();
  auto variants = link.at("variants");
  variants.as_array()[0].as_object()["weight"] = 51;
  json::object changes{{"id", unknown_id},
                       {"user_id", unknown_id},
                       {"organization_id", unknown_id},
                       {"created_at", "2020-01-01T00:00:00.000Z"},
                       {"updated_at", "2020-01-01T00:00:00.000Z"},
                       {"variants", variants}};
  for (auto& change : changes) {
    json::object body;
    body[change.key()] = change.value();
    expect_error(put(path_of(link), json::value(body)), 422, change.key());
  }
  auto expected = link.as_object();
  expected.erase("short_url");
  EXPECT_EQ(get(path_of(link)).json(), json::value(expected));
}

TEST_F(links_test, a_refused_update_changes_nothing) {
  auto link = make_split();
  auto before = get(path_of(link)).json();
  expect_error(
    put(path_of(link), {{"name", "half"}, {"auto_winner_threshold", 9}}), 422,
    "auto_winner_threshold");
  EXPECT_EQ(get(path_of(link)).json(), before);
}

TEST_F(links_test, case_26_a_paused_link_is_readable_and_resumes) {
  auto link = make_split();
  auto slug = text(link, "slug");
  EXPECT_EQ(visit(slug).status, 302);
  ASSERT_EQ(put(path_of(link), {{"is_active", false}}).status, 200);
  EXPECT_EQ(visit(slug).status, 404);
  EXPECT_EQ(get(path_of(link)).json().at("is_active"), false);
  EXPECT_EQ(get(path_of(link, "/analytics")).status, 200);
  EXPECT_EQ(get(path_of(link, "/clicks")).status, 200);
  auto list = get(links_path).json();
  ASSERT_EQ(number(list, "total"), 1);
  EXPECT_EQ(list.at("items").at(0).at("is_active"), false);
  ASSERT_EQ(put(path_of(link), {{"is_active", true}}).status, 200);
  EXPECT_EQ(visit(slug).status, 302);
  expect_counts(link, 2);
}

TEST_F(links_test, case_26_a_deleted_link_is_gone_everywhere) {
  auto link = make_split();
  auto slug = text(link, "slug");
  EXPECT_EQ(visit(slug).status, 302);
  auto gone = del(path_of(link));
  EXPECT_EQ(gone.status, 204);
  EXPECT_EQ(gone.body, "");
  EXPECT_EQ(visit(slug).status, 404);
  auto variant = variant_id(link, "a");
  for (auto& answer :
       {get(path_of(link)), get(path_of(link, "/analytics")),
        get(path_of(link, "/clicks")), del(path_of(link)),
        put(path_of(link), {{"is_active", true}}),
        put(path_of(link, "/variants"), two_variants()),
        post(path_of(link, "/promote-winner"), {{"variant_id", variant}})}) {
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.detail(), "Link not found");
  }
  EXPECT_EQ(total_links(), 0);
  service->restart();
  EXPECT_EQ(visit(slug).status, 404);
  EXPECT_EQ(get(path_of(link)).status, 404);
}

TEST_F(links_test, case_23_a_deleted_link_keeps_its_slug) {
  auto link = make_single("r-1");
  ASSERT_EQ(del(path_of(link)).status, 204);
  auto again
    = post(links_path, {{"name", "again"},
                        {"slug", "r-1"},
                        {"variants", one_destination("https://b.example/")}});
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.detail(), "Slug 'r-1' is already taken");
  EXPECT_EQ(visit("r-1").status, 404);
}

TEST_F(links_test, everything_is_there_after_a_restart) {
  auto link = make_link({{"name", "\xF0\x9F\x98\x80 \xC3\xA9"},
                         {"slug", "stays"},
                         {"variants", two_variants(10, 90)},
                         {"auto_winner", true},
                         {"auto_winner_threshold", 77},
                         {"geo_rules", {{"FR", "a"}, {"default", "b"}}}});
  auto before = get(path_of(link)).json();
  service->restart();
  EXPECT_EQ(get(path_of(link)).json(), before);
  EXPECT_EQ(visit("stays").status, 302);
}

TEST_F(links_test, deleting_one_link_leaves_the_others) {
  auto first = make_single("one-1");
  auto second = make_single("two-2");
  ASSERT_EQ(del(path_of(first)).status, 204);
  EXPECT_EQ(get(path_of(second)).status, 200);
  EXPECT_EQ(visit("two-2").status, 302);
  EXPECT_EQ(total_links(), 1);
}

TEST_F(links_test, updates_at_the_same_time_are_all_applied_in_some_order) {
  auto link = make_split();
  std::vector<std::thread> threads;
  std::vector<int> statuses(8);
  for (size_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      http_client client{service->origin()};
      json::value body{{"name", "name " + std::to_string(i)},
                       {"auto_winner_threshold", 100 + i}};
      statuses[i] = client
                      .send("PUT", path_of(link), {{"X-API-Key", secret_key}},
                            json::serialize(body))
                      .status;
    });
  for (auto& x : threads)
    x.join();
  EXPECT_THAT(statuses, testing::Each(200));
  auto read = get(path_of(link)).json();
  auto threshold = number(read, "auto_winner_threshold");
  EXPECT_EQ(text(read, "name"), "name " + std::to_string(threshold - 100));
}

TEST_F(links_test, case_19_looking_at_a_link_counts_nothing) {
  auto link = make_split();
  for (int i = 0; i < 5; ++i) {
    get(links_path);
    get(path_of(link));
    get(path_of(link, "/analytics"));
    get(path_of(link, "/clicks"));
    send("GET", "/");
  }
  expect_no_counts(link);
}
