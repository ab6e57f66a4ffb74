#pragma once

#include "core/model.hpp"
#include "core/uuid.hpp"
#include "plugins/sql/rows.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace turnout::sqlite {

/// A click of a run, as it is in the bytes of a row of `packed_clicks`, which
/// says of which run and link it is. Texts are views.
struct packed_click {
  uuid id;
  row_key variant_key = 0;
  int stratum = 0;
  bool is_repeat = false;
  /// In microseconds.
  int64_t created_at = 0;
  int64_t visitor = 0;
  std::string_view ip_address;
  std::string_view referrer;
  std::string_view country;
  /// The number of the user agent in the run (run_agents.hpp). If it is 0, the
  /// click has the user agent and its values itself, otherwise they are empty.
  int64_t agent = 0;
  std::string_view user_agent;
  std::array<std::string_view, num_dimensions> values;
};

/// Appends a click to others. A row of SQLite costs as much as the rest of
/// storing a click, column by column; packed, those of a link in a batch share
/// one with two columns besides its key.
///
/// Each begins with a byte of flags (1: is a repeat, 2: has a value of the
/// country that is not the country; the others are 0). Then come the two halves
/// of the id and the visitor, 8 bytes each, lowest first; the time, from the
/// millisecond of the id, with its sign in the lowest bit; variant, stratum and
/// agent; the address, the referrer, its value and the country; the value of
/// the country, if flagged; the user agent, browser, device and system, if it
/// has them itself. Numbers are in groups of 7 bits, lowest first, a text
/// follows its length.
void pack(const packed_click& click, std::string& to);

/// Reads clicks that were packed.
class click_unpacker {
public:
  /// @param bytes must outlive the texts of what is read.
  explicit click_unpacker(std::string_view bytes) noexcept : x_rest(bytes) {
    // nop
  }

  /// Reads the next click; returns false at the end, or where the bytes are
  /// damaged.
  bool next(packed_click& click) noexcept;

  /// Returns whether `next` ended before the last byte.
  bool is_damaged() const noexcept {
    return x_is_damaged;
  }

private:
  uint64_t number() noexcept;

  uint64_t fixed_number() noexcept;

  std::string_view text() noexcept;

  std::string_view x_rest;
  bool x_is_damaged = false;
};

} // namespace turnout::sqlite
