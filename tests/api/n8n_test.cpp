#include "tests/api/harness/api_test.hpp"

using namespace turnout::test;

namespace {

/// Requests in the shapes that the node of the n8n workflow tool sends.
class n8n_test : public api_test {
protected:
  /// What is sent on every create.
  static json::object create_body() {
    return {{"name", "From a workflow"},
            {"variants", two_variants(70, 30)},
            {"auto_winner", false},
            {"auto_winner_threshold", 100},
            {"enable_conversion_tracking", true},
            {"routing_type", "ab_test"}};
  }

  /// What is sent on every update.
  static json::object update_body() {
    return {{"is_active", true},
            {"auto_winner", true},
            {"auto_winner_threshold", 250}};
  }

  response create(const json::object& body, const std::string& once = {}) {
    header_list headers;
    if (!once.empty())
      headers.emplace_back("Idempotency-Key", once);
    return post(links_path, body, headers);
  }

  /// Creates with one more field.
  response create_with(const std::string& field, const json::value& value) {
    auto body = create_body();
    body[field] = value;
    return create(body);
  }

  /// Updates with one more field.
  response update_with(const json::value& link, const std::string& field,
                       const json::value& value) {
    auto body = update_body();
    body[field] = value;
    return put(path_of(link), body);
  }
};

} // namespace

TEST_F(n8n_test, credentials_are_tried_with_a_page_of_one) {
  auto answer = get(links_path + "?page=1&per_page=1");
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json(),
            (json::object{{"items", json::array{}}, {"total", 0}}));
  make_split();
  make_split();
  answer = get(links_path + "?page=1&per_page=1");
  EXPECT_EQ(answer.json().at("items").as_array().size(), 1u);
  EXPECT_EQ(number(answer.json(), "total"), 2);
  expect_error(call_as("svc_sk_" + std::string(32, 'x'), "GET",
                       links_path + "?page=1&per_page=1"),
               401, "Invalid API key.");
}

TEST_F(n8n_test, creates_with_the_fields_that_are_always_sent) {
  auto answer = create(create_body(), "run-1");
  ASSERT_EQ(answer.status, 201) << answer.body;
  auto link = answer.json();
  EXPECT_EQ(link.at("geo_rules"), nullptr);
  EXPECT_EQ(link.at("conversion_redirect_url"), nullptr);
  EXPECT_EQ(link.at("enable_conversion_tracking"), true);
  EXPECT_EQ(link.at("is_active"), true);
  EXPECT_EQ(visit(text(link, "slug")).status, 302);
  // The tool tries again after a time-out.
  auto again = create(create_body(), "run-1");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, answer.body);
  EXPECT_EQ(total_links(), 1);
}

TEST_F(n8n_test, creates_with_every_optional_field) {
  auto body = create_body();
  body["slug"] = "n8n-link";
  body["conversion_redirect_url"] = "https://shop.example/thanks";
  body["routing_type"] = "geo";
  body["geo_rules"] = json::object{{"DE", "b"}, {"default", "a"}};
  auto answer = create(body, "run-2");
  ASSERT_EQ(answer.status, 201) << answer.body;
  auto link = answer.json();
  EXPECT_EQ(text(link, "slug"), "n8n-link");
  EXPECT_EQ(text(link, "conversion_redirect_url"),
            "https://shop.example/thanks");
  EXPECT_EQ(link.at("geo_rules"), body["geo_rules"]);
  EXPECT_EQ(link.at("routing_type"), "geo");
}

TEST_F(n8n_test, null_leaves_an_optional_field_of_a_create_out) {
  auto body = create_body();
  for (auto field : {"slug", "conversion_redirect_url", "geo_rules"})
    body[field] = nullptr;
  auto answer = create(body);
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.json().at("geo_rules"), nullptr);
  EXPECT_EQ(answer.json().at("conversion_redirect_url"), nullptr);
  EXPECT_EQ(text(answer.json(), "slug").size(), 7u);
  // Where the contract knows no null, it is a wrong type.
  for (auto field : {"name", "variants", "auto_winner", "auto_winner_threshold",
                     "enable_conversion_tracking", "routing_type"})
    expect_error(create_with(field, nullptr), 422, field);
}

TEST_F(n8n_test, an_emptied_field_of_a_create_is_told_by_name) {
  // Guessing what an empty text means would hide a mistake in the workflow: a
  // link without the address that was meant for it.
  for (auto field :
       {"name", "slug", "conversion_redirect_url", "geo_rules", "routing_type",
        "auto_winner", "auto_winner_threshold", "enable_conversion_tracking"})
    expect_error(create_with(field, ""), 422, field);
  // An empty set of rules lacks the default, whatever the routing.
  expect_error(create_with("geo_rules", json::object{}), 422,
               "geo_rules must contain a 'default' variant");
  EXPECT_EQ(total_links(), 0);
}

TEST_F(n8n_test, a_geo_rule_of_a_split_link_is_kept_for_later) {
  auto answer = create_with("geo_rules", json::object{{"default", "a"}});
  ASSERT_EQ(answer.status, 201) << answer.body;
  auto link = answer.json();
  EXPECT_EQ(link.at("routing_type"), "ab_test");
  EXPECT_EQ(link.at("geo_rules"), (json::object{{"default", "a"}}));
}

TEST_F(n8n_test, updates_with_the_fields_that_are_always_sent) {
  auto link = make_split();
  auto answer = put(path_of(link), update_body());
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json().at("auto_winner"), true);
  EXPECT_EQ(number(answer.json(), "auto_winner_threshold"), 250);
  EXPECT_EQ(text(answer.json(), "name"), text(link, "name"));
  EXPECT_EQ(answer.json().at("variants"), link.at("variants"));
  auto body = update_body();
  body["is_active"] = false;
  EXPECT_EQ(put(path_of(link), body).json().at("is_active"), false);
  EXPECT_EQ(visit(text(link, "slug")).status, 404);
}

TEST_F(n8n_test, updates_with_every_optional_field) {
  auto link = make_split();
  auto body = update_body();
  body["name"] = "Renamed";
  body["conversion_redirect_url"] = "https://shop.example/thanks";
  body["geo_rules"] = json::object{{"FR", "b"}, {"default", "a"}};
  auto answer = put(path_of(link), body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  for (auto& [name, value] : body)
    EXPECT_EQ(answer.json().at(name), value) << name;
  EXPECT_EQ(get(path_of(link)).json(), answer.json());
}

TEST_F(n8n_test, null_and_empty_values_of_an_update) {
  auto link = make_split();
  auto body = update_body();
  body["conversion_redirect_url"] = "https://shop.example/thanks";
  body["geo_rules"] = json::object{{"default", "a"}};
  ASSERT_EQ(put(path_of(link), body).status, 200);
  for (auto field : {"name", "conversion_redirect_url", "geo_rules"})
    expect_error(update_with(link, field, ""), 422, field);
  expect_error(update_with(link, "name", nullptr), 422, "name");
  // What was refused changed nothing; null clears.
  auto unchanged = get(path_of(link)).json();
  EXPECT_EQ(text(unchanged, "conversion_redirect_url"),
            "https://shop.example/thanks");
  for (auto field : {"conversion_redirect_url", "geo_rules"}) {
    auto answer = update_with(link, field, nullptr);
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.json().at(field), nullptr);
  }
}
