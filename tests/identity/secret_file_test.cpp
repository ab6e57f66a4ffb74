#include "identity/secret_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace turnout;
using namespace turnout::identity;
namespace fs = std::filesystem;

namespace {

struct secret_file_test : testing::Test {
  secret_file_test() {
    auto name = (fs::temp_directory_path() / "turnout-XXXXXX").string();
    dir = ::mkdtemp(name.data());
    file = dir / "session_secret";
  }

  ~secret_file_test() override {
    fs::remove_all(dir);
  }

  mode_t mode() const {
    struct stat found {};
    EXPECT_EQ(::stat(file.c_str(), &found), 0);
    return found.st_mode & 0777;
  }

  fs::path dir;
  fs::path file;
};

} // namespace

TEST_F(secret_file_test, is_made_once_for_its_owner_only) {
  const auto old = ::umask(0);
  const auto first = load_or_make_secret(file);
  ::umask(old);
  ASSERT_TRUE(first) << detail(first.error());
  EXPECT_EQ(first->size(), 64u);
  EXPECT_EQ(mode(), 0600u);
  EXPECT_EQ(*load_or_make_secret(file), *first);
  EXPECT_NE(*load_or_make_secret(dir / "other"), *first);
}

TEST_F(secret_file_test, is_protected_when_a_copy_was_not) {
  const auto first = load_or_make_secret(file);
  fs::permissions(file, fs::perms::owner_all | fs::perms::others_read);
  EXPECT_EQ(*load_or_make_secret(file), *first);
  EXPECT_EQ(mode(), 0600u);
}

TEST_F(secret_file_test, all_who_start_at_once_get_the_same) {
  std::vector<std::string> secrets(16);
  std::vector<std::thread> threads;
  for (auto& mine : secrets)
    threads.emplace_back([&] {
      if (auto x = load_or_make_secret(file))
        mine = *x;
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(std::set(secrets.begin(), secrets.end()).size(), 1u);
  EXPECT_EQ(secrets.front().size(), 64u);
  // No draft is left.
  EXPECT_EQ(std::distance(fs::directory_iterator{dir}, {}), 1);
}

TEST_F(secret_file_test, what_is_no_secret_is_not_used) {
  for (std::string text : {"", "short", "zz"}) {
    std::ofstream{file, std::ios::trunc} << text;
    const auto result = load_or_make_secret(file);
    ASSERT_FALSE(result);
    EXPECT_EQ(code_of(result.error()), ec::config);
    EXPECT_NE(detail(result.error()).find(file.string()), std::string::npos);
  }
  const auto nowhere = load_or_make_secret(dir / "no" / "such");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(code_of(nowhere.error()), ec::config);
}
