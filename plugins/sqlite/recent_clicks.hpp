#pragma once

#include "plugins/sql/event_tables.hpp"
#include "plugins/sqlite/statement.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace turnout::sqlite {

/// The table of recent clicks, one row for a link: a click of a link that had
/// few in its batch would change a row of its day, one of its day's visitors
/// and one in each dimension, all for a single number. Here it is appended to
/// one text, which is settled, that is, moved to these rows, when it is long.
/// Views add both (schema.cpp).
///
/// The text is a list of JSON arrays, each after a comma: clicks that are alike
/// as [day, variant, clicks, country, referrer, browser, device, system], and
/// new visitors as [day, visitors].
class recent_clicks {
public:
  using visitor_counts = plugins::event_tables::visitor_counts;

  /// How many clicks of a link a batch may have for these to be appended. Of
  /// more there are alike ones enough to write them at once.
  static constexpr size_t max_clicks = 16;

  /// @param db must outlive this object.
  explicit recent_clicks(sqlite_api::sqlite3* db);

  /// Appends clicks, which come link by link, and the new visitors of these
  /// links, and settles what becomes long.
  /// @returns the visitors of other links
  visitor_counts add(const std::vector<const plugins::new_click*>& clicks,
                     const visitor_counts& uniques);

  /// Removes the row of a link and adds what it says to what is settled.
  void settle(row_key link_key);

  /// What has to be added to the roll-ups.
  const plugins::rollups& settled() const noexcept {
    return x_settled;
  }

  const visitor_counts& settled_uniques() const noexcept {
    return x_settled_uniques;
  }

private:
  /// Returns the bytes of the text of a link, 0 without one.
  size_t length(row_key link_key);

  /// Adds what a text of a link says to what is settled.
  void settle(row_key link_key, std::string_view classes);

  sqlite_api::sqlite3* x_db;
  statement x_get;
  statement x_remove;
  plugins::rollups x_settled;
  visitor_counts x_settled_uniques;
};

} // namespace turnout::sqlite
