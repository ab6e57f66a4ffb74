#pragma once

#include "core/error.hpp"
#include "core/model.hpp"

#include <optional>
#include <string>
#include <vector>

namespace turnout {

// The changes of a link as pure functions: from the current state to the next
// one, or to the error the client gets. Values are checked already, except for
// rules that need the current link. `generation` and `stratum` rise as the
// winner needs it.

/// Fields of a partial update; absent ones stay.
struct link_patch {
  std::optional<std::string> name;
  std::optional<bool> is_active;
  std::optional<bool> auto_winner;
  std::optional<int> auto_winner_threshold;
  std::optional<routing_type> routing;
  /// Inner nullopt clears.
  std::optional<std::optional<geo_rules>> geo;
  std::optional<bool> enable_conversion_tracking;
  /// Inner nullopt clears.
  std::optional<std::optional<std::string>> conversion_redirect_url;
};

/// Applies a partial update. An update that changes nothing returns the link
/// as it is, `updated_at` included.
caf::expected<link> apply_patch(const link& current, const link_patch& patch,
                                timestamp now);

/// What a client says of one variant of the new set.
struct variant_spec {
  std::string label;
  std::string destination_url;
  int weight = 0;
};

/// Makes the first variants of a link, with ids.
std::vector<variant> make_variants(const std::vector<variant_spec>& specs,
                                   timestamp now);

/// Replaces the set of variants: a label keeps its id (a retired one comes
/// back), a new label is a new variant, a missing one is retired. Fails when
/// `geo_rules` names a label that would go. Clears `is_winner` unless the
/// winner keeps weight 100.
caf::expected<link> replace_variants(const link& current,
                                     const std::vector<variant_spec>& specs,
                                     timestamp now);

/// Gives one variant all traffic and makes it the winner. Fails with
/// `ec::not_found` "Variant not found" for an unknown or retired one.
caf::expected<link> promote(const link& current, const uuid& variant_id,
                            timestamp now);

/// Marks the link deleted.
caf::expected<link> mark_deleted(const link& current, timestamp now);

/// Returns the weights in force, for the record of the link's stratum.
stratum current_stratum(const link& x);

} // namespace turnout
