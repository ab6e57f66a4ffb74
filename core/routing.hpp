#pragma once

#include "core/model.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace turnout {

/// What decides the variant of a visit, prepared from a link once per change.
class routing_table {
public:
  routing_table() = default;

  explicit routing_table(const link& x);

  /// Chooses the variant of a visit: a promoted winner first, then (on geo
  /// links) the country's rule or the default, then the sticky variant while
  /// its weight is above 0, then a draw by weight.
  /// @param country upper-case ISO code, empty if unknown.
  /// @param sticky variant id of the visitor's cookie, none if there is none.
  /// @param draw uniformly random 32 bits.
  /// @returns an index into `link::variants`, or -1 when the link has no
  ///          variant that may be served.
  int choose(std::string_view country, const uuid& sticky,
             uint32_t draw) const noexcept;

private:
  struct entry {
    uuid id;
    int index;
    uint32_t until; // cumulative weight
  };
  int x_winner = -1;
  bool x_is_geo = false;
  int x_default = -1;
  // Sorted. Most links have none, and a map has memory all the same.
  std::vector<std::pair<uint16_t, int>> x_by_country;
  std::vector<entry> x_entries;
  uint32_t x_total = 0;
};

} // namespace turnout
