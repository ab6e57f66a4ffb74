#include "config/loader.hpp"

#include "tests/config/temporary_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

using namespace turnout;
using config::load;
using config::sources;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// Loads `text` as turnout.toml; what comes back has no directory in it.
struct outcome {
  caf::expected<config::loaded> result;
  std::string error;
};

outcome load_text(const std::string& text, sources from = {}) {
  temporary_file file{"turnout.toml", text};
  from.file = file.path();
  outcome x{load(from), ""};
  if (!x.result) {
    EXPECT_EQ(code_of(x.result.error()), ec::config);
    x.error = detail(x.result.error());
    auto dir = file.path().parent_path().string() + "/";
    if (auto i = x.error.find(dir); i != std::string::npos)
      x.error.erase(i, dir.size());
  }
  return x;
}

std::string error_of(const std::string& text) {
  return load_text(text).error;
}

std::string error_of(const sources& from) {
  auto x = load(from);
  return x ? "" : detail(x.error());
}

} // namespace

TEST(loader, without_sources_everything_is_default) {
  auto x = load({});
  ASSERT_TRUE(x);
  EXPECT_EQ(x->values.http.listen, "127.0.0.1:8080");
  EXPECT_EQ(x->values.data_dir, "./data");
  EXPECT_THAT(x->origins, IsEmpty());
  EXPECT_THAT(x->warnings, IsEmpty());
}

TEST(loader, reads_every_type_from_the_file) {
  auto x = load_text(R"(
data_dir = "/var/lib/turnout"

[http]
listen = "[::1]:9000"
trusted_proxies = ["10.0.0.0/8", "fd00::/8"]
reactors = 3

[journal]
max_bytes = 17_179_869_184

[redirect]
sticky = false
)");
  ASSERT_TRUE(x.result) << x.error;
  const auto& s = x.result->values;
  EXPECT_EQ(s.data_dir, "/var/lib/turnout");
  EXPECT_EQ(s.http.listen, "[::1]:9000");
  EXPECT_THAT(s.http.trusted_proxies, ElementsAre("10.0.0.0/8", "fd00::/8"));
  EXPECT_EQ(s.http.reactors, 3);
  EXPECT_EQ(s.journal.max_bytes, 16ll << 30);
  EXPECT_FALSE(s.redirect.sticky);
  // What is not named keeps its default.
  EXPECT_TRUE(s.redirect.query_passthrough);
  EXPECT_EQ(s.storage.workers, 2);
}

TEST(loader, later_sources_win) {
  sources from;
  from.environment = {"TURNOUT_STORAGE_WORKERS=4", "TURNOUT_STORAGE_QUEUE=40"};
  from.overrides = {{"storage.workers", "5"}};
  auto x
    = load_text("[storage]\nworkers = 3\nqueue = 30\nplugin = \"pg\"\n", from);
  ASSERT_TRUE(x.result) << x.error;
  EXPECT_EQ(x.result->values.storage.workers, 5);
  EXPECT_EQ(x.result->values.storage.queue, 40);
  EXPECT_EQ(x.result->values.storage.plugin, "pg");
  EXPECT_EQ(x.result->origins.at("storage.workers"), "command line");
  EXPECT_EQ(x.result->origins.at("storage.queue"), "TURNOUT_STORAGE_QUEUE");
  auto origin = x.result->origins.at("storage.plugin");
  EXPECT_THAT(origin, testing::EndsWith("/turnout.toml:4"));
}

TEST(loader, environment_of_every_type) {
  sources from;
  from.environment = {
    "TURNOUT_HTTP_LISTEN=0.0.0.0:80",
    "TURNOUT_HTTP_TRUSTED_PROXIES= 10.0.0.1 , fd00::/8",
    "TURNOUT_REDIRECT_STICKY=off",
    "TURNOUT_REDIRECT_ALLOW_OWN_HOST=true",
    "TURNOUT_JOURNAL_MAX_BYTES=10737418240",
    "TURNOUT_RATE_LIMIT_PER_HOUR=50",
    "TURNOUT_STORAGE_DSN=host=a password=b",
    "TURNOUT_DATA_DIR=/srv/a b",
    "TURNOUT_GEO_COUNTRY_HEADER=",
    "TURN=1",
    "PATH=/bin",
    "malformed",
  };
  auto x = load(from);
  ASSERT_TRUE(x) << detail(x.error());
  EXPECT_EQ(x->values.http.listen, "0.0.0.0:80");
  EXPECT_THAT(x->values.http.trusted_proxies,
              ElementsAre("10.0.0.1", "fd00::/8"));
  EXPECT_FALSE(x->values.redirect.sticky);
  EXPECT_TRUE(x->values.redirect.allow_own_host);
  EXPECT_EQ(x->values.journal.max_bytes, 10737418240);
  EXPECT_EQ(x->values.rate_limit.per_hour, 50);
  EXPECT_EQ(x->values.storage.dsn, "host=a password=b");
  EXPECT_EQ(x->values.data_dir, "/srv/a b");
  EXPECT_EQ(x->values.geo.country_header, "");
  EXPECT_THAT(x->warnings, IsEmpty());
}

TEST(loader, empty_list_trusts_nobody) {
  sources from;
  from.environment = {"TURNOUT_HTTP_TRUSTED_PROXIES="};
  auto x = load(from);
  ASSERT_TRUE(x);
  EXPECT_THAT(x->values.http.trusted_proxies, IsEmpty());
}

TEST(loader, foreign_variables_are_warned_of) {
  // What Kubernetes sets for a service named turnout.
  sources from;
  from.environment
    = {"TURNOUT_PORT=tcp://10.0.0.1:80", "TURNOUT_HTTP_LISEN=0.0.0.0:80"};
  auto x = load(from);
  ASSERT_TRUE(x);
  EXPECT_THAT(x->warnings,
              ElementsAre("environment variable TURNOUT_PORT is no setting",
                          "environment variable TURNOUT_HTTP_LISEN is no "
                          "setting"));
}

TEST(loader, unknown_settings_are_refused_with_the_nearest) {
  EXPECT_EQ(error_of("\n[http]\nlisen = \"a\"\n"),
            "turnout.toml:3: unknown setting http.lisen; did you mean "
            "http.listen?");
  EXPECT_EQ(error_of("[htpp]\nlisten = \"a\"\n"),
            "turnout.toml:1: unknown setting htpp.listen; did you mean "
            "http.listen?");
  EXPECT_EQ(error_of("drain_batch = 1\n"),
            "turnout.toml:1: unknown setting drain_batch; did you mean "
            "journal.drain_batch?");
  EXPECT_EQ(error_of("datadir = \"a\"\n"),
            "turnout.toml:1: unknown setting datadir; did you mean data_dir?");
  EXPECT_EQ(error_of("[http]\nlistne = \"a\"\n"),
            "turnout.toml:2: unknown setting http.listne; did you mean "
            "http.listen?");
  EXPECT_EQ(error_of("[metrics]\n"), "turnout.toml:1: unknown setting metrics");
  EXPECT_EQ(error_of("[http.tls]\ncertificate = \"x\"\n"),
            "turnout.toml:1: unknown setting http.tls.certificate");
  EXPECT_EQ(error_of(sources{{}, {}, {{"storage.worker", "1"}}}),
            "command line: unknown setting storage.worker; did you mean "
            "storage.workers?");
}

TEST(loader, wrong_types_name_file_and_line) {
  EXPECT_EQ(error_of("[http]\n\nlisten = 8080\n"),
            "turnout.toml:3: http.listen must be a string");
  EXPECT_EQ(error_of("[storage]\nworkers = \"2\"\n"),
            "turnout.toml:2: storage.workers must be a whole number");
  EXPECT_EQ(error_of("[storage]\nworkers = 2.0\n"),
            "turnout.toml:2: storage.workers must be a whole number");
  EXPECT_EQ(error_of("[redirect]\nsticky = 1\n"),
            "turnout.toml:2: redirect.sticky must be true or false");
  EXPECT_EQ(error_of("[http]\ntrusted_proxies = \"::1\"\n"),
            "turnout.toml:2: http.trusted_proxies must be a list of strings");
  EXPECT_EQ(error_of("[http]\ntrusted_proxies = [\"::1\", 1]\n"),
            "turnout.toml:2: http.trusted_proxies must be a list of strings");
  EXPECT_EQ(error_of("http = 1\n"), "turnout.toml:1: http must be a section");
  EXPECT_EQ(error_of("[[http]]\nlisten = \"a\"\n"),
            "turnout.toml:1: http must be a section");
  EXPECT_EQ(error_of(sources{{}, {"TURNOUT_STORAGE_WORKERS=two"}, {}}),
            "TURNOUT_STORAGE_WORKERS: storage.workers must be a whole number");
  EXPECT_EQ(error_of(sources{{}, {"TURNOUT_STORAGE_WORKERS="}, {}}),
            "TURNOUT_STORAGE_WORKERS: storage.workers must be a whole number");
  EXPECT_EQ(error_of(sources{{}, {"TURNOUT_REDIRECT_STICKY=yes!"}, {}}),
            "TURNOUT_REDIRECT_STICKY: redirect.sticky must be true or false");
  EXPECT_EQ(error_of(sources{{}, {}, {{"slug.length", "7x"}}}),
            "command line: slug.length must be a whole number");
}

TEST(loader, values_out_of_range_name_their_origin) {
  EXPECT_EQ(error_of("[storage]\nworkers = 65\n"),
            "turnout.toml:2: storage.workers is 65; expected 1 to 64");
  // Would fit when cut to 32 bits.
  EXPECT_EQ(error_of("[storage]\nworkers = 4294967298\n"),
            "turnout.toml:2: storage.workers is 4294967298; expected 1 to 64");
  EXPECT_EQ(error_of(sources{{}, {"TURNOUT_LOG_LEVEL=loud"}, {}}),
            "TURNOUT_LOG_LEVEL: log.level is \"loud\"; expected debug, info, "
            "warning or error");
  EXPECT_EQ(error_of(sources{{}, {}, {{"http.operator_listen", "8080"}}}),
            "command line: http.operator_listen is \"8080\"; expected "
            "address:port, such as 127.0.0.1:8080 or [::1]:8080");
  EXPECT_EQ(error_of(sources{{}, {}, {{"http.listen", "127.0.0.1:9464"}}}),
            "http.operator_listen is the same as http.listen; expected two "
            "different addresses");
}

TEST(loader, syntax_errors_name_file_and_line) {
  auto error = error_of("[http]\nlisten = \"a\n");
  EXPECT_EQ(error.rfind("turnout.toml:2: ", 0), 0u) << error;
  error = error_of("[http]\nreactors = 1\nreactors = 2\n");
  EXPECT_EQ(error.rfind("turnout.toml:3: ", 0), 0u) << error;
}

TEST(loader, files_that_cannot_be_read) {
  sources from;
  from.file = "/nonexistent/turnout.toml";
  EXPECT_EQ(error_of(from), "/nonexistent/turnout.toml: cannot be read; does "
                            "it exist, and may this user read it?");
  from.file = std::filesystem::temp_directory_path();
  EXPECT_THAT(error_of(from), testing::HasSubstr("cannot be read"));
  EXPECT_EQ(error_of(""), "");
  EXPECT_EQ(error_of("# nothing\n"), "");
}

TEST(loader, reads_the_environment_of_the_process) {
  ASSERT_EQ(setenv("TURNOUT_TEST_VARIABLE", "a=b", 1), 0);
  EXPECT_THAT(config::process_environment(),
              Contains("TURNOUT_TEST_VARIABLE=a=b"));
  unsetenv("TURNOUT_TEST_VARIABLE");
}

TEST(loader, mistakes_quote_no_secret) {
  const std::string secret = "S3cretPassw0rd";
  for (const auto& line :
       {"jwt_secret = \"" + secret, "jwt_secret = " + secret,
        "jwt_secret = \"" + secret + "\\q\"", "jwt_secret = 'a'" + secret + "'",
        "jwt_secret = [\"" + secret + "\"]", "jwt_secret \"" + secret + "\"",
        "jwt_secret = \"x\" " + secret, "jwt_secret = 5" + secret,
        "jwt_secret = \"" + secret + "\"\njwt_secret = \"" + secret + "\"",
        "jwt_secret = \"\"\"" + secret, "jwt_secret = 0x" + secret,
        "jwt_secret = 2026" + secret,
        "jwt_secret = \"" + secret + "\"\njwks_url = \"https://id.example\""}) {
    temporary_file file{"turnout.toml", "[auth]\n" + line + "\n"};
    auto x = config::load({file.path(), {}, {}});
    ASSERT_FALSE(x) << line;
    EXPECT_EQ(detail(x.error()).find(secret), std::string::npos)
      << detail(x.error());
  }
}
