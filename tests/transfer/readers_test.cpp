#include "transfer/readers.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace turnout;
using namespace turnout::transfer;

namespace {

/// Reads a file that comes in pieces of a size; what became of each record.
std::vector<std::string> read(file_format format, std::string_view text,
                              size_t piece) {
  std::vector<std::string> result;
  const auto reader = make_reader(
    format,
    [&](record x) -> caf::error {
      result.push_back(x.body ? json::serialize(*x.body)
                              : detail(x.body.error()));
      return {};
    },
    [](const std::string&) {
      // nop
    });
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    if (auto err = reader->feed(text.substr(0, piece)))
      result.push_back(detail(err));
  if (auto err = reader->finish())
    result.push_back(detail(err));
  return result;
}

} // namespace

TEST(readers, json_is_known_whatever_pieces_it_comes_in) {
  // Found by fuzzing: a piece that ended behind mark or space made it CSV.
  const std::string json = R"([{"long_url":"https://a.example/",)"
                           R"("link":"https://bit.ly/abc"}])";
  for (const auto* before :
       {"", "\xef\xbb\xbf", "\xef\xbb\xbf \n ", "\n\t  "}) {
    const auto text = before + json;
    const auto whole = read(file_format::bitly, text, text.size());
    ASSERT_EQ(whole.size(), 1u);
    EXPECT_TRUE(whole[0].starts_with('{')) << whole[0];
    for (size_t piece = 1; piece < 10; ++piece)
      EXPECT_EQ(read(file_format::bitly, text, piece), whole) << piece;
  }
}

TEST(readers, a_file_of_nothing_is_empty) {
  for (const auto* text : {"", "\xef", "\xef\xbb\xbf", " \n "})
    EXPECT_EQ(read(file_format::kutt, text, 1).size(), 1u) << text;
}

TEST(readers, items_before_a_broken_one_are_given) {
  // Found by fuzzing: one piece with both gave none.
  const std::string text = R"([{"long_url":"https://a.example/",)"
                           R"("link":"https://bit.ly/abc"}, oops)";
  const auto whole = read(file_format::bitly, text, text.size());
  ASSERT_GE(whole.size(), 2u);
  EXPECT_TRUE(whole[0].starts_with('{')) << whole[0];
  EXPECT_TRUE(whole[1].starts_with("line 1: this is no JSON")) << whole[1];
}
