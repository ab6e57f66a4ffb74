#include "tests/api/harness/api_test.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace turnout::test;

namespace {

class validation_test : public api_test {
protected:
  static json::object valid() {
    return {{"name", "x"}, {"variants", two_variants()}};
  }

  response create(const json::object& body) {
    return post(links_path, json::value(body));
  }

  response create_with(const std::string& field, const json::value& value) {
    auto body = valid();
    body[field] = value;
    return create(body);
  }

  /// Creates a link whose second variant has another field.
  response create_variant(const std::string& field, const json::value& value) {
    auto variants = two_variants();
    variants[1].as_object()[field] = value;
    return create_with("variants", variants);
  }

  /// Sends a body as it is.
  response create_raw(const std::string& body) {
    return call("POST", links_path, {}, body);
  }

  void expect_detail(const response& x, const std::string& detail) {
    EXPECT_EQ(x.status, 422) << x.body;
    if (x.status == 422) {
      EXPECT_EQ(x.detail(), detail);
    }
  }
};

std::string repeat(const std::string& x, int n) {
  std::string result;
  for (int i = 0; i < n; ++i)
    result += x;
  return result;
}

const std::vector<std::string> bad_destinations{
  // Case 36.
  "example.com/x", "//c.example/", "mailto:a@b.example", "http:/x", "http://",
  "https://:80/", "http://[::1", "ftp://f.example/", "",
  // Case 37.
  "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)",
  "java\tscript:alert(1)", "data:text/html,x", "file:///etc/passwd",
  "vbscript:x", "https://user:pass@a.example/", "https://user@a.example/",
  // Characters that have to be encoded.
  "https://a.example/with space", "https://a.example/\r\nX: y",
  "https://a.example/caf\xC3\xA9", "https://caf\xC3\xA9.example/",
  " https://a.example/", "https://a.example/ ", "https://a.example:99999/",
  "https://a.example:x/"};

const std::vector<std::string> good_destinations{
  "https://a.example",
  "http://a.example/",
  "HTTPS://A.example/",
  "https://a.example:8443/x?y=1#z",
  "https://xn--caf-dma.example/caf%C3%A9",
  "https://a.example/?q=a+b%2Bc&d[]=1|2",
  "http://[2606:4700::1111]/",
  "https://a.example?no=path"};

} // namespace

TEST_F(validation_test, missing_fields_in_the_order_of_the_contract) {
  expect_detail(create_raw("{}"), "field required: name");
  expect_detail(create_raw(R"({"slug":"/"})"), "field required: name");
  expect_detail(create_raw(R"({"name":""})"), "field required: variants");
  expect_detail(create_raw(R"({"variants":[]})"), "field required: name");
  for (auto field : {"label", "destination_url", "weight"}) {
    for (size_t i = 0; i < 2; ++i) {
      auto variants = two_variants();
      variants[i].as_object().erase(field);
      expect_detail(create_with("variants", variants),
                    "field required: variants[" + std::to_string(i) + "]."
                      + field);
    }
  }
}

TEST_F(validation_test, missing_fields_of_the_variants_array) {
  auto link = make_split();
  for (auto field : {"label", "destination_url", "weight"}) {
    auto variants = two_variants();
    variants[0].as_object().erase(field);
    expect_detail(put(path_of(link, "/variants"), variants),
                  std::string{"field required: [0]."} + field);
  }
}

TEST_F(validation_test, case_87_weights_have_to_sum_to_100) {
  expect_detail(create_with("variants", two_variants(50, 49)),
                "Variant weights must sum to 100, got 99");
  expect_detail(create_with("variants", two_variants(100, 100)),
                "Variant weights must sum to 100, got 200");
  expect_detail(create_with("variants", two_variants(0, 0)),
                "Variant weights must sum to 100, got 0");
  auto link = make_split();
  expect_detail(put(path_of(link, "/variants"), two_variants(1, 98)),
                "Variant weights must sum to 100, got 99");
}

TEST_F(validation_test, case_87_two_to_five_variants) {
  auto variants = [](int n) {
    json::array result;
    for (int i = 0; i < n; ++i)
      result.push_back(variant_body("v" + std::to_string(i),
                                    "https://a.example/", i == 0 ? 100 : 0));
    return result;
  };
  for (int n : {0, 1, 6})
    expect_error(create_with("variants", variants(n)), 422, "variants");
  for (int n : {2, 3, 4, 5})
    EXPECT_EQ(create_with("variants", variants(n)).status, 201) << n;
  auto link = make_split();
  for (int n : {0, 1, 6})
    expect_error(put(path_of(link, "/variants"), variants(n)), 422, "variants");
}

TEST_F(validation_test, case_87_labels) {
  expect_error(create_variant("label", ""), 422, "label");
  expect_error(create_variant("label", json::value(std::string(51, 'x'))), 422,
               "label");
  expect_error(create_variant("label", json::value(repeat("\xC3\xA9", 51))),
               422, "label");
  EXPECT_EQ(create_variant("label", json::value(repeat("\xC3\xA9", 50))).status,
            201);
  expect_error(create_variant("label", "a"), 422, "label");
  expect_error(create_variant("label", "x\ny"), 422, "label");
  // Labels are told apart by case.
  EXPECT_EQ(create_variant("label", "A").status, 201);
}

TEST_F(validation_test, case_77_weights_are_integers_from_0_to_100) {
  for (auto weight : {"\"50\"", "50.5", "true", "1e2", "[50]", "{}", "-1",
                      "101", "99999999999999999999", "50.0e0"}) {
    auto answer = create_raw(
      R"({"name":"x","variants":[{"label":"a","destination_url":)"
      R"("https://a.example/","weight":50},{"label":"b","destination_url":)"
      R"("https://b.example/","weight":)"
      + std::string{weight} + "}]}");
    expect_error(answer, 422, "weight");
  }
  expect_error(create_variant("weight", nullptr), 422, "weight");
  EXPECT_EQ(total_links(), 0);
}

TEST_F(validation_test, case_77_other_types_are_strict_too) {
  expect_error(create_with("name", 5), 422, "name");
  expect_error(create_with("name", json::array{"x"}), 422, "name");
  expect_error(create_with("slug", 12345), 422, "slug");
  expect_error(create_with("variants", json::object{}), 422, "variants");
  expect_error(create_with("variants", "ab"), 422, "variants");
  expect_error(create_with("variants", json::array{1, 2}), 422, "variants");
  expect_error(create_with("auto_winner", "false"), 422, "auto_winner");
  expect_error(create_with("auto_winner", 0), 422, "auto_winner");
  expect_error(create_with("auto_winner_threshold", "100"), 422,
               "auto_winner_threshold");
  expect_error(create_with("auto_winner_threshold", 100.5), 422,
               "auto_winner_threshold");
  expect_error(create_with("routing_type", 1), 422, "routing_type");
  expect_error(create_with("geo_rules", "US"), 422, "geo_rules");
  expect_error(create_with("geo_rules", json::array{}), 422, "geo_rules");
  expect_error(create_with("geo_rules", json::object{{"default", 1}}), 422,
               "geo_rules");
  expect_error(create_with("enable_conversion_tracking", "yes"), 422,
               "enable_conversion_tracking");
  expect_error(create_variant("label", 1), 422, "label");
  expect_error(create_variant("destination_url", 1), 422, "destination_url");
}

TEST_F(validation_test, bodies_that_are_no_object) {
  for (auto body : {"[]", "1", "\"x\"", "null", "true"})
    expect_error(create_raw(body), 422);
  auto link = make_split();
  for (auto body : {"[]", "1", "null"})
    expect_error(call("PUT", path_of(link), {}, body), 422);
  for (auto body : {"{}", "1", "null"})
    expect_error(call("PUT", path_of(link, "/variants"), {}, body), 422);
}

TEST_F(validation_test, case_35_name_counts_code_points_after_trimming) {
  auto smile = "\xF0\x9F\x98\x80";
  EXPECT_EQ(create_with("name", json::value(repeat(smile, 100))).status, 201);
  expect_error(create_with("name", json::value(repeat(smile, 101))), 422,
               "name");
  auto padded
    = create_with("name", json::value("  " + repeat("n", 100) + "  "));
  ASSERT_EQ(padded.status, 201);
  EXPECT_EQ(text(padded.json(), "name"), repeat("n", 100));
  for (auto name : {"", "   ", "a\nb", "a\x01"})
    expect_error(create_with("name", name), 422, "name");
  auto link = make_split();
  for (auto name : {"", "   ", "a\nb"})
    expect_error(put(path_of(link), {{"name", name}}), 422, "name");
  expect_error(put(path_of(link), {{"name", repeat(smile, 101)}}), 422, "name");
}

TEST_F(validation_test, case_87_threshold_is_at_least_10) {
  for (auto threshold : {9, 0, -1})
    expect_error(create_with("auto_winner_threshold", threshold), 422,
                 "auto_winner_threshold");
  EXPECT_EQ(create_with("auto_winner_threshold", 10).status, 201);
  auto link = make_split();
  expect_error(put(path_of(link), {{"auto_winner_threshold", 9}}), 422,
               "auto_winner_threshold");
}

TEST_F(validation_test, case_87_routing_type_and_geo_rules) {
  expect_error(create_with("routing_type", "GEO"), 422, "routing_type");
  expect_error(create_with("routing_type", "random"), 422, "routing_type");
  expect_error(create_with("routing_type", "geo"), 422, "geo_rules");
  auto rules = [&](json::object x) {
    auto body = valid();
    body["routing_type"] = "geo";
    body["geo_rules"] = std::move(x);
    return create(body);
  };
  expect_detail(rules({{"DE", "a"}}),
                "geo_rules must contain a 'default' variant");
  expect_detail(rules({}), "geo_rules must contain a 'default' variant");
  for (auto code : {"de", "De", "XX", "ZZ", "DEU", "EU", "", "Default"}) {
    json::object x{{"default", "a"}};
    x[code] = "b";
    expect_error(rules(x), 422, "geo_rules");
  }
  expect_detail(rules({{"DE", "c"}, {"default", "a"}}),
                "Variant label 'c' does not exist. Available variants: a, b");
  expect_detail(rules({{"DE", "a"}, {"default", "A"}}),
                "Variant label 'A' does not exist. Available variants: a, b");
  EXPECT_EQ(rules({{"DE", "a"}, {"GB", "b"}, {"default", "a"}}).status, 201);
  EXPECT_EQ(rules({{"default", "a"}}).status, 201);
}

TEST_F(validation_test, weights_of_geo_links_are_needed_and_checked_too) {
  auto geo = [&](const json::array& variants) {
    auto body = valid();
    body["routing_type"] = "geo";
    body["geo_rules"] = json::object{{"default", "a"}};
    body["variants"] = variants;
    return create(body);
  };
  expect_detail(geo(two_variants(50, 49)),
                "Variant weights must sum to 100, got 99");
  auto variants = two_variants();
  variants[1].as_object().erase("weight");
  expect_detail(geo(variants), "field required: variants[1].weight");
  EXPECT_EQ(geo(two_variants(0, 100)).status, 201);
}

TEST_F(validation_test, labels_are_listed_in_the_order_sent) {
  auto body = valid();
  body["variants"] = json::array{variant_body("z", "https://z.example/", 50),
                                 variant_body("m", "https://m.example/", 25),
                                 variant_body("a", "https://a.example/", 25)};
  body["geo_rules"] = json::object{{"default", "q"}};
  expect_detail(create(body), "Variant label 'q' does not exist. Available "
                              "variants: z, m, a");
}

TEST_F(validation_test, geo_rules_of_an_ab_test_are_validated_and_stored) {
  expect_detail(create_with("geo_rules", json::object{{"DE", "a"}}),
                "geo_rules must contain a 'default' variant");
  auto answer
    = create_with("geo_rules", json::object{{"DE", "a"}, {"default", "b"}});
  ASSERT_EQ(answer.status, 201);
  EXPECT_EQ(text(answer.json().at("geo_rules"), "DE"), "a");
  EXPECT_EQ(create_with("geo_rules", nullptr).status, 201);
}

TEST_F(validation_test, geo_updates_are_validated_against_the_stored_link) {
  auto link = make_split();
  auto path = path_of(link);
  expect_error(put(path, {{"routing_type", "geo"}}), 422, "geo_rules");
  expect_detail(put(path, {{"geo_rules", {{"default", "c"}}}}),
                "Variant label 'c' does not exist. Available variants: a, b");
  EXPECT_EQ(
    put(path, {{"geo_rules", {{"default", "b"}}}, {"routing_type", "geo"}})
      .status,
    200);
  expect_error(put(path, {{"geo_rules", nullptr}}), 422, "geo_rules");
  // A set of variants without a label that the rules name.
  auto without_b = json::array{variant_body("a", "https://a.example/", 50),
                               variant_body("c", "https://c.example/", 50)};
  expect_error(put(path_of(link, "/variants"), without_b), 422, "b");
  EXPECT_EQ(
    put(path, {{"routing_type", "ab_test"}, {"geo_rules", nullptr}}).status,
    200);
  EXPECT_EQ(put(path_of(link, "/variants"), without_b).status, 200);
}

TEST_F(validation_test, the_first_broken_rule_is_named) {
  auto body = valid();
  body["name"] = "";
  body["slug"] = "/";
  body["auto_winner_threshold"] = 1;
  body["routing_type"] = "x";
  expect_error(create(body), 422, "name");
  body["name"] = "x";
  expect_error(create(body), 422, "slug");
  body["slug"] = "good-slug";
  body["variants"] = two_variants(50, 49);
  expect_error(create(body), 422, "Variant weights must sum to 100, got 99");
  body["variants"] = two_variants();
  body["auto_winner"] = "x";
  auto answer = create(body);
  expect_error(answer, 422, "auto_winner");
  body["auto_winner"] = true;
  expect_error(create(body), 422, "auto_winner_threshold");
  body["auto_winner_threshold"] = 10;
  expect_error(create(body), 422, "routing_type");
}

TEST_F(validation_test, rules_of_variants_in_their_order) {
  // The count comes first, then labels, destinations and weights, then
  // duplicates, then the sum.
  auto make
    = [&](json::array variants) { return create_with("variants", variants); };
  expect_error(make({variant_body("", "x", -1)}), 422, "variants");
  expect_error(make({variant_body("", "bad", -1), variant_body("b", "bad", 1)}),
               422, "label");
  expect_error(make({variant_body("a", "bad", -1),
                     variant_body("a", "https://b.example/", 1)}),
               422, "destination_url");
  expect_error(make({variant_body("a", "https://a.example/", 101),
                     variant_body("a", "https://b.example/", 1)}),
               422, "weight");
  auto duplicate = make({variant_body("twice", "https://a.example/", 1),
                         variant_body("twice", "https://b.example/", 1)});
  expect_error(duplicate, 422, "twice");
}

TEST_F(validation_test, case_36_37_bad_destinations_on_every_write_path) {
  auto link = make_split();
  for (auto& url : bad_destinations) {
    SCOPED_TRACE(url);
    expect_error(create_variant("destination_url", json::value(url)), 422,
                 "destination_url");
    auto variants = two_variants();
    variants[0].as_object()["destination_url"] = url;
    expect_error(put(path_of(link, "/variants"), variants), 422,
                 "destination_url");
    expect_error(create_with("conversion_redirect_url", json::value(url)), 422,
                 "conversion_redirect_url");
    expect_error(put(path_of(link), {{"conversion_redirect_url", url}}), 422,
                 "conversion_redirect_url");
  }
  EXPECT_EQ(total_links(), 1);
}

TEST_F(validation_test, good_destinations_are_kept_byte_for_byte) {
  for (auto& url : good_destinations) {
    SCOPED_TRACE(url);
    auto body = valid();
    body["variants"] = one_destination(url);
    auto answer = create(body);
    ASSERT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(text(answer.json().at("variants").at(0), "destination_url"), url);
    EXPECT_EQ(visit(text(answer.json(), "slug")).header("location"), url);
  }
}

TEST_F(validation_test, case_35_destinations_have_at_most_2048_characters) {
  std::string url = "https://a.example/";
  url.append(2048 - url.size(), 'x');
  auto body = valid();
  body["variants"] = one_destination(url);
  auto answer = create(body);
  ASSERT_EQ(answer.status, 201);
  EXPECT_EQ(visit(text(answer.json(), "slug")).header("location"), url);
  body["variants"] = one_destination(url + "x");
  expect_error(create(body), 422, "destination_url");
}

TEST_F(validation_test, case_40_destinations_are_never_fetched) {
  auto fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  // Another loopback address than the service's own host.
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  auto generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(fd, generic, size), 0);
  ASSERT_EQ(::listen(fd, 8), 0);
  ASSERT_EQ(::getsockname(fd, generic, &size), 0);
  auto url
    = "http://127.0.0.2:" + std::to_string(ntohs(address.sin_port)) + "/";
  auto body = valid();
  body["variants"] = one_destination(url);
  auto answer = create(body);
  ASSERT_EQ(answer.status, 201) << answer.body;
  visit(text(answer.json(), "slug"));
  settle();
  pollfd entry{fd, POLLIN, 0};
  EXPECT_EQ(::poll(&entry, 1, 0), 0) << "somebody connected";
  ::close(fd);
}

TEST_F(validation_test, conversion_redirect_url_can_be_cleared) {
  auto link = make_link({{"name", "x"},
                         {"variants", two_variants()},
                         {"conversion_redirect_url", "https://t.example/x"}});
  EXPECT_EQ(text(link, "conversion_redirect_url"), "https://t.example/x");
  auto answer = put(path_of(link), {{"conversion_redirect_url", nullptr}});
  ASSERT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.json().at("conversion_redirect_url").is_null());
}

namespace {

class own_host_test : public validation_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_HTTP_SHORT_BASE", "https://go.example"}};
  }
};

class own_host_allowed_test : public validation_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_HTTP_SHORT_BASE", "https://go.example"},
            {"TURNOUT_REDIRECT_ALLOW_OWN_HOST", "true"}};
  }
};

} // namespace

TEST_F(own_host_test, case_39_destinations_on_our_own_host_are_refused) {
  auto link = make_split();
  EXPECT_EQ(text(link, "short_url"),
            "https://go.example/" + text(link, "slug"));
  for (auto url : {"https://go.example/l-2", "http://go.example/l-2",
                   "https://GO.Example/l-2", "https://go.example:8443/l-2",
                   "https://go.example./l-2", "https://go.example",
                   "https://go.example?x", "https://go.example#x"}) {
    SCOPED_TRACE(url);
    expect_error(create_variant("destination_url", json::value(url)), 422,
                 "destination_url");
    auto variants = two_variants();
    variants[1].as_object()["destination_url"] = url;
    expect_error(put(path_of(link, "/variants"), variants), 422,
                 "destination_url");
  }
  EXPECT_EQ(create_variant("destination_url", "https://go.example.org/").status,
            201);
  EXPECT_EQ(create_variant("destination_url", "https://www.go.example/").status,
            201);
}

TEST_F(own_host_allowed_test, case_39_unless_the_setting_allows_it) {
  EXPECT_EQ(create_variant("destination_url", "https://go.example/l-2").status,
            201);
}
