#include "core/keyword_matcher.hpp"

#include "core/ascii.hpp"

namespace turnout {

namespace {

uint8_t fold(uint8_t c) noexcept {
  return static_cast<uint8_t>(to_lower(static_cast<char>(c)));
}

} // namespace

size_t keyword_matcher::add(std::string_view word) {
  x_words.push_back(word);
  return x_words.size() - 1;
}

void keyword_matcher::build() {
  for (auto word : x_words)
    for (auto c : word)
      if (auto& x = x_class[fold(static_cast<uint8_t>(c))]; x == 0)
        x = static_cast<uint8_t>(x_num_classes++);
  for (auto c = 'A'; c <= 'Z'; ++c)
    x_class[static_cast<uint8_t>(c)] = x_class[fold(static_cast<uint8_t>(c))];
  // The trie of the words. 0 means "no edge" here; nothing leads to the root.
  x_next.assign(x_num_classes, 0);
  x_first_hit.assign(1, none);
  for (uint32_t i = 0; i < x_words.size(); ++i) {
    uint32_t state = 0;
    for (auto c : x_words[i]) {
      auto edge = state * x_num_classes + x_class[static_cast<uint8_t>(c)];
      if (x_next[edge] == 0) {
        x_next[edge] = static_cast<uint32_t>(x_first_hit.size());
        x_next.resize(x_next.size() + x_num_classes, 0);
        x_first_hit.push_back(none);
      }
      state = x_next[edge];
    }
    x_hits.push_back({i, x_first_hit[state]});
    x_first_hit[state] = static_cast<uint32_t>(x_hits.size() - 1);
  }
  // Breadth first, so that the state for the longest proper suffix is done
  // before: its edges and hits are taken over.
  std::vector<uint32_t> suffix(x_first_hit.size(), 0);
  std::vector<uint32_t> queue{0};
  for (size_t pos = 0; pos < queue.size(); ++pos) {
    auto state = queue[pos];
    for (uint32_t c = 0; c < x_num_classes; ++c) {
      auto& target = x_next[state * x_num_classes + c];
      auto fallback
        = state == 0 ? 0 : x_next[suffix[state] * x_num_classes + c];
      if (target == 0) {
        target = fallback;
        continue;
      }
      suffix[target] = fallback;
      auto last = &x_first_hit[target];
      while (*last != none)
        last = &x_hits[*last].next;
      *last = x_first_hit[fallback];
      queue.push_back(target);
    }
  }
  for (auto& target : x_next)
    target
      = target * x_num_classes | (x_first_hit[target] == none ? 0 : hit_flag);
  x_words.clear();
}

} // namespace turnout
