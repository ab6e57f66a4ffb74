#pragma once

#include "core/visitor.hpp"
#include "storage/backend.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace turnout {

/// Many clicks, hundreds of thousands, in little memory: about 100 bytes for
/// each, and each different text only once.
class click_pile {
public:
  using place = storage::event_batch::place;

  /// Makes room, so that no `add` has to move all that there is until then.
  void reserve(size_t clicks, size_t texts);

  void add(const click& x, place where);

  /// Takes away the clicks of a journal after a position.
  void drop_after(int journal, int64_t position);

  /// Puts the clicks into the order of the store, by link and id, so that
  /// clicks that share pages are together. Those of some visitors come last.
  void arrange(const std::unordered_set<int64_t>& last_visitors);

  size_t size() const noexcept {
    return x_rows.size();
  }

  /// Returns how many different texts there are.
  size_t num_texts() const noexcept {
    return x_texts.size();
  }

  /// Returns how many of the clicks came last in `arrange`.
  size_t num_last() const noexcept {
    return x_num_last;
  }

  /// Returns about the bytes that all different texts take.
  size_t text_bytes() const noexcept {
    return x_text_bytes;
  }

  /// Makes the clicks `first` to `last` (exclusive) those of a batch, with what
  /// they add to the breakdowns, in the memory of those it had.
  void copy(size_t first, size_t last, storage::event_batch& to);

private:
  struct text {
    const std::string* value;
    /// What a user agent or a referrer is in the breakdowns, once it was asked.
    std::optional<agent_class> agent;
    std::optional<std::string> referrer;
  };

  /// Texts are meant by their index in `x_texts`.
  struct row {
    uuid id;
    row_key link_key;
    row_key variant_key;
    timestamp created_at;
    int64_t visitor;
    int64_t position;
    int journal;
    int stratum;
    uint32_t ip_address;
    uint32_t user_agent;
    uint32_t referrer;
    uint32_t country;
    bool is_repeat;
  };

  uint32_t keep(const std::string& x);

  void copy_classes(const row& x, storage::click_classes& to);

  std::vector<row> x_rows;
  std::unordered_map<std::string, uint32_t> x_index;
  std::vector<text> x_texts;
  size_t x_text_bytes = 0;
  size_t x_num_last = 0;
};

} // namespace turnout
