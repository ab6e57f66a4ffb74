#include "transfer/json_reader.hpp"

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

using namespace turnout;
using namespace turnout::transfer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

struct outcome {
  std::vector<std::string> items;
  std::vector<int64_t> lines;
  std::string error;
};

outcome read(const std::string& text, size_t piece) {
  outcome result;
  json_reader reader{[&](json_item x) -> caf::error {
    result.items.push_back(json::serialize(x.value));
    result.lines.push_back(x.line);
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
  EXPECT_EQ(result.items, other.items);
  EXPECT_EQ(result.lines, other.lines);
  EXPECT_EQ(result.error.empty(), other.error.empty());
  return result;
}

} // namespace

TEST(json_reader, elements_of_arrays_are_items) {
  auto out = read(R"({"shortUrls": {"data": [
    {"a": 1, "b": {"c": [1, {"d": "x"}]}},
    {"a": "\u00fc\n", "e": null, "f": true, "g": 1.5}
  ], "pagination": {"page": 1}}})");
  EXPECT_THAT(out.items,
              ElementsAre(R"({"a":1,"b":{"c":[1,{"d":"x"}]}})",
                          "{\"a\":\"\xc3\xbc\\n\",\"e\":null,\"f\":true,"
                          "\"g\":1.5E0}"));
  EXPECT_THAT(out.lines, ElementsAre(2, 3));
  EXPECT_THAT(out.error, IsEmpty());
}

TEST(json_reader, members_of_links_are_items) {
  auto out = read(R"({"links": {"link_1": {"url": "x"}, "link_2": {"url": "y"}},
                      "stats": {"total": 2}})");
  EXPECT_THAT(out.items, ElementsAre(R"({"url":"x"})", R"({"url":"y"})"));
}

TEST(json_reader, pages_may_follow_each_other) {
  auto out = read("{\"data\":[{\"a\":1}]}\n{\"data\":[{\"a\":2}]}"
                  "{\"data\":[]}\n[{\"a\":3}]\n\n");
  EXPECT_THAT(out.items, ElementsAre(R"({"a":1})", R"({"a":2})", R"({"a":3})"));
  EXPECT_THAT(out.lines, ElementsAre(1, 2, 3));
  EXPECT_THAT(out.error, IsEmpty());
}

TEST(json_reader, what_is_broken_is_told_with_its_line) {
  EXPECT_THAT(read("[\n{\"a\":1},\n{]\n").error, HasSubstr("line 3: "));
  EXPECT_THAT(read("[{\"a\":1},{\"b\"").error, HasSubstr("complete"));
  EXPECT_THAT(read("[{\"a\":1},{\"b\"").items, ElementsAre(R"({"a":1})"));
  EXPECT_THAT(read("[{\"a\":\"\xff\"}]").error, HasSubstr("line 1: "));
  EXPECT_THAT(read(std::string(100, '[')).error, HasSubstr("line 1: "));
}

TEST(json_reader, a_file_without_a_list_is_told) {
  EXPECT_THAT(read("{\"error\":\"no key\"}\n").error, HasSubstr("list"));
  EXPECT_THAT(read("").error, HasSubstr("list"));
  EXPECT_THAT(read("{\"data\":[]}").error, IsEmpty());
}

TEST(json_reader, an_item_without_end_does_not_fill_the_memory) {
  auto many = std::string{"[{\"a\":["};
  for (size_t i = 0; i < max_record_bytes; ++i)
    many += "1,";
  EXPECT_THAT(read(many, 65536).error, HasSubstr("1 MiB"));
  EXPECT_THAT(
    read("[{\"a\":\"" + std::string(2 * max_record_bytes, 'x'), 65536).error,
    HasSubstr("line 1: "));
}
