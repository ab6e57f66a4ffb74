#pragma once

#include "core/winner_report.hpp"
#include "storage/backend.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace turnout {

/// What an evaluation found.
struct winner_verdict {
  /// Whether the generation has its recommendation, or the link is gone or asks
  /// for none: nothing has to be evaluated until the link changes.
  bool settled = false;
  /// Clicks that were missing to the threshold.
  int64_t missing_clicks = 0;
  /// The recommendation, if this evaluation made it.
  std::optional<recommendation> made;
};

/// Tells when the winner of one link has to be evaluated, from the totals that
/// confirmed batches and conversions bring: as a conversion can raise only the
/// evidence of its own variant, and clicks only meet the threshold, most of
/// them need no evaluation.
class winner_watch {
public:
  explicit winner_watch(const uuid& link_id) : x_link_id(link_id) {
    // nop
  }

  /// The store has new totals of the link.
  void note(const storage::link_totals& x);

  /// The link was changed or has to be looked at for another reason: every
  /// variant is evaluated.
  void note_change();

  /// A reader saw a while ago that the recommendation is due: every variant is
  /// evaluated, unless that is under way, or with what is due already.
  void note_overdue();

  /// Returns whether an evaluation is due.
  bool is_due() const noexcept {
    return x_due;
  }

  /// Starts the evaluation that is due.
  winner_check take();

  /// Ends the evaluation that was taken last.
  void finish(const winner_verdict& x);

  /// The evaluation could not be made; it is due again.
  void fail(const winner_check& x);

private:
  void add_trigger(winner_trigger x, const uuid& conversion_id = {});

  uuid x_link_id;
  /// Version of the link that the totals below belong to; -1 before any.
  int64_t x_version = -1;
  bool x_settled = false;
  bool x_due = false;
  bool x_under_way = false;
  /// What is due: every variant, or these.
  bool x_all = false;
  std::vector<uuid> x_candidates;
  winner_trigger x_trigger = winner_trigger::click;
  uuid x_conversion_id;
  /// Clicks that converted, by variant, as last noted.
  std::vector<std::pair<uuid, int64_t>> x_converted;
  /// Clicks of the link as last noted, and when the last check was taken.
  int64_t x_clicks = 0;
  int64_t x_clicks_at_check = 0;
  int64_t x_missing_clicks = 0;
};

/// Evaluates a link with what the store knows and stores the recommendation if
/// one is due. The store decides which one is the first: several nodes may do
/// this at once.
caf::expected<winner_verdict>
evaluate_winner(storage::backend& db, const winner_check& x, timestamp now);

} // namespace turnout
