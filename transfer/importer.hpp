#pragma once

#include "core/rules.hpp"
#include "storage/backend.hpp"
#include "transfer/link_json.hpp"
#include "transfer/record.hpp"

#include <cstdint>
#include <unordered_map>

namespace turnout::transfer {

/// How links are imported.
struct import_options {
  /// Who gets the links.
  uuid owner;
  own_hosts own;
  /// Length of slugs that are made.
  int slug_length = 7;
  /// Links that the owner may have; 0 means no limit.
  int per_account = 0;
  /// Check everything, store nothing.
  bool dry_run = false;
};

/// What became of records.
struct import_counts {
  int64_t imported = 0;
  /// Links that the store had already, just as they are.
  int64_t present = 0;
  int64_t refused = 0;
  /// Clicks that came with the imported links.
  int64_t clicks = 0;
};

/// Returns whether an error says what is wrong with a record, and not that the
/// store failed.
bool is_refusal(const caf::error& err) noexcept;

/// Stores links one by one, so that an import that was ended in its middle and
/// is repeated makes those that are missing, and none twice.
class importer {
public:
  importer(storage::backend& db, const import_options& options);

  /// Stores the link of a record, or fails with the rule that it breaks
  /// (`is_refusal`), or with a failure of the store, after which nothing more
  /// can be done.
  caf::error take(const record& x);

  const import_counts& counts() const noexcept {
    return x_counts;
  }

private:
  /// Fingerprints of the slugs and links that a dry run would have stored.
  using seen_links = std::unordered_map<uint64_t, uint64_t>;

  enum class place : uint8_t { free, present };

  caf::expected<place> find_by_slug(const link& x);

  caf::expected<place> find_by_id(const link_draft& x);

  /// Tells whether no row of a dry run had the id.
  bool is_new_id(const link_draft& x);

  caf::error check_count();

  caf::error store(link x, bool make_slug);

  storage::backend& x_db;
  import_options x_options;
  import_counts x_counts;
  seen_links x_seen;
  /// How often a link without a slug came, by fingerprint.
  std::unordered_map<uint64_t, int> x_nameless;
};

} // namespace turnout::transfer
