#include "journal/segment_format.hpp"
#include "tests/journal/journal_fixture.hpp"

namespace turnout::journal::test {

namespace {

class segments : public journal_fixture {};

limits small_segments(int64_t events) {
  limits result;
  result.events_per_segment = events;
  return result;
}

// Changes the head of a segment as if it had been made so.
template <class F>
void rewrite_head(const fs::path& path, F f) {
  std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
  segment_head head{};
  auto* bytes = reinterpret_cast<char*>(&head);
  file.read(bytes, sizeof(head));
  f(head);
  head.checksum = checksum_of({bytes, offsetof(segment_head, checksum)});
  file.seekp(0);
  file.write(bytes, sizeof(head));
}

} // namespace

TEST_F(segments, only_what_is_committed_is_read) {
  auto out = open_writer();
  auto in = open_reader();
  EXPECT_EQ(out->last_position(), 0);
  EXPECT_FALSE(out->commit());
  out->append(numbered(1));
  EXPECT_EQ(out->last_position(), 0);
  auto before = in->read(0, 0, 10);
  ASSERT_TRUE(before);
  EXPECT_TRUE(before->empty());
  ASSERT_FALSE(out->commit());
  EXPECT_EQ(out->last_position(), 1);
  auto after = in->read(0, 0, 10);
  ASSERT_TRUE(after);
  EXPECT_TRUE(are_numbered(*after, 1, 1));
}

TEST_F(segments, reading_goes_on_after_a_position_and_stops_at_max) {
  auto out = open_writer();
  ASSERT_FALSE(commit_numbered(*out, 1, 25));
  auto in = open_reader();
  auto xs = in->read(0, 10, 7);
  ASSERT_TRUE(xs);
  EXPECT_TRUE(are_numbered(*xs, 11, 17));
  xs = in->read(0, 20, 100);
  ASSERT_TRUE(xs);
  EXPECT_TRUE(are_numbered(*xs, 21, 25));
  for (auto [position, max] : {std::pair{25, 10}, {99, 10}, {0, 0}}) {
    xs = in->read(0, position, static_cast<size_t>(max));
    ASSERT_TRUE(xs);
    EXPECT_TRUE(xs->empty());
  }
}

TEST_F(segments, journals_are_apart) {
  auto in = open_reader();
  auto none = in->journals();
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  auto first = open_writer(0);
  {
    // A reactor of a former run.
    auto eleventh = open_writer(11);
    ASSERT_FALSE(commit_numbered(*eleventh, 100, 102));
  }
  auto second = open_writer(1);
  ASSERT_FALSE(commit_numbered(*first, 1, 2));
  ASSERT_FALSE(commit_numbered(*second, 50, 50));
  auto numbers = in->journals();
  ASSERT_TRUE(numbers);
  EXPECT_EQ(*numbers, (std::vector<int>{0, 1, 11}));
  EXPECT_TRUE(are_numbered(read_all(0), 1, 2));
  EXPECT_TRUE(are_numbered(read_all(1), 50, 50));
  EXPECT_TRUE(are_numbered(read_all(11), 100, 102));
  EXPECT_TRUE(read_all(5).empty());
}

TEST_F(segments, other_files_are_no_segments) {
  auto out = open_writer();
  for (auto name :
       {"notes.txt", "0-1.journal", "x-00000000000000000001.journal",
        "0-0000000000000000000a.journal", "-1-00000000000000000001.journal",
        "3-00000000000000000001.journal.corrupt"})
    std::ofstream{dir / name} << "not ours";
  ASSERT_FALSE(commit_numbered(*out, 1, 3));
  auto numbers = open_reader()->journals();
  ASSERT_TRUE(numbers);
  EXPECT_EQ(*numbers, std::vector<int>{0});
  EXPECT_TRUE(are_numbered(read_all(), 1, 3));
}

TEST_F(segments, next_one_begins_after_so_many_events) {
  auto out = open_writer(0, 0, small_segments(10));
  auto in = open_reader();
  for (int i = 0; i < 7; ++i)
    ASSERT_FALSE(commit_numbered(*out, 5 * i + 1, 5 * i + 5));
  EXPECT_EQ(files().size(), 4u);
  auto xs = in->read(0, 0, 100);
  ASSERT_TRUE(xs);
  EXPECT_TRUE(are_numbered(*xs, 1, 35));
  xs = in->read(0, 8, 20);
  ASSERT_TRUE(xs);
  EXPECT_TRUE(are_numbered(*xs, 9, 28));
}

TEST_F(segments, next_one_begins_after_so_many_bytes) {
  limits bounds;
  bounds.bytes_per_segment = 4 << 10;
  auto out = open_writer(0, 0, bounds);
  for (int i = 1; i <= 100; ++i)
    ASSERT_FALSE(commit_numbered(*out, i, i));
  EXPECT_GE(files().size(), 3u);
  EXPECT_LT(out->bytes(), 8 << 10);
  EXPECT_TRUE(are_numbered(read_all(), 1, 100));
}

TEST_F(segments, closed_ones_are_not_written_again) {
  auto out = open_writer(0, 0, small_segments(10));
  ASSERT_FALSE(commit_numbered(*out, 1, 10));
  ASSERT_FALSE(commit_numbered(*out, 11, 11));
  auto before = files().at(0);
  auto bytes = contents(before);
  auto time = fs::last_write_time(before);
  EXPECT_TRUE(are_numbered(read_all(), 1, 11));
  ASSERT_FALSE(commit_numbered(*out, 12, 40));
  out.reset();
  EXPECT_EQ(contents(before), bytes);
  EXPECT_EQ(fs::last_write_time(before), time);
}

TEST_F(segments, bytes_are_those_of_the_files) {
  auto out = open_writer(0, 0, small_segments(50));
  auto other = open_writer(1);
  for (int i = 1; i <= 120; ++i) {
    ASSERT_FALSE(commit_numbered(*out, i, i));
    auto newest = fs::file_size(files().at(files().size() - 2));
    ASSERT_EQ(out->bytes(), static_cast<int64_t>(newest)) << i;
  }
  int64_t all = 0;
  for (auto& x : files())
    all += static_cast<int64_t>(fs::file_size(x));
  EXPECT_EQ(open_reader()->bytes(), all);
}

TEST_F(segments, trim_takes_what_is_stored_and_keeps_the_newest) {
  auto out = open_writer(0, 0, small_segments(10));
  for (int i = 0; i < 4; ++i)
    ASSERT_FALSE(commit_numbered(*out, 10 * i + 1, 10 * i + 10));
  ASSERT_EQ(files().size(), 4u);
  auto in = open_reader();
  ASSERT_TRUE(in->read(0, 0, 100));
  EXPECT_FALSE(in->trim(0, 9));
  EXPECT_EQ(files().size(), 4u);
  EXPECT_FALSE(in->trim(1, 100));
  EXPECT_EQ(files().size(), 4u);
  EXPECT_FALSE(in->trim(0, 10));
  EXPECT_EQ(files().size(), 3u);
  EXPECT_FALSE(in->trim(0, 29));
  EXPECT_EQ(files().size(), 2u);
  auto xs = in->read(0, 0, 100);
  ASSERT_TRUE(xs);
  EXPECT_TRUE(are_numbered(*xs, 21, 40));
  EXPECT_FALSE(in->trim(0, 1000));
  EXPECT_EQ(files().size(), 1u);
  EXPECT_FALSE(in->trim(0, 1000));
  ASSERT_FALSE(commit_numbered(*out, 41, 45));
  xs = in->read(0, 40, 100);
  ASSERT_TRUE(xs);
  EXPECT_TRUE(are_numbered(*xs, 41, 45));
}

TEST_F(segments, positions_go_on_after_reopening) {
  {
    auto out = open_writer();
    ASSERT_FALSE(commit_numbered(*out, 1, 5));
  }
  auto out = open_writer();
  EXPECT_EQ(out->last_position(), 5);
  ASSERT_FALSE(commit_numbered(*out, 6, 8));
  EXPECT_EQ(out->last_position(), 8);
  EXPECT_TRUE(are_numbered(read_all(), 1, 8));
}

TEST_F(segments, positions_go_on_after_runs_without_events) {
  for (int run = 0; run < 3; ++run)
    open_writer();
  {
    auto out = open_writer();
    ASSERT_FALSE(commit_numbered(*out, 1, 5));
  }
  auto last = read_all().back().position;
  for (int run = 0; run < 3; ++run)
    EXPECT_EQ(open_writer()->last_position(), last);
  auto out = open_writer();
  ASSERT_FALSE(commit_numbered(*out, 6, 6));
  EXPECT_TRUE(are_numbered(read_all(), 1, 6));
  EXPECT_FALSE(open_reader()->trim(0, out->last_position()));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(segments, positions_go_on_after_everything_was_trimmed) {
  {
    auto out = open_writer(0, 0, small_segments(10));
    for (int i = 0; i < 3; ++i)
      ASSERT_FALSE(commit_numbered(*out, 10 * i + 1, 10 * i + 10));
  }
  ASSERT_FALSE(open_reader()->trim(0, 30));
  // This run only leaves an empty segment.
  open_writer();
  ASSERT_FALSE(open_reader()->trim(0, 30));
  ASSERT_EQ(files().size(), 1u);
  auto out = open_writer(0, 0);
  ASSERT_FALSE(commit_numbered(*out, 31, 31));
  EXPECT_GT(out->last_position(), 30);
  EXPECT_TRUE(are_numbered(read_all(0, 30), 31, 31));
}

TEST_F(segments, positions_go_on_after_those_of_the_store) {
  {
    auto out = open_writer();
    ASSERT_FALSE(commit_numbered(*out, 1, 5));
  }
  auto out = open_writer(0, 1'000);
  EXPECT_EQ(out->last_position(), 1'000);
  ASSERT_FALSE(commit_numbered(*out, 6, 7));
  EXPECT_EQ(out->last_position(), 1'002);
  EXPECT_TRUE(are_numbered(read_all(), 1, 7));
  EXPECT_TRUE(are_numbered(read_all(0, 1'000), 6, 7));
  // Although the next segment begins much later.
  ASSERT_FALSE(open_reader()->trim(0, 5));
  EXPECT_TRUE(are_numbered(read_all(), 6, 7));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(segments, positions_leave_a_gap_after_a_reboot) {
  {
    auto out = open_writer();
    ASSERT_FALSE(commit_numbered(*out, 1, 5));
  }
  rewrite_head(files().at(0), [](segment_head& x) { x.boot[0] ^= 1; });
  auto out = open_writer();
  // The power cut may have taken events 6 to n that the store has already.
  EXPECT_EQ(out->last_position(), 5);
  ASSERT_FALSE(commit_numbered(*out, 6, 6));
  EXPECT_GT(out->last_position(), 1'000'000);
  EXPECT_TRUE(are_numbered(read_all(), 1, 6));
}

TEST_F(segments, unfinished_ones_are_cleared_away) {
  fs::create_directories(dir);
  std::ofstream{dir / "0.new"} << "half";
  auto out = open_writer();
  ASSERT_FALSE(commit_numbered(*out, 1, 1));
  EXPECT_TRUE(files(".new").empty());
  EXPECT_TRUE(are_numbered(read_all(), 1, 1));
}

TEST_F(segments, a_newer_format_is_refused) {
  {
    auto out = open_writer();
    ASSERT_FALSE(commit_numbered(*out, 1, 5));
  }
  rewrite_head(files().at(0), [](segment_head& x) { ++x.format; });
  auto in = open_reader();
  auto xs = in->read(0, 0, 10);
  ASSERT_FALSE(xs);
  EXPECT_EQ(code_of(xs.error()), ec::journal);
  EXPECT_NE(detail(xs.error()).find("newer version"), std::string::npos)
    << detail(xs.error());
  auto out = writer::open(dir, 0, 0, {});
  ASSERT_FALSE(out);
  EXPECT_NE(detail(out.error()).find("newer version"), std::string::npos)
    << detail(out.error());
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(segments, a_directory_that_cannot_be_is_an_error) {
  std::ofstream{dir} << "a file";
  auto out = writer::open(dir / "below", 0, 0, {});
  ASSERT_FALSE(out);
  EXPECT_EQ(code_of(out.error()), ec::journal);
  EXPECT_NE(detail(out.error()).find(dir.string()), std::string::npos);
  EXPECT_FALSE(reader::open(dir / "below"));
  EXPECT_TRUE(sync_all(dir / "below"));
}

TEST_F(segments, those_of_the_first_format_are_left_alone) {
  fs::create_directories(dir);
  const auto path = dir / "0-00000000000000000001.journal";
  std::ofstream{path} << std::string{"SQLite format 3\0and so on", 25};
  auto out = writer::open(dir, 0, 0, {});
  ASSERT_FALSE(out);
  EXPECT_NE(detail(out.error()).find("older version"), std::string::npos)
    << detail(out.error());
  EXPECT_EQ(files(), std::vector<fs::path>{path});
}

TEST_F(segments, only_their_owner_may_read_them) {
  auto out = open_writer();
  ASSERT_FALSE(commit_numbered(*out, 1, 2));
  EXPECT_EQ(fs::status(files().at(0)).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(segments, one_that_cannot_be_made_stops_nothing_for_good) {
  auto out = open_writer(0, 0, small_segments(5));
  ASSERT_FALSE(commit_numbered(*out, 1, 5));
  // Nobody can make a file here for a while.
  fs::create_directories(dir / "0.new" / "in the way");
  EXPECT_TRUE(commit_numbered(*out, 900'001, 900'001));
  fs::remove_all(dir / "0.new");
  ASSERT_FALSE(commit_numbered(*out, 6, 7));
  EXPECT_TRUE(are_numbered(read_all(), 1, 7));
}

TEST_F(segments, sync_forces_all_journals) {
  auto first = open_writer(0, 0, small_segments(5));
  auto second = open_writer(1);
  EXPECT_FALSE(sync_all(dir));
  for (int i = 0; i < 4; ++i)
    ASSERT_FALSE(commit_numbered(*first, 5 * i + 1, 5 * i + 5));
  ASSERT_FALSE(commit_numbered(*second, 1, 1));
  EXPECT_FALSE(sync_all(dir));
  ASSERT_FALSE(commit_numbered(*first, 21, 22));
  EXPECT_TRUE(are_numbered(read_all(), 1, 22));
}

} // namespace turnout::journal::test
