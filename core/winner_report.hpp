#pragma once

#include "core/model.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"
#include "core/winner.hpp"
#include "core/winner_numbers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace turnout {

/// Clicks and conversions of one variant in one stratum, without repeats of
/// returning visitors.
struct evidence_row {
  int stratum = 1;
  uuid variant_id;
  int64_t clicks = 0;
  int64_t conversions = 0;

  bool operator==(const evidence_row&) const = default;
};

/// What had a recommendation made.
enum class winner_trigger : uint8_t {
  /// A conversion.
  conversion,
  /// A click with which the threshold was reached.
  click,
  /// A change of the link: weights, threshold, or the switch itself.
  change,
};

/// Returns "conversion", "click" or "change".
const char* to_string(winner_trigger x) noexcept;

/// A variant and what explains its standing.
struct variant_standing {
  uuid variant_id;
  std::string label;
  /// Weight in force, 0-100.
  int weight = 0;
  variant_numbers numbers;

  bool operator==(const variant_standing&) const = default;
};

/// A recommendation as it was made, once for a link and generation. Never
/// changed: `strata` lets anyone compute its evidence again.
struct recommendation {
  row_key link_key = 0;
  int generation = 1;
  uuid variant_id;
  std::string label;
  timestamp decided_at;
  winner_trigger trigger = winner_trigger::conversion;
  /// The conversion of the trigger; none for other triggers.
  uuid conversion_id;
  std::string method = winner_method;
  double alpha = winner_alpha;
  double required = evidence_required;
  int threshold = 0;
  double ln_evidence = 0;
  /// Arrays in the order of `variants`.
  std::vector<stratum_counts> strata;
  std::vector<variant_standing> variants;

  bool operator==(const recommendation&) const = default;
};

/// All that a store knows for the winner of a link, of the generation in force,
/// at one moment.
struct winner_evidence {
  link subject;
  /// When the generation began.
  timestamp started_at;
  std::vector<stratum> strata;
  std::vector<evidence_row> counts;
  std::optional<recommendation> recommended;
};

/// Returns the variants in force, in the order of their positions.
std::vector<const variant*> compared_variants(const link& x);

/// Returns the counters by variant in force. Strata with equal weights become
/// one: the evidence is the same, and cheaper.
evidence_table make_table(const winner_evidence& x);

/// An evaluation to be made.
struct winner_check {
  uuid link_id;
  /// Variants whose evidence may have risen; empty means all.
  std::vector<uuid> candidates;
  winner_trigger trigger = winner_trigger::change;
  uuid conversion_id;
};

/// Returns the recommendation to be stored: nullopt when the link does not ask
/// for one, has one already, cannot have one, or has not enough evidence.
std::optional<recommendation>
recommend(const winner_evidence& x, const winner_check& check, timestamp now);

/// How it stands with the winner of a link.
enum class winner_status : uint8_t {
  /// Fewer clicks than the threshold.
  collecting,
  undecided,
  recommended,
  not_applicable,
};

/// Returns "collecting", "undecided", "recommended" or "not_applicable".
const char* to_string(winner_status x) noexcept;

/// What the winner operation shows.
struct winner_report {
  winner_status status = winner_status::collecting;
  std::string reason;
  bool auto_winner = false;
  int threshold = 0;
  int64_t total_clicks = 0;
  int64_t total_conversions = 0;
  int64_t remaining_clicks = 0;
  /// Empty means none.
  std::string leading_variant;
  /// Both empty unless `status` is recommended.
  std::string recommended_variant;
  uuid recommended_variant_id;
  /// The largest of all variants.
  double ln_evidence = 0;
  std::optional<int64_t> estimated_clicks;
  bool weights_changed = false;
  timestamp started_at;
  timestamp evaluated_at;
  std::vector<variant_standing> variants;
  std::optional<recommendation> recommended;
  std::vector<std::string> warnings;
  std::string summary;
};

/// Makes the report. A stored recommendation stands: later conversions move
/// the live numbers, not the status.
winner_report report_winner(const winner_evidence& x, timestamp now);

/// Returns the report in one sentence or two, in English.
std::string summarize(const winner_report& x);

} // namespace turnout
