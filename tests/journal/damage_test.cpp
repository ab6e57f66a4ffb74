#include "tests/journal/journal_fixture.hpp"

namespace turnout::journal::test {

namespace {

/// What a power cut or a bad disk may leave.
class damage : public journal_fixture {
protected:
  void write_former_run(int64_t count, int64_t per_commit = 10) {
    auto out = open_writer();
    for (int64_t i = 1; i <= count; i += per_commit)
      ASSERT_FALSE(commit_numbered(*out, i, i + per_commit - 1));
  }

  // Moves all pages into the main file, so that damage to it shows.
  void checkpoint(const fs::path& segment) {
    edit(segment, "PRAGMA wal_checkpoint(TRUNCATE)");
  }

  fs::path wal_of(fs::path segment) {
    return segment += "-wal";
  }
};

} // namespace

TEST_F(damage, cut_wal_is_read_up_to_the_cut) {
  write_former_run(1'000);
  auto wal = wal_of(files().at(0));
  auto whole = fs::file_size(wal);
  // At each length it holds a prefix of the commits, and the start works.
  int64_t readable = 1'000;
  for (int tenth = 9; tenth >= 0; --tenth) {
    SCOPED_TRACE(tenth);
    fs::resize_file(wal, whole * tenth / 10 + 7);
    auto entries = read_all();
    auto n = static_cast<int64_t>(entries.size());
    EXPECT_LT(n, readable);
    EXPECT_EQ(n % 10, 0);
    EXPECT_TRUE(are_numbered(entries, 1, n));
    readable = n;
  }
  EXPECT_EQ(readable, 0);
}

TEST_F(damage, start_after_a_cut_wal_goes_on) {
  write_former_run(1'000);
  auto wal = wal_of(files().at(0));
  fs::resize_file(wal, fs::file_size(wal) / 2);
  auto left = static_cast<int64_t>(read_all().size());
  ASSERT_GT(left, 0);
  auto out = open_writer();
  EXPECT_EQ(out->last_position(), left);
  ASSERT_FALSE(commit_numbered(*out, left + 1, left + 5));
  EXPECT_TRUE(are_numbered(read_all(), 1, left + 5));
}

TEST_F(damage, spoiled_wal_is_read_up_to_the_damage) {
  write_former_run(1'000);
  auto wal = wal_of(files().at(0));
  spoil(wal, static_cast<std::streamoff>(fs::file_size(wal) / 2));
  auto out = open_writer();
  auto left = out->last_position();
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 1'000);
  ASSERT_FALSE(commit_numbered(*out, left + 1, left + 5));
  EXPECT_TRUE(are_numbered(read_all(), 1, left + 5));
}

TEST_F(damage, empty_newest_segment_is_set_aside_with_its_wal) {
  write_former_run(100);
  auto segment = files().at(0);
  auto wal_size = fs::file_size(wal_of(segment));
  fs::resize_file(segment, 0);
  auto out = open_writer();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].find(segment.string()), std::string::npos);
  EXPECT_NE(reports[0].find("corrupt"), std::string::npos);
  ASSERT_EQ(files(".corrupt").size(), 1u);
  ASSERT_EQ(files(".corrupt-wal").size(), 1u);
  EXPECT_EQ(fs::file_size(files(".corrupt-wal")[0]), wal_size);
  ASSERT_FALSE(commit_numbered(*out, 1, 3));
  EXPECT_TRUE(are_numbered(read_all(), 1, 3));
  // No position is given twice.
  EXPECT_GT(out->last_position(), 1'000'000);
}

TEST_F(damage, newest_segment_of_garbage_is_set_aside) {
  write_former_run(100);
  auto segment = files().at(0);
  checkpoint(segment);
  spoil(segment, 0);
  auto size = fs::file_size(segment);
  auto out = open_writer();
  EXPECT_EQ(reports.size(), 1u);
  ASSERT_EQ(files(".corrupt").size(), 1u);
  EXPECT_EQ(fs::file_size(files(".corrupt")[0]), size);
  ASSERT_FALSE(commit_numbered(*out, 1, 3));
  EXPECT_TRUE(are_numbered(read_all(), 1, 3));
}

TEST_F(damage, segment_before_a_damaged_one_is_still_read) {
  write_former_run(50);
  {
    auto out = open_writer();
    ASSERT_FALSE(commit_numbered(*out, 51, 60));
  }
  fs::resize_file(files().at(1), 0);
  auto out = open_writer();
  EXPECT_EQ(out->last_position(), 50);
  ASSERT_FALSE(commit_numbered(*out, 61, 63));
  auto entries = read_all();
  ASSERT_EQ(entries.size(), 53u);
  EXPECT_EQ(serial_of(entries[49]), 50);
  EXPECT_EQ(serial_of(entries[50]), 61);
}

TEST_F(damage, rows_before_a_spoiled_page_are_read_before_it_is_set_aside) {
  write_former_run(2'000);
  auto segment = files().at(0);
  checkpoint(segment);
  spoil(segment, static_cast<std::streamoff>(fs::file_size(segment) / 2));
  // As a start does it.
  auto out = open_writer();
  EXPECT_EQ(reports.size(), 1u);
  auto last = out->last_position();
  EXPECT_GT(last, 0);
  EXPECT_LT(last, 2'000);
  EXPECT_TRUE(files(".corrupt").empty());
  ASSERT_FALSE(commit_numbered(*out, 5'001, 5'003));
  auto entries = read_all();
  auto readable = entries.size() - 3;
  EXPECT_EQ(static_cast<int64_t>(readable), last);
  EXPECT_EQ(serial_of(entries.back()), 5'003);
  entries.resize(readable);
  EXPECT_TRUE(are_numbered(entries, 1, last));
  EXPECT_EQ(files(".corrupt").size(), 1u);
  EXPECT_EQ(reports.size(), 2u);
}

TEST_F(damage, older_segment_does_not_stop_the_reader) {
  limits bounds;
  bounds.events_per_segment = 10;
  auto out = open_writer(0, 0, bounds);
  for (int i = 0; i < 4; ++i)
    ASSERT_FALSE(commit_numbered(*out, 10 * i + 1, 10 * i + 10));
  fs::resize_file(files().at(1), 0);
  auto in = open_reader();
  auto xs = in->read(0, 0, 100);
  ASSERT_TRUE(xs);
  ASSERT_EQ(xs->size(), 30u);
  EXPECT_EQ(serial_of((*xs)[9]), 10);
  EXPECT_EQ(serial_of((*xs)[10]), 21);
  EXPECT_EQ(files(".corrupt").size(), 1u);
  EXPECT_EQ(reports.size(), 1u);
}

TEST_F(damage, segment_in_use_is_not_set_aside) {
  auto out = open_writer();
  ASSERT_FALSE(commit_numbered(*out, 1, 5));
  fs::resize_file(files().at(0), 0);
  auto in = open_reader();
  auto xs = in->read(0, 0, 100);
  ASSERT_FALSE(xs);
  EXPECT_EQ(code_of(xs.error()), ec::journal);
  EXPECT_EQ(files().size(), 1u);
  EXPECT_TRUE(files(".corrupt").empty());
}

TEST_F(damage, database_of_somebody_else_is_set_aside) {
  fs::create_directories(dir);
  edit(dir / "0-00000000000000000001.journal", "CREATE TABLE t (x)");
  auto out = open_writer();
  EXPECT_EQ(files(".corrupt").size(), 1u);
  ASSERT_FALSE(commit_numbered(*out, 1, 2));
  EXPECT_TRUE(are_numbered(read_all(), 1, 2));
}

} // namespace turnout::journal::test
