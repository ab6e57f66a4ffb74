#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/load_client.hpp"

#include <filesystem>
#include <fstream>
#include <thread>

using namespace turnout::test;

// These use the country database that the service comes with. The addresses
// belong to networks that have been in one country for decades.

namespace {

/// ripe.net, the University of Tokyo, Stanford, Deutsche Telekom.
const std::string dutch = "193.0.6.139";
const std::string japanese = "133.11.1.1";
const std::string american = "171.64.1.1";
const std::string german = "80.128.1.1";
/// Hetzner's own and Google's resolver.
const std::string german_v6 = "2003:0:1:2:3:4:5:6";
const std::string american_v6 = "2001:4860:4860::8888";

class geo_test : public api_test {
protected:
  /// Visits from an address, as the trusted proxy on loopback tells it.
  response visit_from(const std::string& slug, const std::string& address) {
    return visit(slug, {{"X-Forwarded-For", address}});
  }

  json::value make_geo() {
    return make_link(
      {{"name", "geo"},
       {"routing_type", "geo"},
       {"variants",
        json::array{variant_body("us", "https://us.example/", 100),
                    variant_body("de", "https://de.example/", 0),
                    variant_body("rest", "https://rest.example/", 0)}},
       {"geo_rules", {{"US", "us"}, {"DE", "de"}, {"default", "rest"}}}});
  }

  /// Visits a fresh link with headers and returns its click.
  json::value click_of(const header_list& headers) {
    auto link = make_split();
    EXPECT_EQ(visit(text(link, "slug"), headers).status, 302);
    expect_counts(link, 1);
    return clicks(link).at("items").at(0);
  }

  json::value country_of(const header_list& headers) {
    return click_of(headers).at("country");
  }
};

} // namespace

TEST_F(geo_test, visitors_are_routed_by_country) {
  auto link = make_geo();
  auto slug = text(link, "slug");
  EXPECT_EQ(visit_from(slug, american).header("location"),
            "https://us.example/");
  EXPECT_EQ(visit_from(slug, german).header("location"), "https://de.example/");
  EXPECT_EQ(visit_from(slug, japanese).header("location"),
            "https://rest.example/");
  expect_counts(link, 3);
  auto rows = analytics(link).at("top_countries").as_array();
  std::map<std::string, int64_t> seen;
  for (auto& row : rows)
    seen[text(row, "value")] = number(row, "clicks");
  EXPECT_EQ(seen,
            (std::map<std::string, int64_t>{{"US", 1}, {"DE", 1}, {"JP", 1}}));
  expect_sums_agree(link);
}

TEST_F(geo_test, case_55_the_visitor_behind_a_trusted_proxy_is_recorded) {
  auto click = click_of({{"X-Forwarded-For", dutch}});
  EXPECT_EQ(text(click, "ip_address"), "193.0.6.0");
  EXPECT_EQ(text(click, "country"), "NL");
}

TEST_F(geo_test, case_59_ipv6_visitors) {
  auto click = click_of({{"X-Forwarded-For", german_v6}});
  EXPECT_EQ(text(click, "ip_address"), "2003:0:1::");
  EXPECT_EQ(text(click, "country"), "DE");
  click = click_of({{"X-Forwarded-For", "2001:db8:1:2:3:4:5:6"}});
  EXPECT_EQ(text(click, "ip_address"), "2001:db8:1::");
  EXPECT_TRUE(click.at("country").is_null());
}

TEST_F(geo_test, case_60_ipv6_visitors_on_a_geo_link) {
  auto slug = text(make_geo(), "slug");
  EXPECT_EQ(visit_from(slug, american_v6).header("location"),
            "https://us.example/");
  EXPECT_EQ(visit_from(slug, german_v6).header("location"),
            "https://de.example/");
  for (auto address : {"2001:db8::1", "fd00::1", "::1", "fe80::1%eth0"})
    EXPECT_EQ(visit_from(slug, address).header("location"),
              "https://rest.example/");
}

TEST_F(geo_test, case_63_private_addresses_have_no_country) {
  auto link = make_geo();
  auto slug = text(link, "slug");
  for (auto address :
       {"10.0.0.5", "127.0.0.1", "100.64.0.1", "192.168.1.1", "172.16.0.1",
        "169.254.1.1", "fd00::1", "::1", "203.0.113.7", "0.0.0.0", "240.0.0.1"})
    EXPECT_EQ(visit_from(slug, address).header("location"),
              "https://rest.example/")
      << address;
  EXPECT_EQ(visit(slug).header("location"), "https://rest.example/");
  expect_counts(link, 12);
  auto body = clicks(link);
  for (auto& click : body.at("items").as_array())
    EXPECT_TRUE(click.at("country").is_null());
  auto rows = analytics(link).at("top_countries").as_array();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(text(rows[0], "value"), "unknown");
  EXPECT_EQ(number(rows[0], "clicks"), 12);
}

TEST_F(geo_test, forwarded_addresses_in_all_spellings) {
  auto slug = text(make_geo(), "slug");
  for (auto& address :
       {german + ":4711", "  " + german + "  ", "::ffff:" + german,
        "[" + german_v6 + "]", "[" + german_v6 + "]:4711", "junk, " + german,
        german + ", 127.0.0.1", "8.8.8.8, " + german + ", 127.0.0.1",
        german + ", junk", "unknown, " + german + ",,"})
    EXPECT_EQ(visit_from(slug, address).header("location"),
              "https://de.example/")
      << address;
}

TEST_F(geo_test, several_forwarding_headers_are_one_list) {
  auto slug = text(make_geo(), "slug");
  auto answer
    = visit(slug, {{"X-Forwarded-For", american}, {"X-Forwarded-For", german}});
  EXPECT_EQ(answer.header("location"), "https://de.example/");
}

TEST_F(geo_test, junk_in_forwarding_headers_leaves_the_peer) {
  for (auto value : {"junk", "", ",,,", "999.1.1.1", "1.2.3", "-"}) {
    auto click = click_of({{"X-Forwarded-For", value}});
    EXPECT_EQ(text(click, "ip_address"), "127.0.0.0") << value;
  }
}

TEST_F(geo_test, x_real_ip_of_a_trusted_proxy_counts_too) {
  auto click = click_of({{"X-Real-IP", german}});
  EXPECT_EQ(text(click, "country"), "DE");
  EXPECT_EQ(text(click, "ip_address"), "80.128.1.0");
}

TEST_F(geo_test, case_58_the_country_header_of_a_trusted_proxy_wins) {
  EXPECT_EQ(country_of({{"X-Forwarded-For", american}, {"CF-IPCountry", "DE"}}),
            "DE");
  EXPECT_EQ(country_of({{"X-Forwarded-For", american}, {"CF-IPCountry", "de"}}),
            "DE");
  for (auto junk : {"XX", "T1", "ZZZ", "", "D", "<>", "ZZ"})
    EXPECT_EQ(
      country_of({{"X-Forwarded-For", american}, {"CF-IPCountry", junk}}), "US")
      << junk;
}

TEST_F(geo_test, rules_for_a_country_that_appear_later_hold_at_once) {
  auto link = make_geo();
  auto slug = text(link, "slug");
  EXPECT_EQ(visit_from(slug, japanese).header("location"),
            "https://rest.example/");
  ASSERT_EQ(
    put(path_of(link), {{"geo_rules", {{"JP", "de"}, {"default", "us"}}}})
      .status,
    200);
  EXPECT_EQ(visit_from(slug, japanese).header("location"),
            "https://de.example/");
  EXPECT_EQ(visit_from(slug, german).header("location"), "https://us.example/");
}

namespace {

class untrusted_proxy_test : public geo_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_HTTP_TRUSTED_PROXIES", "192.0.2.1"}};
  }
};

class trusted_chain_test : public geo_test {
protected:
  environment settings() const override {
    return {
      {"TURNOUT_HTTP_TRUSTED_PROXIES", "127.0.0.0/8,10.0.0.0/8,fd00::/8"}};
  }
};

class country_header_test : public geo_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_GEO_COUNTRY_HEADER", "X-Country"}};
  }
};

class no_database_test : public geo_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_GEO_DATABASE", "/nonexistent/country.mmdb"}};
  }
};

class broken_database_test : public geo_test {
protected:
  broken_database_test() {
    std::ofstream{x_dir.path() / "broken.mmdb"} << "this is no database";
  }

  environment settings() const override {
    return {{"TURNOUT_GEO_DATABASE", (x_dir.path() / "broken.mmdb").string()}};
  }

private:
  temporary_directory x_dir;
};

} // namespace

TEST_F(untrusted_proxy_test, case_56_headers_of_strangers_are_ignored) {
  auto link = make_geo();
  auto answer = visit(text(link, "slug"), {{"X-Forwarded-For", german},
                                           {"X-Real-IP", german},
                                           {"CF-Connecting-IP", german},
                                           {"True-Client-IP", german},
                                           {"Forwarded", "for=" + german},
                                           {"CF-IPCountry", "DE"}});
  EXPECT_EQ(answer.header("location"), "https://rest.example/");
  expect_counts(link, 1);
  auto click = clicks(link).at("items").at(0);
  EXPECT_EQ(text(click, "ip_address"), "127.0.0.0");
  EXPECT_TRUE(click.at("country").is_null());
}

TEST_F(trusted_chain_test,
       the_first_untrusted_hop_from_the_right_is_the_client) {
  auto slug = text(make_geo(), "slug");
  for (auto& value :
       {german + ", 10.1.2.3", american + ", " + german + ", 10.1.2.3, fd00::9",
        german + ", 10.1.2.3:80, 127.0.0.1"})
    EXPECT_EQ(visit_from(slug, value).header("location"), "https://de.example/")
      << value;
}

TEST_F(trusted_chain_test, when_all_hops_are_trusted_the_leftmost_is_taken) {
  auto click = click_of({{"X-Forwarded-For", "10.9.8.7, 10.1.1.1, 127.0.0.1"}});
  EXPECT_EQ(text(click, "ip_address"), "10.9.8.0");
}

TEST_F(country_header_test, its_name_is_a_setting) {
  EXPECT_EQ(country_of({{"X-Forwarded-For", american}, {"X-Country", "DE"}}),
            "DE");
  EXPECT_EQ(country_of({{"X-Forwarded-For", american}, {"CF-IPCountry", "DE"}}),
            "US");
}

TEST_F(no_database_test, case_64_visits_go_on_without_a_database) {
  auto link = make_geo();
  auto slug = text(link, "slug");
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(visit_from(slug, german).header("location"),
              "https://rest.example/");
  expect_counts(link, 50);
  EXPECT_TRUE(clicks(link).at("items").at(0).at("country").is_null());
  // The country header needs no database.
  auto answer = visit(slug, {{"CF-IPCountry", "DE"}});
  EXPECT_EQ(answer.header("location"), "https://de.example/");
}

TEST_F(broken_database_test, case_64_visits_go_on_with_a_broken_database) {
  auto slug = text(make_geo(), "slug");
  EXPECT_EQ(visit_from(slug, german).header("location"),
            "https://rest.example/");
}

namespace {

/// A database of our own that can be replaced while the service runs.
class replaced_database_test : public geo_test {
protected:
  replaced_database_test() {
    put_file("this is no database");
  }

  environment settings() const override {
    return {{"TURNOUT_GEO_DATABASE", path().string()}};
  }

  std::filesystem::path path() const {
    return x_dir.path() / "country.mmdb";
  }

  void put_file(const std::string& content) {
    auto next = x_dir.path() / "next";
    std::ofstream{next, std::ios::binary} << content;
    std::filesystem::rename(next, path());
  }

private:
  temporary_directory x_dir;
};

} // namespace

TEST_F(replaced_database_test, case_64_visits_go_on_while_it_is_replaced) {
  auto geo = make_geo();
  auto slug = text(geo, "slug");
  EXPECT_EQ(visit_from(slug, german).header("location"),
            "https://rest.example/");
  load_client load{service->port(),
                   {"/" + slug},
                   4,
                   "X-Forwarded-For: " + german + "\r\nUser-Agent: " + browser
                     + "\r\n"};
  // The database that the service comes with.
  auto good
    = read_file(std::filesystem::path{binary()}.parent_path() / "country.mmdb");
  ASSERT_GT(good.size(), 1'000'000u);
  put_file(good);
  EXPECT_TRUE(eventually([&] {
    return visit_from(slug, german).header("location") == "https://de.example/";
  }));
  // A broken one changes nothing, and neither does none.
  put_file(good.substr(0, good.size() / 2));
  std::this_thread::sleep_for(std::chrono::seconds{3});
  EXPECT_EQ(visit_from(slug, german).status, 302);
  std::filesystem::remove(path());
  std::this_thread::sleep_for(std::chrono::seconds{3});
  EXPECT_EQ(visit_from(slug, german).status, 302);
  put_file(good);
  EXPECT_TRUE(eventually([&] {
    return visit_from(slug, german).header("location") == "https://de.example/";
  }));
  load.finish();
  EXPECT_TRUE(load.others().empty());
  EXPECT_EQ(load.unanswered(), 0);
  EXPECT_GT(load.acknowledged(), 0);
}
