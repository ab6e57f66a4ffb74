#include "core/keyword_matcher.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace turnout {
namespace {

using hits = std::set<std::pair<size_t, size_t>>;

hits find_all(const std::vector<std::string>& words, std::string_view text) {
  keyword_matcher x;
  for (const auto& word : words)
    x.add(word);
  x.build();
  hits result;
  x.scan(text, [&](size_t number, size_t end) {
    EXPECT_TRUE(result.emplace(number, end).second);
    return true;
  });
  return result;
}

TEST(keyword_matcher, finds_overlapping_words) {
  EXPECT_EQ(find_all({"he", "she", "his", "hers"}, "ushers"),
            (hits{{1, 4}, {0, 4}, {3, 6}}));
}

TEST(keyword_matcher, finds_words_inside_words) {
  EXPECT_EQ(find_all({"abcd", "bc", "c", "bc"}, "xabcdx"),
            (hits{{0, 5}, {1, 4}, {3, 4}, {2, 4}}));
}

TEST(keyword_matcher, ignores_case_on_both_sides) {
  EXPECT_EQ(find_all({"BoT"}, "bot BOT"), (hits{{0, 3}, {0, 7}}));
}

TEST(keyword_matcher, finds_nothing_where_nothing_is) {
  EXPECT_EQ(find_all({"abc"}, "ab abx\xff"
                              "ac"),
            hits{});
  EXPECT_EQ(find_all({"abc"}, ""), hits{});
  EXPECT_EQ(find_all({}, "abc"), hits{});
}

TEST(keyword_matcher, stops_when_told) {
  keyword_matcher x;
  x.add("a");
  x.build();
  auto n = 0;
  x.scan("aaaa", [&](size_t, size_t) { return ++n < 2; });
  EXPECT_EQ(n, 2);
}

TEST(keyword_matcher, agrees_with_a_plain_search) {
  std::mt19937 random{7};
  auto text_of = [&](size_t length) {
    std::string result;
    for (size_t i = 0; i < length; ++i)
      result += static_cast<char>('a' + random() % 3);
    return result;
  };
  for (auto round = 0; round < 50; ++round) {
    std::vector<std::string> words;
    for (auto i = 0; i < 12; ++i)
      words.push_back(text_of(1 + random() % 5));
    auto text = text_of(60);
    hits expected;
    for (size_t i = 0; i < words.size(); ++i)
      for (auto pos = text.find(words[i]); pos != std::string::npos;
           pos = text.find(words[i], pos + 1))
        expected.emplace(i, pos + words[i].size());
    EXPECT_EQ(find_all(words, text), expected);
  }
}

} // namespace
} // namespace turnout
