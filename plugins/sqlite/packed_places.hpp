#pragma once

#include "core/model.hpp"
#include "core/uuid.hpp"
#include "plugins/sqlite/packed_bytes.hpp"

#include <cstdint>
#include <string>

namespace turnout::sqlite {

/// Where a click may be that has an id of a millisecond, in the bytes of a row
/// of `click_places`.
struct packed_place {
  /// The lowest byte of the id, so that nearly all of the others of that
  /// millisecond need not be looked at.
  uint8_t mark = 0;
  row_key link_key = 0;
  /// 0: in the table of clicks.
  int64_t run = 0;
};

/// Returns the millisecond of an id, which names the row.
constexpr int64_t millisecond_of(const uuid& id) noexcept {
  return static_cast<int64_t>(id.hi >> 16);
}

/// Appends a place to others: the mark in a byte, link and run as numbers
/// (packed_bytes.hpp). A row with the id itself is five times as long, and of
/// a busy service a millisecond has some fifty clicks.
void pack(const packed_place& place, std::string& to);

/// Reads the next place. Returns false at the end, or where the bytes are
/// damaged.
bool unpack(byte_reader& from, packed_place& place) noexcept;

} // namespace turnout::sqlite
