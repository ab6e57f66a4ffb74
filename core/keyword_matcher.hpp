#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace turnout {

/// Finds every occurrence of many words in one pass over a text, ignoring
/// ASCII case (Aho and Corasick's automaton as a flat table). Matching takes
/// no lock and no memory, so threads may share one matcher.
class keyword_matcher {
public:
  /// Adds a word that is not empty and returns its number, counted from 0.
  size_t add(std::string_view word);

  /// Makes the table; once, after the last `add` and before the first `scan`.
  void build();

  /// Calls `f(number, end)` for each occurrence, where `end` is the position
  /// behind it, until `f` returns false.
  template <class F>
  void scan(std::string_view text, F f) const {
    const auto* next = x_next.data();
    uint32_t row = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      auto target = next[row + x_class[static_cast<uint8_t>(text[i])]];
      row = target & ~hit_flag;
      if (target == row)
        continue;
      for (auto hit = x_first_hit[row / x_num_classes]; hit != none;
           hit = x_hits[hit].next)
        if (!f(size_t{x_hits[hit].word}, i + 1))
          return;
    }
  }

private:
  static constexpr uint32_t none = UINT32_MAX;

  /// Marks edges into states in which a word ends, so that a step is one load.
  static constexpr uint32_t hit_flag = 0x8000'0000;

  struct hit {
    uint32_t word;
    uint32_t next;
  };

  std::vector<std::string_view> x_words;
  /// Class of a byte: 0 for bytes in no word, one per letter otherwise.
  std::array<uint8_t, 256> x_class{};
  uint32_t x_num_classes = 1;
  /// By state and class: the first position of the next state's row.
  std::vector<uint32_t> x_next{0};
  std::vector<uint32_t> x_first_hit{none};
  std::vector<hit> x_hits;
};

} // namespace turnout
