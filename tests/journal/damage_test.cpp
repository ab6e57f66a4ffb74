#include "journal/segment_format.hpp"
#include "tests/journal/journal_fixture.hpp"

#include <set>

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

  // A run that does nothing but make the segments before it closed ones.
  void start_once() {
    open_writer();
  }
};

/// Offsets at which frames begin, and the end.
std::vector<size_t> frames_of(const std::string& segment) {
  std::vector<size_t> result;
  auto at = sizeof(segment_head);
  while (at < segment.size()) {
    result.push_back(at);
    frame_head head{};
    segment.copy(reinterpret_cast<char*>(&head), sizeof(head), at);
    at += frame_preamble + head.size;
  }
  result.push_back(at);
  return result;
}

} // namespace

TEST_F(damage, cut_segment_is_read_up_to_the_cut) {
  write_former_run(1'000);
  const auto segment = files().at(0);
  const auto whole = fs::file_size(segment);
  // At each length it holds a prefix of the commits, and that is no damage.
  int64_t readable = 1'000;
  for (int tenth = 9; tenth >= 1; --tenth) {
    SCOPED_TRACE(tenth);
    fs::resize_file(segment, whole * static_cast<uintmax_t>(tenth) / 10 + 7);
    auto entries = read_all();
    auto n = static_cast<int64_t>(entries.size());
    EXPECT_LT(n, readable);
    EXPECT_GT(n, 0);
    EXPECT_EQ(n % 10, 0);
    EXPECT_TRUE(are_numbered(entries, 1, n));
    readable = n;
  }
  EXPECT_TRUE(reports.empty());
}

TEST_F(damage, every_cut_of_a_frame_is_the_end) {
  write_former_run(30);
  const auto segment = files().at(0);
  const auto begin = frames_of(contents(segment)).at(2);
  for (auto size = fs::file_size(segment) - 1; size >= begin; --size) {
    fs::resize_file(segment, size);
    ASSERT_TRUE(are_numbered(read_all(), 1, 20)) << size;
  }
  start_once();
  EXPECT_TRUE(are_numbered(read_all(), 1, 20));
  EXPECT_TRUE(reports.empty());
}

TEST_F(damage, start_after_a_cut_segment_goes_on) {
  write_former_run(1'000);
  fs::resize_file(files().at(0), fs::file_size(files().at(0)) / 2);
  auto left = static_cast<int64_t>(read_all().size());
  ASSERT_GT(left, 0);
  auto out = open_writer();
  EXPECT_EQ(out->last_position(), left);
  ASSERT_FALSE(commit_numbered(*out, left + 1, left + 5));
  EXPECT_TRUE(are_numbered(read_all(), 1, left + 5));
}

// As file systems leave it whose sizes reach the disk before the contents.
TEST_F(damage, zeros_at_the_end_are_passed_over) {
  write_former_run(100);
  const auto segment = files().at(0);
  spoil(segment, frames_of(contents(segment)).at(7), UINTMAX_MAX, '\0');
  auto out = open_writer();
  EXPECT_EQ(out->last_position(), 70);
  EXPECT_EQ(reports.size(), 1u);
  ASSERT_FALSE(commit_numbered(*out, 71, 75));
  EXPECT_TRUE(are_numbered(read_all(), 1, 75));
  // The cut may have taken events that the store knows.
  EXPECT_GT(out->last_position(), 1'000'000);
}

TEST_F(damage, commits_behind_a_spoiled_one_are_read) {
  write_former_run(1'000);
  const auto segment = files().at(0);
  const auto frames = frames_of(contents(segment));
  ASSERT_EQ(frames.size(), 101u);
  // One byte each of a head's marker, size, checksum and position, and of the
  // events; and everything of a frame and its neighbour's head.
  size_t frame = 5;
  for (size_t byte : {0, 4, 8, 16, 40}) {
    spoil(segment, frames[frame] + byte, 1);
    frame += 10;
  }
  spoil(segment, frames[frame], frames[frame + 1] - frames[frame] + 10);
  auto out = open_writer();
  EXPECT_EQ(out->last_position(), 1'000);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].find(segment.string()), std::string::npos);
  EXPECT_NE(reports[0].find("byte " + std::to_string(frames[5])),
            std::string::npos)
    << reports[0];
  ASSERT_FALSE(commit_numbered(*out, 5'001, 5'003));
  const std::set<int64_t> lost{5, 15, 25, 35, 45, 55, 56};
  std::vector<int64_t> expected;
  for (int64_t i = 1; i <= 1'000; ++i)
    if (!lost.contains((i - 1) / 10))
      expected.push_back(i);
  for (int64_t i = 5'001; i <= 5'003; ++i)
    expected.push_back(i);
  std::vector<int64_t> found;
  for (const auto& x : read_all())
    found.push_back(serial_of(x));
  EXPECT_EQ(found, expected);
}

TEST_F(damage, a_size_out_of_all_bounds_is_no_reason_to_stop) {
  write_former_run(50);
  const auto segment = files().at(0);
  const auto frames = frames_of(contents(segment));
  overwrite(segment, frames.at(1) + offsetof(frame_head, size),
            "\xff\xff\xff\x7f");
  start_once();
  auto entries = read_all();
  ASSERT_EQ(entries.size(), 40u);
  EXPECT_EQ(serial_of(entries[10]), 21);
}

TEST_F(damage, a_damaged_segment_is_kept_when_its_events_are_stored) {
  write_former_run(100);
  const auto segment = files().at(0);
  spoil(segment, frames_of(contents(segment)).at(3) + 20, 1);
  const auto size = fs::file_size(segment);
  start_once();
  reports.clear();
  auto in = open_reader();
  auto xs = in->read(0, 0, 1'000);
  ASSERT_TRUE(xs);
  EXPECT_EQ(xs->size(), 90u);
  // Not yet: a kill now must not lose what was read.
  EXPECT_TRUE(files(".corrupt").empty());
  ASSERT_FALSE(in->trim(0, xs->back().position));
  ASSERT_EQ(files(".corrupt").size(), 1u);
  EXPECT_EQ(fs::file_size(files(".corrupt")[0]), size);
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(reports.size(), 1u);
  xs = in->read(0, 0, 1'000);
  ASSERT_TRUE(xs);
  EXPECT_TRUE(xs->empty());
}

TEST_F(damage, a_spoiled_head_of_a_segment_hides_no_frame) {
  write_former_run(50);
  spoil(files().at(0), 3, 30);
  auto out = open_writer();
  EXPECT_EQ(out->last_position(), 50);
  EXPECT_EQ(reports.size(), 1u);
  ASSERT_FALSE(commit_numbered(*out, 51, 52));
  EXPECT_TRUE(are_numbered(read_all(), 1, 52));
}

TEST_F(damage, empty_newest_segment_is_set_aside) {
  write_former_run(100);
  auto segment = files().at(0);
  fs::resize_file(segment, 0);
  auto out = open_writer();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].find(segment.string()), std::string::npos);
  EXPECT_NE(reports[0].find("corrupt"), std::string::npos);
  ASSERT_EQ(files(".corrupt").size(), 1u);
  ASSERT_FALSE(commit_numbered(*out, 1, 3));
  EXPECT_TRUE(are_numbered(read_all(), 1, 3));
  // No position is given twice.
  EXPECT_GT(out->last_position(), 1'000'000);
}

TEST_F(damage, newest_segment_of_garbage_is_set_aside) {
  write_former_run(100);
  auto segment = files().at(0);
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

} // namespace turnout::journal::test
