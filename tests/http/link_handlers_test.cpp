#include "tests/http/fixture.hpp"

#include <boost/json/serialize.hpp>

using namespace turnout;
using namespace turnout::test;

namespace {

constexpr auto post = http_method::post;
constexpr auto put = http_method::put;

const std::string good_variants
  = R"([{"label":"a","destination_url":"https://a.example/","weight":60},
        {"label":"b","destination_url":"https://b.example/","weight":40}])";

std::string body(const std::string& variants, const std::string& more = "") {
  return R"({"name":"n","variants":)" + variants + more + "}";
}

std::string variant_json(const std::string& label, const std::string& url,
                         const std::string& weight) {
  return R"({"label":)" + label + R"(,"destination_url":)" + url
         + R"(,"weight":)" + weight + "}";
}

std::string two(const std::string& first) {
  return "[" + first + ","
         + variant_json("\"z\"", "\"https://z.example/\"", "40") + "]";
}

class link_handlers : public http_test {
public:
  void expect_create(const std::string& body, int status,
                     const std::string& detail) {
    const auto n = actors.links.size();
    auto out = api(post, "/public/links", body);
    EXPECT_EQ(out->status(), status) << body;
    EXPECT_EQ(out->detail(), detail) << body;
    EXPECT_EQ(out->answers, 1);
    EXPECT_EQ(actors.links.size(), n) << body;
  }

  void expect_invalid(const std::string& body, const std::string& detail) {
    expect_create(body, 422, detail);
  }

  void expect_update(const std::string& path, const std::string& body,
                     int status, const std::string& detail) {
    auto out = api(put, path, body);
    EXPECT_EQ(out->status(), status) << body;
    EXPECT_EQ(out->detail(), detail) << body;
  }
};

} // namespace

TEST_F(link_handlers, create_answers_the_link_in_the_order_of_the_contract) {
  auto out = api(post, "/public/links",
                 body(good_variants, R"(,"slug":"LoKE2","unknown":1)"));
  ASSERT_EQ(out->status(), 201);
  auto x = out->json().as_object();
  std::vector<std::string> names;
  for (const auto& member : x)
    names.emplace_back(member.key());
  EXPECT_EQ(names, (std::vector<std::string>{
                     "id", "user_id", "organization_id", "slug", "name",
                     "is_active", "auto_winner", "auto_winner_threshold",
                     "routing_type", "geo_rules", "created_at", "updated_at",
                     "variants", "enable_conversion_tracking",
                     "conversion_redirect_url", "short_url"}));
  EXPECT_EQ(x["slug"], "LoKE2");
  EXPECT_EQ(x["short_url"], "https://s.example/LoKE2");
  EXPECT_EQ(x["organization_id"], nullptr);
  EXPECT_EQ(x["is_active"], true);
  EXPECT_EQ(x["auto_winner"], false);
  EXPECT_EQ(x["auto_winner_threshold"], 100);
  EXPECT_EQ(x["routing_type"], "ab_test");
  EXPECT_EQ(x["geo_rules"], nullptr);
  EXPECT_EQ(x["user_id"], boost::json::string_view(actors.owner.str()));
  const auto& v = x["variants"].as_array().at(1).as_object();
  names.clear();
  for (const auto& member : v)
    names.emplace_back(member.key());
  EXPECT_EQ(names, (std::vector<std::string>{"id", "link_id", "label",
                                             "destination_url", "weight",
                                             "is_winner", "created_at"}));
  EXPECT_EQ(v.at("link_id"), x["id"]);
  EXPECT_EQ(v.at("weight"), 40);
  EXPECT_EQ(x["created_at"].as_string().size(), 24u);
  EXPECT_EQ(out->header("Content-Type"), "application/json");
  EXPECT_EQ(out->header("X-RateLimit-Limit"), "1000");
}

TEST_F(link_handlers, create_generates_a_slug_for_null_or_none) {
  EXPECT_EQ(api(post, "/public/links", body(good_variants))->status(), 201);
  EXPECT_TRUE(actors.created.back().draft.slug.empty());
  actors.links.clear();
  EXPECT_EQ(api(post, "/public/links", body(good_variants, R"(,"slug":null)"))
              ->status(),
            201);
  EXPECT_TRUE(actors.created.back().draft.slug.empty());
}

TEST_F(link_handlers, bad_slugs_are_refused) {
  for (std::string slug : {"", "/", "//", "   ", ".", "..", "promo-24/", "ab",
                           "v1.2", "a~b", "ab.", "\\u00e0pi", "m\\u00e9trics",
                           "a123456789012345678901234567890bc"})
    expect_invalid(body(good_variants, R"(,"slug":")" + slug + "\""),
                   "slug must be 3 to 32 characters of A-Z, a-z, 0-9, '-' and "
                   "'_'");
  for (std::string slug : {"HEALTH", "Api", "metrics", "docs", "login"})
    expect_invalid(body(good_variants, R"(,"slug":")" + slug + "\""),
                   "slug '" + slug + "' is reserved");
  expect_invalid(body(good_variants, R"(,"slug":7)"), "slug must be a string");
}

TEST_F(link_handlers, a_taken_slug_is_409) {
  add_link("dup-1");
  expect_create(body(good_variants, R"(,"slug":"dup-1")"), 409,
                "Slug 'dup-1' is already taken");
}

TEST_F(link_handlers, required_fields_come_first_in_order) {
  expect_invalid("{}", "field required: name");
  expect_invalid(R"({"variants":[]})", "field required: name");
  expect_invalid(R"({"name":5})", "field required: variants");
  expect_invalid(R"({"name":5,"variants":[{}]})",
                 "field required: variants[0].label");
  expect_invalid(R"({"name":5,"variants":[{"label":1}]})",
                 "field required: variants[0].destination_url");
  expect_invalid(R"({"name":5,"variants":[{"label":1,"destination_url":1}]})",
                 "field required: variants[0].weight");
  expect_invalid(
    R"({"name":"","variants":[{"label":1,"destination_url":1,"weight":1},{}]})",
    "field required: variants[1].label");
}

TEST_F(link_handlers, types_and_rules_come_field_by_field) {
  expect_invalid(R"({"name":5,"slug":5,"variants":5})",
                 "name must be a string");
  expect_invalid(R"({"name":"n","slug":5,"variants":5})",
                 "slug must be a string");
  expect_invalid(R"({"name":"n","variants":5,"auto_winner":5})",
                 "variants must be an array");
  expect_invalid(R"({"name":null,"variants":[]})", "name must be a string");
  expect_invalid(R"({"name":"n","variants":[],"auto_winner":5})",
                 "variants must be 2 to 5 objects, got 0");
  expect_invalid(R"({"name":"n","variants":[1,2]})",
                 "variants[0] must be a JSON object");
  expect_invalid(body(good_variants, R"(,"auto_winner":"false")"),
                 "auto_winner must be a boolean");
  expect_invalid(body(good_variants, R"(,"auto_winner_threshold":9,
                                       "routing_type":1)"),
                 "auto_winner_threshold must be at least 10");
  for (std::string bad : {"\"50\"", "50.5", "true", "null", "1e2"})
    expect_invalid(body(good_variants, ",\"auto_winner_threshold\":" + bad),
                   "auto_winner_threshold must be an integer");
  expect_invalid(body(good_variants, R"(,"routing_type":"GEO")"),
                 "routing_type must be 'ab_test' or 'geo'");
  expect_invalid(body(good_variants, R"(,"enable_conversion_tracking":1)"),
                 "enable_conversion_tracking must be a boolean");
  expect_invalid(
    body(good_variants, R"(,"conversion_redirect_url":"ftp://x/")"),
    "conversion_redirect_url must be an absolute http or https "
    "URL");
}

TEST_F(link_handlers, names_are_trimmed_and_counted_in_code_points) {
  std::string letter = "\xf0\x9f\x98\x80";
  std::string name;
  for (auto i = 0; i < 100; ++i)
    name += letter;
  auto make = [&](const std::string& name) {
    return R"({"name":")" + name + R"(","variants":)" + good_variants + "}";
  };
  EXPECT_EQ(api(post, "/public/links", make("  " + name + " "))->status(), 201);
  EXPECT_EQ(actors.created.back().draft.name, name);
  expect_invalid(make(name + letter), "name must be 1 to 100 characters");
  expect_invalid(make("   "), "name must be 1 to 100 characters");
  expect_invalid(make("a\\u0007b"), "name must not contain control characters");
}

TEST_F(link_handlers, variants_are_checked_one_after_the_other) {
  auto one = [](const std::string& label, const std::string& weight) {
    return variant_json(label, "\"https://a.example/\"", weight);
  };
  expect_invalid(body("[" + one("\"a\"", "100") + "]"),
                 "variants must be 2 to 5 objects, got 1");
  std::string six = "[";
  for (auto i = 0; i < 6; ++i)
    six += (i ? "," : "") + one("\"a" + std::to_string(i) + "\"", "10");
  expect_invalid(body(six + "]"), "variants must be 2 to 5 objects, got 6");
  expect_invalid(body(two(one("5", "\"x\""))),
                 "variants[0].label must be a string");
  expect_invalid(body(two(one("\"" + std::string(51, 'x') + "\"", "60"))),
                 "variants[0].label must be 1 to 50 characters");
  for (std::string bad : {"\"50\"", "50.5", "true", "null", "1e2"})
    expect_invalid(body(two(one("\"a\"", bad))),
                   "variants[0].weight must be an integer");
  for (std::string bad : {"-1", "101", "18446744073709551615"})
    expect_invalid(body(two(one("\"a\"", bad))),
                   "variants[0].weight must be between 0 and 100");
  expect_invalid(body(two(one("\"z\"", "60"))),
                 "Variant label 'z' is used more than once");
  expect_invalid(body(two(one("\"a\"", "50"))),
                 "Variant weights must sum to 100, got 90");
  // The labels' rule comes before the sum's.
  expect_invalid(body(two(one("\"z\"", "1"))),
                 "Variant label 'z' is used more than once");
}

TEST_F(link_handlers, bad_destinations_are_refused_on_every_write_path) {
  const auto x = add_link();
  const auto path = "/public/links/" + x.id.str() + "/variants";
  for (std::string url : {"example.com/x",
                          "//c.example/",
                          "mailto:a@b.example",
                          "http:/x",
                          "http://",
                          "https://:80/",
                          "http://[::1",
                          "ftp://f.example/",
                          "",
                          "javascript:alert(1)",
                          "JaVaScRiPt:alert(1)",
                          " javascript:alert(1)",
                          "java\\tscript:alert(1)",
                          "data:text/html,x",
                          "file:///etc/passwd",
                          "vbscript:x",
                          "https://user:pass@a.example/",
                          "https://s.example/x-1",
                          "https://S.EXAMPLE:443/x",
                          "http://s.example./x"}) {
    const auto variants = two(variant_json("\"a\"", "\"" + url + "\"", "60"));
    auto out = api(post, "/public/links", body(variants));
    EXPECT_EQ(out->status(), 422) << url;
    EXPECT_TRUE(out->detail().starts_with("variants[0].destination_url must"))
      << out->detail();
    out = api(put, path, variants);
    EXPECT_EQ(out->status(), 422) << url;
    EXPECT_TRUE(out->detail().starts_with("[0].destination_url must"))
      << out->detail();
  }
  EXPECT_EQ(actors.links.size(), 1u);
}

TEST_F(link_handlers, destinations_are_kept_byte_for_byte) {
  const auto url = "https://app.example/c?email=jo%2Btest%40mail.example";
  const auto padded = "https://a.example/" + std::string(2048 - 18, 'x');
  auto out = api(
    post, "/public/links",
    body(two(variant_json("\"a\"", std::string{"\""} + url + "\"", "60"))));
  ASSERT_EQ(out->status(), 201);
  EXPECT_EQ(actors.created.back().draft.variants[0].destination_url, url);
  actors.links.clear();
  EXPECT_EQ(api(post, "/public/links",
                body(two(variant_json("\"a\"", "\"" + padded + "\"", "60"))))
              ->status(),
            201);
  expect_invalid(body(two(variant_json("\"a\"", "\"" + padded + "x\"", "60"))),
                 "variants[0].destination_url must be 1 to 2048 characters");
}

TEST_F(link_handlers, geo_rules_are_checked) {
  auto geo = [](const std::string& rules) {
    return body(good_variants, R"(,"routing_type":"geo","geo_rules":)" + rules);
  };
  expect_invalid(body(good_variants, R"(,"routing_type":"geo")"),
                 "field required: geo_rules");
  expect_invalid(geo(R"({"US":"a"})"),
                 "geo_rules must contain a 'default' variant");
  expect_invalid(geo(R"({"US":"c","default":"b"})"),
                 "Variant label 'c' does not exist. Available variants: a, b");
  expect_invalid(geo(R"({"US":5,"default":"b"})"),
                 "geo_rules.US must be a string");
  expect_invalid(geo("[]"), "geo_rules must be an object or null");
  for (std::string bad : {"us", "XX", "USA", ""})
    expect_invalid(geo(R"({")" + bad + R"(":"a","default":"b"})"),
                   "geo_rules key '" + bad
                     + "' must be an upper-case ISO 3166-1 alpha-2 country "
                       "code or 'default'");
  auto out = api(post, "/public/links", geo(R"({"US":"a","default":"b"})"));
  ASSERT_EQ(out->status(), 201);
  EXPECT_EQ(boost::json::serialize(out->json().at("geo_rules")),
            R"({"US":"a","default":"b"})");
  // Not used, but checked, with ab_test.
  expect_invalid(body(good_variants, R"(,"geo_rules":{"US":"a"})"),
                 "geo_rules must contain a 'default' variant");
}

TEST_F(link_handlers, bodies_that_are_not_json_are_refused) {
  for (std::string bad :
       {"", "{", "{\"name\":\"a\",\"name\":\"b\"}", "nul", "{} x",
        "{\"name\":\"\xff\"}", "{'name':1}", "{\"a\":1,}", "[1 2]"})
    expect_invalid(bad, "Invalid JSON in request body");
  expect_invalid(std::string(33, '[') + std::string(33, ']'),
                 "Invalid JSON in request body");
  expect_invalid("[]", "request body must be a JSON object");
  expect_invalid(std::string(32, '[') + std::string(32, ']'),
                 "request body must be a JSON object");
}

TEST_F(link_handlers, bodies_of_wrong_type_or_size_are_refused) {
  for (std::string type : {"application/x-www-form-urlencoded",
                           "Application/X-WWW-Form-Urlencoded; charset=utf-8",
                           "multipart/form-data; boundary=x"}) {
    auto out
      = send({post,
              "/api/v1/public/links",
              {{"X-API-Key", fake_service::secret_key}, {"Content-Type", type}},
              body(good_variants)});
    EXPECT_EQ(out->status(), 415);
    EXPECT_EQ(out->header("Access-Control-Allow-Origin"), "*");
  }
  auto out = send(
    {post,
     "/api/v1/public/links",
     {{"X-API-Key", fake_service::secret_key}, {"Content-Type", "text/plain"}},
     body(good_variants)});
  EXPECT_EQ(out->status(), 201);
  auto large = body(good_variants, ",\"x\":\"");
  large.resize(max_body_bytes - 2, 'x');
  large += "\"}";
  actors.links.clear();
  EXPECT_EQ(api(post, "/public/links", large)->status(), 201);
  EXPECT_EQ(api(post, "/public/links", large + " ")->status(), 413);
}

TEST_F(link_handlers, idempotency_key_goes_with_a_hash_of_the_json) {
  auto create = [this](const std::string& key, const std::string& body) {
    actors.links.clear();
    return send(
      {post,
       "/api/v1/public/links",
       {{"X-API-Key", fake_service::secret_key}, {"Idempotency-Key", key}},
       body});
  };
  auto hash_of = [&](const std::string& body) {
    EXPECT_EQ(create("k", body)->status(), 201);
    return actors.created.back().once->body_hash;
  };
  const auto first
    = hash_of(R"({"name":"n","slug":"abc","variants":)" + good_variants + "}");
  EXPECT_EQ(actors.created.back().once->key, "k");
  EXPECT_EQ(first.size(), 64u);
  EXPECT_EQ(first, hash_of(R"({ "variants" : )" + good_variants
                           + R"(,"slug":"a\u0062c","name":"n"})"));
  EXPECT_NE(first, hash_of(R"({"name":"m","slug":"abc","variants":)"
                           + good_variants + "}"));
  EXPECT_EQ(create(std::string(255, 'k'), body(good_variants))->status(), 201);
  for (std::string bad : {std::string{}, std::string(256, 'k'),
                          std::string{"a\tb"}, std::string{"\xc3\xa4"}}) {
    auto out = create(bad, body(good_variants));
    EXPECT_EQ(out->status(), 422);
    EXPECT_EQ(out->detail(), "Idempotency-Key must be 1 to 255 printable ASCII "
                             "characters, given once");
  }
  actors.links.clear();
  EXPECT_EQ(api(post, "/public/links", body(good_variants))->status(), 201);
  EXPECT_FALSE(actors.created.back().once.has_value());
}

TEST_F(link_handlers, list_reads_the_page) {
  link_summary x;
  x.slug = "s-1";
  x.name = "n";
  x.top_variant = "a";
  x.total_clicks = 7;
  actors.page_of_links.items.push_back(x);
  actors.page_of_links.total = 12;
  auto out = api(http_method::get, "/public/links?page=2&per_page=100");
  EXPECT_EQ(out->status(), 200);
  EXPECT_EQ(actors.paging, std::make_pair(2, 100));
  EXPECT_EQ(out->json().at("total"), 12);
  const auto body = out->json();
  const auto& item = body.at("items").at(0).as_object();
  std::vector<std::string> names;
  for (const auto& member : item)
    names.emplace_back(member.key());
  EXPECT_EQ(names,
            (std::vector<std::string>{
              "id", "slug", "name", "is_active", "routing_type", "created_at",
              "total_clicks", "total_conversions", "top_variant"}));
  api(http_method::get, "/public/links");
  EXPECT_EQ(actors.paging, std::make_pair(1, 20));
}

TEST_F(link_handlers, list_reads_search_and_order) {
  auto list = [&](const std::string& query) {
    return api(http_method::get, "/public/links" + query);
  };
  EXPECT_EQ(list("")->status(), 200);
  EXPECT_TRUE(actors.selection.is_plain());
  EXPECT_EQ(list("?search=&sort=newest")->status(), 200);
  EXPECT_TRUE(actors.selection.is_plain());
  EXPECT_EQ(list("?search=50%25+off_%C3%A4&sort=clicks&page=3")->status(), 200);
  EXPECT_EQ(actors.selection.search, "50% off_\xc3\xa4");
  EXPECT_EQ(actors.selection.sort, link_sort::clicks);
  EXPECT_EQ(actors.paging, std::make_pair(3, 20));
  // Characters are counted, not bytes.
  std::string most;
  for (auto i = 0; i < 200; ++i)
    most += "%C3%A4";
  EXPECT_EQ(list("?search=" + most)->status(), 200);
  EXPECT_EQ(actors.selection.search.size(), 400u);
  auto expect
    = [&](const std::string& query, int status, const std::string& detail) {
        auto out = list(query);
        EXPECT_EQ(out->status(), status) << query;
        EXPECT_EQ(out->detail(), detail) << query;
      };
  expect("?search=" + most + "a", 422, "search must be at most 200 characters");
  expect("?search=%ff", 400, "search must be valid UTF-8");
  expect("?search=%f", 400, "search is not percent-encoded text");
  expect("?search=a&search=a", 422, "search must be given once only");
  for (std::string bad : {"", "random", "NEWEST", "-clicks", "clicks%20"})
    expect("?sort=" + bad, 400,
           "sort must be \"newest\", \"oldest\", \"name\", \"clicks\", "
           "\"conversions\" or \"rate\"");
  expect("?sort=name&sort=name", 422, "sort must be given once only");
  // In the order of the contract.
  expect("?sort=x&page=x", 400, "page must be an integer");
}

TEST_F(link_handlers, get_answers_the_link_without_its_address) {
  const auto x = add_link();
  auto out = api(http_method::get, "/public/links/" + x.id.str());
  EXPECT_EQ(out->status(), 200);
  EXPECT_EQ(out->json().at("slug"), "promo-24");
  EXPECT_FALSE(out->json().as_object().contains("short_url"));
  out = api(http_method::get, "/public/links/not-a-uuid");
  EXPECT_EQ(out->status(), 400);
  out = api(http_method::get,
            "/public/links/00000000-0000-7000-8000-0000000009ff");
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->detail(), "Link not found");
}

TEST_F(link_handlers, update_changes_what_is_given) {
  const auto x = add_link();
  const auto path = "/public/links/" + x.id.str();
  auto& stored = actors.links[x.id];
  auto ok = [&](const std::string& body) {
    auto out = api(put, path, body);
    EXPECT_EQ(out->status(), 200) << out->detail();
    return out->json();
  };
  ok(R"({"auto_winner":true,"auto_winner_threshold":500})");
  EXPECT_TRUE(stored.auto_winner);
  ok(R"({"auto_winner":false})");
  EXPECT_FALSE(stored.auto_winner);
  EXPECT_EQ(stored.auto_winner_threshold, 500);
  ok(R"({"routing_type":"geo","geo_rules":{"default":"b"}})");
  expect_update(path, R"({"geo_rules":null})", 422,
                "field required: geo_rules");
  ok(R"({"routing_type":"ab_test"})");
  ok(R"({"geo_rules":null})");
  EXPECT_FALSE(stored.geo.has_value());
  ok(R"({"conversion_redirect_url":"https://t.example/","name":"New"})");
  EXPECT_EQ(stored.conversion_redirect_url, "https://t.example/");
  ok(R"({"conversion_redirect_url":null,"is_active":false})");
  EXPECT_FALSE(stored.conversion_redirect_url.has_value());
  EXPECT_FALSE(stored.is_active);
  const auto before = stored;
  EXPECT_EQ(ok("{}").at("name"), "New");
  EXPECT_EQ(stored, before);
  expect_update(path, R"({"name":""})", 422,
                "name must be 1 to 100 characters");
  expect_update(path, R"({"is_active":null})", 422,
                "is_active must be a boolean");
  expect_update(path, R"({"geo_rules":{"default":"q"}})", 422,
                "Variant label 'q' does not exist. Available variants: a, b");
  expect_update(path, "[]", 422, "request body must be a JSON object");
  expect_update("/public/links/xyz", "[]", 400, "id must be a UUID");
}

TEST_F(link_handlers, update_takes_read_only_fields_back_unchanged_only) {
  const auto x = add_link();
  const auto path = "/public/links/" + x.id.str();
  const auto shown = api(http_method::get, path)->json();
  auto body = shown.as_object();
  body["name"] = "Renamed";
  auto out = api(put, path, boost::json::serialize(body));
  ASSERT_EQ(out->status(), 200) << out->detail();
  EXPECT_EQ(actors.links[x.id].name, "Renamed");
  expect_update(path, R"({"slug":"new-1"})", 422,
                "slug cannot be changed here");
  expect_update(path, R"({"id":"x","slug":"new-1"})", 422,
                "id cannot be changed here");
  expect_update(path, R"({"variants":[]})", 422,
                "variants cannot be changed here");
  for (std::string name :
       {"user_id", "organization_id", "created_at", "updated_at"})
    expect_update(path, "{\"" + name + "\":\"x\"}", 422,
                  name + " cannot be changed here");
  EXPECT_EQ(actors.links[x.id].slug, "promo-24");
}

TEST_F(link_handlers, put_variants_replaces_the_set) {
  const auto x = add_link();
  const auto path = "/public/links/" + x.id.str() + "/variants";
  auto out = api(put, path, R"([
    {"label":"a","destination_url":"https://new.example/","weight":10},
    {"label":"c","destination_url":"https://c.example/","weight":90}])");
  ASSERT_EQ(out->status(), 200);
  const auto body = out->json();
  const auto& variants = body.at("variants").as_array();
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[0].at("id"),
            boost::json::string_view(x.variants[0].id.str()));
  EXPECT_EQ(variants[0].at("destination_url"), "https://new.example/");
  EXPECT_EQ(variants[1].at("label"), "c");
  expect_update(path, "{}", 422, "request body must be a JSON array");
  expect_update(path, "[{}]", 422, "field required: [0].label");
  expect_update(path, R"([{"label":"a","destination_url":"x"}])", 422,
                "field required: [0].weight");
  expect_update(path, "[]", 422, "variants must be 2 to 5 objects, got 0");
  expect_update("/public/links/1/variants", "[]", 400, "id must be a UUID");
}

TEST_F(link_handlers, promote_gives_all_traffic) {
  const auto x = add_link();
  const auto path = "/public/links/" + x.id.str() + "/promote-winner";
  auto out
    = api(post, path, R"({"variant_id":")" + x.variants[1].id.str() + "\"}");
  ASSERT_EQ(out->status(), 200);
  EXPECT_EQ(out->json().at("variants").at(1).at("weight"), 100);
  EXPECT_EQ(out->json().at("variants").at(1).at("is_winner"), true);
  EXPECT_EQ(out->json().at("variants").at(0).at("weight"), 0);
  EXPECT_EQ(api(post, path, "{}")->detail(), "field required: variant_id");
  out = api(post, path, R"({"variant_id":"zz"})");
  EXPECT_EQ(out->status(), 422);
  EXPECT_EQ(out->detail(), "variant_id must be a UUID");
  out = api(post, path, R"({"variant_id":5})");
  EXPECT_EQ(out->status(), 422);
  out = api(post, path,
            R"({"variant_id":"00000000-0000-7000-8000-0000000009ff"})");
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->detail(), "Variant not found");
}

TEST_F(link_handlers, delete_is_204_then_404) {
  const auto x = add_link();
  const auto path = "/public/links/" + x.id.str();
  auto out = api(http_method::del, path);
  EXPECT_EQ(out->status(), 204);
  EXPECT_TRUE(out->last->body.empty());
  EXPECT_TRUE(actors.links[x.id].is_deleted);
  out = api(http_method::del, path);
  EXPECT_EQ(out->status(), 404);
  EXPECT_EQ(out->detail(), "Link not found");
}
