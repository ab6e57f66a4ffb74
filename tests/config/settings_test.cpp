#include "config/settings.hpp"

#include "config/setting.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

using namespace turnout;

namespace {

template <class F>
std::string problem_after(F change) {
  settings x;
  change(x);
  auto err = validate(x);
  if (!err)
    return "";
  EXPECT_EQ(code_of(err), ec::config);
  return detail(err);
}

} // namespace

TEST(settings, defaults_are_those_of_the_documentation) {
  settings x;
  EXPECT_FALSE(validate(x)) << detail(validate(x));
  EXPECT_EQ(x.http.listen, "127.0.0.1:8080");
  EXPECT_EQ(x.http.operator_listen, "127.0.0.1:9464");
  EXPECT_EQ(x.http.base_url, "");
  EXPECT_EQ(x.http.short_base, "");
  EXPECT_EQ(x.http.cors_origin, "*");
  EXPECT_EQ(x.http.trusted_proxies,
            (std::vector<std::string>{"127.0.0.0/8", "::1"}));
  EXPECT_EQ(x.http.reactors, 0);
  EXPECT_EQ(x.http.max_connections, 20000);
  EXPECT_EQ(x.http.max_in_flight, 4096);
  EXPECT_EQ(x.http.read_timeout_seconds, 15);
  EXPECT_EQ(x.storage.plugin, "sqlite");
  EXPECT_EQ(x.storage.dsn, "");
  EXPECT_EQ(x.storage.plugin_dir, "");
  EXPECT_EQ(x.storage.workers, 2);
  EXPECT_EQ(x.storage.queue, 1024);
  EXPECT_EQ(x.journal.max_bytes, 4294967296);
  EXPECT_EQ(x.journal.sync_interval_ms, 1000);
  EXPECT_EQ(x.journal.drain_interval_ms, 200);
  EXPECT_EQ(x.journal.drain_batch, 20000);
  EXPECT_TRUE(x.redirect.query_passthrough);
  EXPECT_TRUE(x.redirect.sticky);
  EXPECT_EQ(x.redirect.click_id_parameter, "");
  EXPECT_FALSE(x.redirect.allow_own_host);
  EXPECT_EQ(x.slug.length, 7);
  EXPECT_EQ(x.geo.database, "");
  EXPECT_EQ(x.geo.country_header, "CF-IPCountry");
  EXPECT_EQ(x.links.idle_seconds, 3600);
  EXPECT_EQ(x.links.unknown_slugs, 100000);
  EXPECT_EQ(x.links.unknown_seconds, 60);
  EXPECT_EQ(x.links.per_account, 0);
  EXPECT_EQ(x.rate_limit.per_hour, 1000);
  EXPECT_EQ(x.rate_limit.bad_keys_per_minute, 300);
  EXPECT_EQ(x.auth.jwks_url, "");
  EXPECT_EQ(x.auth.jwt_secret, "");
  EXPECT_EQ(x.auth.issuer, "");
  EXPECT_EQ(x.auth.audience, "");
  EXPECT_EQ(x.auth.required_claim, "");
  EXPECT_EQ(x.auth.anon_key, "");
  EXPECT_EQ(x.auth.sign_in_url, "");
  EXPECT_EQ(x.auth.jwks_refresh_seconds, 300);
  EXPECT_FALSE(x.auth.is_external());
  EXPECT_EQ(x.log.level, "info");
  EXPECT_EQ(x.data_dir, "./data");
}

TEST(settings, bounds_are_inclusive) {
  for (const auto& row : config::setting_table()) {
    if (!std::holds_alternative<int64_t>(row.fallback))
      continue;
    auto problem
      = [&](int64_t value) { return config::problem_of(row, value); };
    EXPECT_LT(row.min, row.max) << row.name();
    EXPECT_EQ(problem(row.min), "");
    EXPECT_EQ(problem(row.max), "");
    EXPECT_NE(problem(row.min - 1), "") << row.name();
    EXPECT_NE(problem(row.max + 1), "") << row.name();
    // Written and read again nothing is cut.
    settings x;
    row.write(x, row.max);
    EXPECT_EQ(std::get<int64_t>(row.read(x)), row.max) << row.name();
  }
  EXPECT_EQ(problem_after([](auto& x) { x.storage.workers = 64; }), "");
  EXPECT_EQ(problem_after([](auto& x) { x.storage.workers = 65; }),
            "storage.workers is 65; expected 1 to 64");
  EXPECT_EQ(problem_after([](auto& x) { x.slug.length = 2; }),
            "slug.length is 2; expected 3 to 32");
  EXPECT_EQ(problem_after([](auto& x) { x.http.reactors = -1; }),
            "http.reactors is -1; expected 0 to 256");
}

TEST(settings, rows_are_independent) {
  // Each row reads what it wrote and touches no other row.
  const auto& table = config::setting_table();
  for (const auto& row : table) {
    settings x;
    config::value other;
    if (std::holds_alternative<int64_t>(row.fallback))
      other = row.max;
    else if (auto flag = std::get_if<bool>(&row.fallback))
      other = !*flag;
    else if (std::holds_alternative<std::string>(row.fallback))
      other = std::string{"changed"};
    else
      other = std::vector<std::string>{"changed"};
    row.write(x, other);
    for (const auto& each : table)
      EXPECT_EQ(each.read(x), &each == &row ? other : each.fallback)
        << row.name() << ' ' << each.name();
  }
}

TEST(settings, names_are_unique_and_documented) {
  std::set<std::string> names;
  std::set<std::string> variables;
  for (const auto& row : config::setting_table()) {
    EXPECT_TRUE(names.insert(row.name()).second) << row.name();
    EXPECT_TRUE(variables.insert(row.variable()).second) << row.variable();
    EXPECT_FALSE(row.help.empty()) << row.name();
    EXPECT_EQ(row.help.back(), '.') << row.name();
    EXPECT_EQ(config::problem_of(row, row.fallback), "");
    EXPECT_EQ(config::find_setting(row.name()), &row);
  }
  EXPECT_EQ(names.size(), 42u);
  EXPECT_TRUE(variables.count("TURNOUT_HTTP_LISTEN"));
  EXPECT_TRUE(variables.count("TURNOUT_DATA_DIR"));
  EXPECT_TRUE(variables.count("TURNOUT_RATE_LIMIT_BAD_KEYS_PER_MINUTE"));
  EXPECT_EQ(config::find_setting("listen"), nullptr);
}

TEST(settings, base_url_ends_in_the_version) {
  auto problem = [](const char* url) {
    return problem_after([url](auto& x) { x.http.base_url = url; });
  };
  for (auto good : {"", "http://a.example/api/v1", "https://a.example/api/v1",
                    "https://a.example:8443/turnout/api/v1",
                    "http://127.0.0.1:8080/api/v1", "http://[::1]/api/v1"})
    EXPECT_EQ(problem(good), "") << good;
  EXPECT_EQ(problem("https://a.example/api/v1/"),
            "http.base_url is \"https://a.example/api/v1/\"; expected an http "
            "or https address that ends in /api/v1");
  for (auto bad :
       {"https://a.example", "a.example/api/v1", "ftp://a.example/api/v1",
        "https:///api/v1", "https://api/v1x", "https://a b/api/v1",
        "https://u:p@a.example/api/v1", "https://a.example?x=/api/v1",
        "https://a.example/#/api/v1", "https://a.example:99999/api/v1",
        "https://[::1/api/v1", "https://a.example:/api/v1"})
    EXPECT_NE(problem(bad), "") << bad;
}

TEST(settings, short_base_is_an_address) {
  auto problem = [](const char* url) {
    return problem_after([url](auto& x) { x.http.short_base = url; });
  };
  for (auto good : {"", "https://s.example", "http://127.0.0.1:8080",
                    "https://a.example/go", "http://[::1]:8080"})
    EXPECT_EQ(problem(good), "") << good;
  for (auto bad :
       {"https://s.example/", "s.example", "https://", "//s.example",
        "https://s.example\r\nX: y", "https://s.ex\xC3\xA4mple", "http://::1"})
    EXPECT_NE(problem(bad), "") << bad;
}

TEST(settings, cors_origin_cannot_split_headers) {
  auto problem = [](const char* origin) {
    return problem_after([origin](auto& x) { x.http.cors_origin = origin; });
  };
  for (auto good : {"*", "https://app.example", "http://localhost:3000"})
    EXPECT_EQ(problem(good), "") << good;
  for (auto bad : {"", "app.example", "https://app.example/",
                   "https://app.example/x", "*\r\nX: y", "https://a,https://b"})
    EXPECT_NE(problem(bad), "") << bad;
}

TEST(settings, lists_are_checked_one_by_one) {
  EXPECT_EQ(problem_after([](auto& x) {
              x.http.trusted_proxies = {"10.0.0.0/8", "10.0.0.0/33"};
            }),
            "http.trusted_proxies is \"10.0.0.0/33\"; expected addresses or "
            "CIDR blocks, such as 10.0.0.0/8");
  EXPECT_EQ(problem_after([](auto& x) { x.http.trusted_proxies = {}; }), "");
  EXPECT_NE(problem_after([](auto& x) { x.http.trusted_proxies = {""}; }), "");
}

TEST(settings, other_strings) {
  EXPECT_NE(problem_after([](auto& x) { x.storage.plugin = "../evil"; }), "");
  EXPECT_NE(problem_after([](auto& x) { x.storage.plugin = ""; }), "");
  EXPECT_NE(problem_after([](auto& x) { x.log.level = "INFO"; }), "");
  EXPECT_NE(problem_after([](auto& x) { x.geo.country_header = "a b"; }), "");
  EXPECT_EQ(problem_after([](auto& x) { x.geo.country_header = ""; }), "");
  EXPECT_NE(
    problem_after([](auto& x) { x.redirect.click_id_parameter = "a&b"; }), "");
  EXPECT_EQ(
    problem_after([](auto& x) { x.redirect.click_id_parameter = "click_id"; }),
    "");
  EXPECT_NE(problem_after([](auto& x) { x.data_dir = ""; }), "");
}

TEST(settings, listeners_differ) {
  EXPECT_NE(problem_after([](auto& x) {
              x.http.listen = x.http.operator_listen = "127.0.0.1:1";
            }),
            "");
  EXPECT_NE(problem_after([](auto& x) {
              x.http.listen = "localhost:1";
              x.http.operator_listen = "127.0.0.1:1";
            }),
            "");
  // The system gives two different ones.
  EXPECT_EQ(problem_after([](auto& x) {
              x.http.listen = x.http.operator_listen = "127.0.0.1:0";
            }),
            "");
}

TEST(settings, one_identity_provider_at_most) {
  EXPECT_EQ(problem_after([](auto& x) { x.auth.jwt_secret = "s"; }), "");
  EXPECT_EQ(problem_after(
              [](auto& x) { x.auth.jwks_url = "https://id.example/k?v=1"; }),
            "");
  EXPECT_EQ(problem_after([](auto& x) {
              x.auth.jwt_secret = "s";
              x.auth.jwks_url = "https://id.example/k";
            }),
            "auth.jwks_url and auth.jwt_secret are both given; expected one of "
            "them");
  EXPECT_EQ(problem_after([](auto& x) { x.auth.jwks_url = "file:///k"; }),
            "auth.jwks_url is \"file:///k\"; expected an http or https "
            "address");
}

TEST(settings, secrets_of_identity_are_not_shown) {
  for (auto name : {"auth.jwt_secret", "auth.anon_key"}) {
    const auto* row = config::find_setting(name);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(config::to_toml(*row, std::string{"hush"}), "\"***\"");
    EXPECT_EQ(config::to_toml(*row, std::string{}), "\"\"");
  }
}

TEST(settings, differences_are_named_in_the_order_of_the_table) {
  settings before;
  EXPECT_TRUE(config::differences(before, before).empty());
  auto after = before;
  after.log.level = "debug";
  after.http.listen = "127.0.0.1:81";
  after.http.trusted_proxies = {"10.0.0.0/8"};
  auto found = config::differences(before, after);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].which->name(), "http.listen");
  EXPECT_FALSE(found[0].which->reloads);
  EXPECT_EQ(found[1].which->name(), "http.trusted_proxies");
  EXPECT_TRUE(found[1].which->reloads);
  EXPECT_EQ(config::to_toml(*found[1].which, found[1].before),
            R"(["127.0.0.0/8", "::1"])");
  EXPECT_EQ(config::to_toml(*found[1].which, found[1].after),
            R"(["10.0.0.0/8"])");
  EXPECT_EQ(found[2].which->name(), "log.level");
}

TEST(settings, what_reloads_is_known) {
  std::set<std::string> names;
  for (const auto& row : config::setting_table())
    if (row.reloads)
      names.insert(row.name());
  EXPECT_EQ(names, (std::set<std::string>{
                     "http.trusted_proxies", "http.max_connections",
                     "http.max_in_flight", "geo.database", "links.per_account",
                     "rate_limit.per_hour", "rate_limit.bad_keys_per_minute",
                     "log.level"}));
}
