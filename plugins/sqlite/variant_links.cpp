#include "plugins/sqlite/variant_links.hpp"

#include "plugins/sqlite/sql.hpp"
#include "plugins/sqlite/statement.hpp"

#include <cstddef>
#include <limits>

namespace turnout::sqlite {

namespace {

/// How many variants are known at most, in 8 bytes each: those of 100,000
/// links.
constexpr size_t num_places = size_t{1} << 19;

/// How many variants that nobody asked for are read on the way to the next.
constexpr int max_stepped_over = 8;

} // namespace

variant_links::place& variant_links::place_of(row_key variant_key) noexcept {
  return x_places[static_cast<size_t>(variant_key) % num_places];
}

void variant_links::remember(row_key variant_key, row_key link_key) noexcept {
  constexpr row_key max = std::numeric_limits<uint32_t>::max();
  if (variant_key <= max && link_key <= max)
    place_of(variant_key)
      = {static_cast<uint32_t>(variant_key), static_cast<uint32_t>(link_key)};
}

row_key variant_links::find(row_key variant_key) noexcept {
  const auto& x = place_of(variant_key);
  return row_key{x.variant_key} == variant_key ? row_key{x.link_key} : 0;
}

std::vector<row_key> variant_links::of(const std::vector<row_key>& variant_keys,
                                       statement_cache& statements) {
  std::vector<row_key> result(variant_keys.size());
  x_places.resize(num_places);
  statement list{statements, sql::variants_from};
  auto is_listing = false;
  row_key listed = 0;
  const auto step = [&] {
    is_listing = list.next();
    listed = is_listing ? list.integer(0) : 0;
    if (is_listing)
      remember(listed, list.integer(1));
  };
  for (size_t i = 0; i < variant_keys.size(); ++i) {
    const auto key = variant_keys[i];
    result[i] = find(key);
    if (result[i] != 0)
      continue;
    // The variants of links that are next to each other are, too, as a rule: to
    // step over some is quicker than to look for the next.
    for (auto n = 0; n < max_stepped_over && is_listing && listed < key; ++n)
      step();
    if (!is_listing || listed != key) {
      list.reset();
      list.bind(key);
      step();
    }
    if (listed != key)
      continue;
    result[i] = list.integer(1);
    // The other variants of the link will be asked for, too.
    while (is_listing && list.integer(1) == result[i])
      step();
  }
  return result;
}

} // namespace turnout::sqlite
