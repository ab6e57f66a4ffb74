#include "transfer/csv_reader.hpp"

#include <gmock/gmock.h>

using namespace turnout;
using namespace turnout::transfer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using cells = std::vector<std::string>;

struct outcome {
  std::vector<csv_row> rows;
  std::string error;

  std::vector<int64_t> lines() const {
    std::vector<int64_t> result;
    for (const auto& x : rows)
      result.push_back(x.line);
    return result;
  }
};

/// Reads a text in pieces of a size.
outcome read(const std::string& text, size_t piece) {
  outcome result;
  csv_reader reader{[&](csv_row row) -> caf::error {
    result.rows.push_back(std::move(row));
    return {};
  }};
  caf::error err;
  for (size_t i = 0; i < text.size() && !err; i += piece)
    err = reader.feed(std::string_view{text}.substr(i, piece));
  if (!err)
    err = reader.finish();
  result.error = detail(err);
  return result;
}

/// Reads a text whole and byte by byte, which must be the same.
outcome read(const std::string& text) {
  auto result = read(text, text.size() + 1);
  const auto other = read(text, 1);
  EXPECT_EQ(result.error, other.error);
  EXPECT_EQ(result.rows.size(), other.rows.size());
  for (size_t i = 0; i < std::min(result.rows.size(), other.rows.size()); ++i) {
    EXPECT_EQ(result.rows[i].line, other.rows[i].line);
    EXPECT_EQ(result.rows[i].cells, other.rows[i].cells);
    EXPECT_EQ(result.rows[i].problem, other.rows[i].problem);
  }
  return result;
}

} // namespace

TEST(csv_reader, cells_are_kept_byte_for_byte) {
  auto out = read("a, b ,\" c \"\n=1+1,\"x,\"\"y\"\"\",\xc3\xbc\n");
  ASSERT_EQ(out.rows.size(), 2u);
  EXPECT_THAT(out.rows[0].cells, ElementsAre("a", " b ", " c "));
  EXPECT_THAT(out.rows[1].cells, ElementsAre("=1+1", "x,\"y\"", "\xc3\xbc"));
  EXPECT_THAT(out.error, IsEmpty());
}

TEST(csv_reader, lines_are_counted_over_all_ends_and_quoted_ones) {
  auto out = read("h\r\n\"two\r\nlines\"\r\n\r\nfive\nsix\r\n\"a\nb\nc\"\nten");
  EXPECT_THAT(out.lines(), ElementsAre(1, 2, 5, 6, 7, 10));
  EXPECT_THAT(out.rows[1].cells, ElementsAre("two\r\nlines"));
  EXPECT_THAT(read("a\rb\rc\r").lines(), ElementsAre(1, 2, 3));
}

TEST(csv_reader, a_byte_order_mark_is_no_part_of_the_first_cell) {
  auto out = read("\xef\xbb\xbfslug,name\nx,y\n");
  EXPECT_THAT(out.rows.at(0).cells, ElementsAre("slug", "name"));
}

TEST(csv_reader, the_separator_is_that_of_the_header) {
  EXPECT_THAT(read("a;b;c\n1,5;2;3\n").rows.at(1).cells,
              ElementsAre("1,5", "2", "3"));
  EXPECT_THAT(read("a\tb\n1,2\t3\n").rows.at(1).cells, ElementsAre("1,2", "3"));
  EXPECT_THAT(read("\"a;b;c\",d\n1;2,3\n").rows.at(1).cells,
              ElementsAre("1;2", "3"));
}

TEST(csv_reader, a_misplaced_quote_refuses_its_row_only) {
  auto out = read("a,b\n1,x\"y\n2,\"z\" \n3,ok\n");
  ASSERT_EQ(out.rows.size(), 4u);
  EXPECT_THAT(out.lines(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(out.rows[1].problem, HasSubstr("quote"));
  EXPECT_THAT(out.rows[2].problem, HasSubstr("quote"));
  EXPECT_THAT(out.rows[3].problem, IsEmpty());
  EXPECT_THAT(out.rows[3].cells, ElementsAre("3", "ok"));
}

TEST(csv_reader, a_truncated_file_is_told) {
  auto out = read("a,b\n1,2\n3,\"open\nstill open");
  ASSERT_EQ(out.rows.size(), 3u);
  EXPECT_EQ(out.rows[2].line, 3);
  EXPECT_THAT(out.rows[2].problem, HasSubstr("complete"));
  EXPECT_THAT(out.rows[2].cells, IsEmpty());
}

TEST(csv_reader, utf_16_is_told) {
  EXPECT_THAT(read(std::string{"\xff\xfe"} + std::string("a\0\n\0", 4)).error,
              HasSubstr("UTF-16"));
}

TEST(csv_reader, a_row_without_end_does_not_fill_the_memory) {
  auto out = read("a,b\n1,\"" + std::string(3 * max_record_bytes, 'x'), 65536);
  EXPECT_THAT(out.error, HasSubstr("line 2"));
  EXPECT_THAT(out.error, HasSubstr("1 MiB"));
}

TEST(csv_reader, an_empty_file_has_no_rows) {
  EXPECT_THAT(read("").rows, IsEmpty());
  EXPECT_THAT(read("\n\n").rows, IsEmpty());
}
