#include "journal/file.hpp"

#include "journal/fault.hpp"
#include "tests/journal/journal_fixture.hpp"

namespace turnout::journal::test {

namespace {

class file_test : public journal_fixture {
protected:
  file_test() {
    fs::create_directories(dir);
  }

  /// Makes a file of so many bytes, no part of which is like another.
  fs::path make_file(int64_t size) const {
    const auto path = dir / "some file";
    const auto out = file::create(path);
    for (int64_t at = 0; at < size; at += 1000)
      out.write(text_of(at), at);
    out.truncate(size);
    return path;
  }

  static std::string text_of(int64_t at) {
    auto result = std::to_string(at);
    result.resize(1000, 'x');
    return result;
  }

  static bool is_start_of_file(const file& in) {
    std::string part;
    for (int64_t at = 0; at + 1000 <= in.size(); at += 1000) {
      in.read(part, 1000, at);
      if (part != text_of(at))
        return false;
    }
    return true;
  }
};

} // namespace

TEST_F(file_test, removing_shortens_for_who_reads_but_leaves_the_head) {
  for (int64_t size : {0, 10, 1'000'000, 1'100'000, 9'000'000}) {
    const auto path = make_file(size);
    const auto in = file::open(path);
    remove_file(path);
    EXPECT_FALSE(fs::exists(path));
    EXPECT_LE(in.size(), size);
    EXPECT_GE(in.size(), std::min<int64_t>(size, 1'000'000));
    EXPECT_LE(in.size(), 1'100'000);
    EXPECT_TRUE(is_start_of_file(in));
  }
}

TEST_F(file_test, a_hard_link_of_what_is_removed_stays_whole) {
  const auto path = make_file(9'000'000);
  const auto other = dir / "other name";
  fs::create_hard_link(path, other);
  remove_file(path);
  EXPECT_FALSE(fs::exists(path));
  const auto in = file::open(other);
  EXPECT_EQ(in.size(), 9'000'000);
  EXPECT_TRUE(is_start_of_file(in));
}

TEST_F(file_test, removing_fails_loudly_but_for_what_is_not_there) {
  EXPECT_NO_THROW(remove_file(dir / "nothing"));
  fs::create_directories(dir / "directory");
  EXPECT_THROW(remove_file(dir / "directory"), segment_error);
  EXPECT_TRUE(fs::exists(dir / "directory"));
}

} // namespace turnout::journal::test
