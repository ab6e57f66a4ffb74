#pragma once

#include "core/model.hpp"
#include "core/report.hpp"
#include "core/uuid.hpp"
#include "plugins/sqlite/errors.hpp"
#include "plugins/sqlite/packed_bytes.hpp"

#include <array>
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
/// one with a column besides its key.
///
/// Each (packed_bytes.hpp) begins with a byte of flags (1: is a repeat, 2: has
/// a value of the country that is not the country; the others are 0). Then come
/// the two halves of the id and the visitor, in 8 bytes each; the time, from
/// the millisecond of the id, with its sign in the lowest bit; variant, stratum
/// and agent; the address, the referrer, its value and the country; the value
/// of the country, if flagged; the user agent, browser, device and system, if
/// it has them itself.
void pack(const packed_click& click, std::string& to);

/// Reads the next click. Returns false at the end, or where the bytes are
/// damaged.
bool unpack(byte_reader& from, packed_click& click) noexcept;

/// Calls `f` with each click in the bytes. Throws soci::sqlite3_soci_error
/// where these are damaged.
template <class F>
void each_click(std::string_view bytes, F f) {
  byte_reader from{bytes};
  for (packed_click x; unpack(from, x);)
    f(x);
  if (from.is_damaged())
    fail_as_damaged();
}

} // namespace turnout::sqlite
