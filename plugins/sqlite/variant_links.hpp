#pragma once

#include "core/model.hpp"
#include "plugins/sqlite/statement_cache.hpp"

#include <cstdint>
#include <vector>

namespace turnout::sqlite {

/// Knows the links of variants, which each batch asks for: a variant never gets
/// another link, nor goes away.
class variant_links {
public:
  /// Returns the link of each variant, 0 for those that are not there.
  /// @param variant_keys ascending, each once
  std::vector<row_key> of(const std::vector<row_key>& variant_keys,
                          statement_cache& statements);

private:
  struct place {
    uint32_t variant_key = 0;
    uint32_t link_key = 0;
  };

  place& place_of(row_key variant_key) noexcept;

  void remember(row_key variant_key, row_key link_key) noexcept;

  /// Returns the link of a variant, 0 if it is not known.
  row_key find(row_key variant_key) noexcept;

  /// Each variant has one place, which it shares with others far from it. Keys
  /// that are larger than the numbers in it are not remembered.
  std::vector<place> x_places;
};

} // namespace turnout::sqlite
