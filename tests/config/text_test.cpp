#include "config/loader.hpp"
#include "config/secret.hpp"
#include "tests/config/temporary_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace turnout;
using config::mask_secret;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in{path};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::filesystem::path source_dir() {
  return std::filesystem::path{__FILE__}
    .parent_path()
    .parent_path()
    .parent_path();
}

/// The example with every setting taken into use.
std::string uncommented(const std::string& text) {
  std::istringstream in{text};
  std::string result;
  for (std::string line; std::getline(in, line);) {
    if (line.size() > 1 && line[0] == '#' && line[1] != ' ')
      line.erase(0, 1);
    result += line + '\n';
  }
  return result;
}

} // namespace

TEST(example_file, is_the_committed_one) {
  auto path = source_dir() / "config" / "turnout.example.toml";
  // With WRITE_EXAMPLE=1 in the environment the test makes the file anew.
  if (std::getenv("WRITE_EXAMPLE") != nullptr)
    std::ofstream{path} << config::example_file();
  EXPECT_EQ(config::example_file(), read_file(path))
    << "run: WRITE_EXAMPLE=1 build/dev/tests/test_config";
}

TEST(reference, is_the_one_of_the_documentation) {
  auto path = source_dir() / "docs" / "configuration.md";
  auto page = read_file(path);
  const std::string mark = "<!-- The table is made by test_config. -->\n";
  auto begin = page.find(mark);
  ASSERT_NE(begin, std::string::npos) << "no mark in " << path;
  begin += mark.size();
  auto end = page.find("\n\n", begin);
  ASSERT_NE(end, std::string::npos);
  ++end;
  if (std::getenv("WRITE_EXAMPLE") != nullptr) {
    page.replace(begin, end - begin, config::reference());
    std::ofstream{path} << page;
    end = begin + config::reference().size();
  }
  EXPECT_EQ(page.substr(begin, end - begin), config::reference())
    << "run: WRITE_EXAMPLE=1 build/dev/tests/test_config";
}

TEST(example_file, says_the_defaults) {
  temporary_file file{"turnout.toml", uncommented(config::example_file())};
  auto given = config::load({file.path(), {}, {}});
  ASSERT_TRUE(given) << detail(given.error());
  EXPECT_EQ(given->origins.size(), 42u);
  auto none = config::load({});
  ASSERT_TRUE(none);
  given->origins.clear();
  EXPECT_EQ(config::describe(*given), config::describe(*none));
}

TEST(example_file, loads_as_it_is) {
  temporary_file file{"turnout.toml", config::example_file()};
  auto x = config::load({file.path(), {}, {}});
  ASSERT_TRUE(x) << detail(x.error());
  EXPECT_TRUE(x->origins.empty());
}

TEST(example_file, fits_into_80_columns) {
  std::istringstream in{config::example_file()};
  for (std::string line; std::getline(in, line);)
    EXPECT_LE(line.size(), 80u) << line;
}

TEST(describe, can_be_loaded_again) {
  config::sources from;
  from.overrides = {{"http.trusted_proxies", "10.0.0.0/8,fd00::/8"},
                    {"redirect.sticky", "false"},
                    {"data_dir", "a \"b\" \\c\td"},
                    {"storage.workers", "7"}};
  auto x = config::load(from);
  ASSERT_TRUE(x) << detail(x.error());
  auto text = config::describe(*x);
  EXPECT_THAT(text, HasSubstr("storage.workers = 7  # command line\n"));
  EXPECT_THAT(text, HasSubstr("storage.queue = 1024  # default\n"));
  temporary_file file{"turnout.toml", text};
  auto again = config::load({file.path(), {}, {}});
  ASSERT_TRUE(again) << detail(again.error());
  EXPECT_EQ(again->values.data_dir, x->values.data_dir);
  again->origins = x->origins;
  EXPECT_EQ(config::describe(*again), text);
}

TEST(describe, shows_no_password) {
  config::sources from;
  from.environment = {"TURNOUT_STORAGE_DSN=postgresql://me:hunter2@db/turnout"};
  auto x = config::load(from);
  ASSERT_TRUE(x);
  EXPECT_EQ(x->values.storage.dsn, "postgresql://me:hunter2@db/turnout");
  auto text = config::describe(*x);
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
  EXPECT_THAT(text, HasSubstr("storage.dsn = \"postgresql://me:***@db/turnout\""
                              "  # TURNOUT_STORAGE_DSN\n"));
}

TEST(mask_secret, keeps_what_is_no_password) {
  for (auto x : {"", "data/turnout.db", "host=db dbname=turnout user=me",
                 "postgresql://db/turnout", "postgresql://me@db/turnout",
                 "postgresql://db:5432/turnout", "passwords", "password"})
    EXPECT_EQ(mask_secret(x), x);
}

TEST(mask_secret, addresses) {
  EXPECT_EQ(mask_secret("postgresql://me:pw@db:5432/t?sslmode=require"),
            "postgresql://me:***@db:5432/t?sslmode=require");
  // Not escaped as it should be.
  EXPECT_EQ(mask_secret("postgresql://me:p@/w:x@db/t"),
            "postgresql://me:***@db/t");
  EXPECT_EQ(mask_secret("postgresql://db/t?password=pw&sslmode=require"),
            "postgresql://db/t?password=***&sslmode=require");
}

TEST(mask_secret, keywords) {
  EXPECT_EQ(mask_secret("host=db password=pw dbname=t"),
            "host=db password=*** dbname=t");
  EXPECT_EQ(mask_secret("PASSWORD = pw host=db"), "PASSWORD = *** host=db");
  EXPECT_EQ(mask_secret("password='a b\\'c' host=db"), "password=*** host=db");
  EXPECT_EQ(mask_secret("password=a\\ b host=db"), "password=*** host=db");
  EXPECT_EQ(mask_secret("password=a&b host=db"), "password=*** host=db");
  EXPECT_EQ(mask_secret("password='never ends"), "password=***");
  EXPECT_EQ(mask_secret("password="), "password=***");
  EXPECT_EQ(mask_secret("sslpassword=k password=p"),
            "sslpassword=*** password=***");
  EXPECT_EQ(mask_secret("password=a\\"), "password=***");
}
