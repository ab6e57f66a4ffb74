#pragma once

#include "plugins/sql/rows.hpp"

#include <optional>
#include <string>

namespace turnout::plugins {

/// A click as far as a conversion needs it.
struct stored_click {
  uuid id;
  int64_t link_key = 0;
  int64_t variant_key = 0;
  int stratum = 1;
  int is_repeat = 0;
  int is_conversion = 0;
  int64_t created_at = 0;
  dimension_values values;
};

/// What the rules of conversions look up in a store.
class conversion_source {
public:
  virtual ~conversion_source() = default;

  /// Returns the conversion of a link with an event id.
  virtual std::optional<conversion> by_event(row_key link_key,
                                             const std::string& event_id)
    = 0;

  /// Returns the first conversion of a click.
  virtual std::optional<conversion> first_of(const uuid& click_id) = 0;

  virtual std::optional<stored_click> find_click(const uuid& id) = 0;

  /// Returns the newest click of the visitor of a request on a link, if it is
  /// not older than 24 hours.
  virtual std::optional<stored_click> newest_click(row_key link_key,
                                                   const conversion_request& x)
    = 0;

  /// Returns the key of a variant of a link, 0 if the link has no such variant.
  virtual row_key find_variant(row_key link_key, const uuid& id) = 0;
};

/// What becomes of a request for a conversion.
struct conversion_plan {
  enum class outcome {
    /// Store `row`; `click` holds its click, if any.
    record,
    /// Nothing new: `first` is the answer.
    repeat,
    click_not_found,
    variant_not_found,
  };
  outcome what = outcome::click_not_found;
  conversion_row row;
  std::optional<stored_click> click;
  std::optional<conversion> first;
};

/// Decides about a request for a conversion on a link: an event id that the
/// link has is a repeat; the click is the named one (which must be there unless
/// the request may be unattributed), else (unless a variant is named) the
/// visitor's newest; a click converts once, unless the request has an event id
/// of its own; without a click it is recorded only if the request may be
/// unattributed.
conversion_plan plan_conversion(conversion_source& source, row_key link_key,
                                const conversion_request& x);

} // namespace turnout::plugins
