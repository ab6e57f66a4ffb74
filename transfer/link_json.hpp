#pragma once

#include "core/model.hpp"
#include "core/rules.hpp"
#include "storage/backend.hpp"
#include "transfer/record.hpp"

#include <optional>

namespace turnout::transfer {

// A link as JSON Lines have it, and as every reader makes it of a record: the
// body of `POST /public/links`, with more fields that a store knows of a link:
// id, is_active, created_at, updated_at, total_clicks, retired_variants, and in
// variants id, is_winner, created_at.

/// Returns a link with all that its import needs to make it again, with times
/// in microseconds.
json::object to_json(const storage::counted_link& x);

/// A link that was read, before it is stored.
struct link_draft {
  /// With ids and times; the slug is empty when one is to be made.
  link subject;
  /// Whether the record named the link's id.
  bool has_id = false;
};

/// Reads a link by the rules, and with the texts, of the create operation.
/// Fails with the first broken one.
caf::expected<link_draft> read_link(const json::object& body,
                                    const own_hosts& own, const uuid& owner,
                                    timestamp now);

/// Returns whether two links do the same: all but ids, times, counts and
/// retired variants is equal.
bool is_same_link(const link& x, const link& y);

} // namespace turnout::transfer
