#include "tests/api/harness/api_test.hpp"

using namespace turnout::test;

namespace {

class updates_test : public api_test {};

class links_limit_test : public api_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_LINKS_PER_ACCOUNT", "2"}};
  }
};

} // namespace

TEST_F(updates_test, each_writable_field_is_taken_and_kept) {
  auto link = make_split();
  auto expected = link.as_object();
  expected.erase("short_url");
  json::value rules{{"DE", "a"}, {"GB", "b"}, {"default", "b"}};
  const std::vector<std::pair<std::string, json::value>> changes{
    {"name", "renamed"},
    {"auto_winner", true},
    {"auto_winner_threshold", 10},
    {"is_active", false},
    {"geo_rules", rules},
    {"routing_type", "geo"},
    {"conversion_redirect_url", "https://t.example/thanks"},
    {"enable_conversion_tracking", false}};
  for (auto& [name, value] : changes) {
    SCOPED_TRACE(name);
    json::object body;
    body[name] = value;
    auto answer = put(path_of(link), json::value(body));
    ASSERT_EQ(answer.status, 200) << answer.body;
    auto updated = answer.json();
    expected[name] = value;
    expected["updated_at"] = updated.at("updated_at");
    EXPECT_EQ(updated, json::value(expected));
    EXPECT_EQ(get(path_of(link)).json(), updated);
  }
}

TEST_F(updates_test, the_list_shows_what_was_changed) {
  auto link = make_split();
  json::value changes{{"name", "renamed"},
                      {"is_active", false},
                      {"routing_type", "geo"},
                      {"geo_rules", {{"default", "b"}}}};
  ASSERT_EQ(put(path_of(link), changes).status, 200);
  auto item = get(links_path).json().at("items").at(0);
  EXPECT_EQ(text(item, "id"), text(link, "id"));
  EXPECT_EQ(text(item, "slug"), text(link, "slug"));
  EXPECT_EQ(text(item, "created_at"), text(link, "created_at"));
  EXPECT_EQ(text(item, "name"), "renamed");
  EXPECT_EQ(item.at("is_active"), false);
  EXPECT_EQ(text(item, "routing_type"), "geo");
}

TEST_F(updates_test, conversions_are_tracked_unless_switched_off) {
  auto link = make_split();
  EXPECT_EQ(link.at("enable_conversion_tracking"), true);
  EXPECT_TRUE(link.at("conversion_redirect_url").is_null());
}

TEST_F(updates_test, unknown_fields_are_ignored) {
  auto link = make_split();
  auto before = get(path_of(link)).json();
  auto answer = put(path_of(link), {{"unknown", 1}, {"short_url", "x"}});
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json(), before);
  auto variants = two_variants();
  variants[0].as_object()["unknown"] = true;
  EXPECT_EQ(put(path_of(link, "/variants"), variants).json(), before);
}

TEST_F(links_limit_test, an_account_has_at_most_so_many_links) {
  auto first = make_split();
  make_split();
  expect_error(post(links_path, {{"name", "x"}, {"variants", two_variants()}}),
               422, "2");
  EXPECT_EQ(total_links(), 2);
  // Another account has its own.
  service->add_user("other@example.com");
  auto other = service->make_key("other@example.com");
  ASSERT_TRUE(eventually(
    [&] { return call_as(other, "GET", links_path).status == 200; }));
  EXPECT_EQ(call_as(other, "POST", links_path,
                    {{"name", "x"}, {"variants", two_variants()}})
              .status,
            201);
  // A deleted link makes room.
  ASSERT_EQ(del(path_of(first)).status, 204);
  make_split();
}
