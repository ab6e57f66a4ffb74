#pragma once

#include "core/model.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnout {

/// In which order links are listed. Links that are equal in it come newest
/// first.
enum class link_sort : uint8_t {
  newest,
  /// The reverse of `newest`.
  oldest,
  /// Without regard of ASCII case, digits as numbers: "Sale 2" comes before
  /// "Sale 10".
  name,
  /// Most clicks first.
  clicks,
  /// Most conversions first.
  conversions,
  /// Most conversions for each click first; a link without clicks has none.
  rate,
};

/// Returns the name of an order, as it is spelled above.
const char* to_string(link_sort x) noexcept;

/// Parses the names above; nullopt for anything else.
std::optional<link_sort> parse_link_sort(std::string_view text) noexcept;

/// Which links of an account are listed, and in which order.
struct link_selection {
  /// Links whose name or slug contains this, without regard of ASCII case;
  /// empty means all.
  std::string search;
  link_sort sort = link_sort::newest;

  /// Returns whether all links are listed in the order in which they are kept.
  bool is_plain() const noexcept {
    return search.empty() && sort == link_sort::newest;
  }
};

/// Returns whether a link is among those that are searched for.
bool matches(const link_selection& x, std::string_view name,
             std::string_view slug) noexcept;

/// What decides the place of a link in a list.
struct link_candidate {
  row_key key = 0;
  std::string name;
  int64_t clicks = 0;
  int64_t conversions = 0;
};

/// Brings links into an order.
/// @param links newest first.
void arrange(std::vector<link_candidate>& links, link_sort sort);

} // namespace turnout
