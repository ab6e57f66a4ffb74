#pragma once

#include "plugins/sql/rows.hpp"
#include "storage/backend.hpp"

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace turnout::plugins {

/// Tells the new events of a batch from those that were stored before.
class batch_positions {
public:
  using places = std::vector<storage::event_batch::place>;

  /// @param stored last stored position by journal.
  batch_positions(const storage::event_batch& batch,
                  std::map<int, int64_t> stored);

  /// Returns whether a batch has a place and, for clicks, classes for each of
  /// its events, and a part nothing but clicks.
  static bool is_complete(const storage::event_batch& batch) noexcept;

  bool is_new(const storage::event_batch::place& x) const;

  /// Returns the positions to store: those of the batch that went forward.
  std::map<int, int64_t> next() const;

private:
  std::map<int, int64_t> x_stored;
  std::map<int, int64_t> x_next;
};

/// Returns the indexes of the new clicks in the order of the table, so that
/// neighbours are written together.
std::vector<size_t> new_clicks(const storage::event_batch& batch,
                               const batch_positions& positions);

/// The clicks of a batch that were stored, by visitor: a conversion of the same
/// batch must find the newest click before it, not the newest of the batch.
class batch_visits {
public:
  void add(const click& x);

  /// Returns the newest click of the visitor of a request on a link that is not
  /// later than the request and at most 24 hours older.
  std::optional<uuid> newest(row_key link_key,
                             const conversion_request& x) const;

private:
  std::unordered_multimap<int64_t, const click*> x_by_visitor;
};

/// How long a visitor's click is the click of a conversion.
inline constexpr auto attribution_window = std::chrono::hours{24};

} // namespace turnout::plugins
