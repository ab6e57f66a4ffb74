#include "plugins/sql/conversions.hpp"

#include <utility>

namespace turnout::plugins {

namespace {

using outcome = conversion_plan::outcome;

conversion_row make_row(row_key link_key, const conversion_request& x) {
  conversion_row result;
  result.id = x.id;
  result.link_key = link_key;
  result.event_id = x.event_id;
  result.value = x.value;
  result.currency = x.currency;
  result.occurred_at = to_micros(x.occurred_at);
  result.created_at = to_micros(x.created_at);
  return result;
}

} // namespace

conversion_plan plan_conversion(conversion_source& source, row_key link_key,
                                const conversion_request& x) {
  conversion_plan plan;
  if (!x.event_id.empty()) {
    plan.first = source.by_event(link_key, x.event_id);
    if (plan.first) {
      plan.what = outcome::repeat;
      return plan;
    }
  }
  row_key named_variant = 0;
  if (x.variant_id) {
    named_variant = source.find_variant(link_key, x.variant_id);
    if (named_variant == 0) {
      plan.what = outcome::variant_not_found;
      return plan;
    }
  }
  if (x.click_id) {
    plan.click = source.find_click(x.click_id);
    if (plan.click && plan.click->link_key != link_key)
      plan.click.reset();
    // Who names a click means it. A cookie's may be forged, or purged.
    if (!plan.click && !x.may_be_unattributed)
      return plan;
  }
  if (!plan.click && !x.variant_id)
    plan.click = source.newest_click(link_key, x);
  plan.row = make_row(link_key, x);
  if (plan.click) {
    if (plan.click->is_conversion != 0 && x.event_id.empty()) {
      plan.first = source.first_of(plan.click->id);
      if (plan.first) {
        plan.what = outcome::repeat;
        return plan;
      }
    }
    plan.row.variant_key = plan.click->variant_key;
    plan.row.click_id = plan.click->id;
    plan.row.values = plan.click->values;
  } else {
    if (!x.may_be_unattributed)
      return plan;
    plan.row.variant_key = named_variant;
    plan.row.values = unknown_values();
  }
  plan.what = outcome::record;
  return plan;
}

} // namespace turnout::plugins
