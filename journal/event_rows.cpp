#include "journal/event_rows.hpp"

#include <string>
#include <string_view>

namespace turnout::journal {

namespace {

constexpr char select[]
  = "SELECT position, kind, created_at, id_hi, id_lo, link_key, variant_key,"
    " stratum, is_repeat, visitor, ip_address, user_agent, referrer, country,"
    " reason, link_id_hi, link_id_lo, click_id_hi, click_id_lo, variant_id_hi,"
    " variant_id_lo, visitor_before, event_id, value, currency, occurred_at,"
    " may_be_unattributed FROM events WHERE position > :after"
    " ORDER BY position LIMIT :limit";

/// Columns of `select`; a uuid has two.
enum column : int {
  position_column,
  kind,
  created_at,
  id,
  link_key = id + 2,
  variant_key,
  stratum,
  is_repeat,
  visitor,
  ip_address,
  user_agent,
  referrer,
  country,
  exclusion_reason,
  link_id,
  click_id = link_id + 2,
  variant_id = click_id + 2,
  visitor_before = variant_id + 2,
  event_id,
  value,
  currency,
  occurred_at,
  may_be_unattributed,
};

} // namespace

event_rows::event_rows(connection& db) : x_rows(db.raw(), select) {
  // nop
}

void event_rows::start(int64_t after, int64_t max) {
  x_rows.bind(after, max);
}

int64_t event_rows::position() const {
  return x_rows.integer(position_column);
}

entry event_rows::get() const {
  const auto integer = [this](column x) { return x_rows.integer(x); };
  const auto text = [this](column x) { return std::string{x_rows.text(x)}; };
  const auto time = [this](column x) { return from_micros(x_rows.integer(x)); };
  const auto what = x_rows.text(kind);
  if (what == "click")
    return {position(),
            click{x_rows.id(id), integer(link_key), integer(variant_key),
                  static_cast<int>(integer(stratum)), integer(is_repeat) != 0,
                  time(created_at), integer(visitor), text(ip_address),
                  text(user_agent), text(referrer), text(country)}};
  if (what == "conversion")
    return {position(),
            conversion_request{x_rows.id(id),
                               x_rows.id(link_id),
                               x_rows.id(click_id),
                               x_rows.id(variant_id),
                               {integer(visitor), integer(visitor_before)},
                               text(event_id),
                               text(value),
                               text(currency),
                               time(occurred_at),
                               time(created_at),
                               integer(may_be_unattributed) != 0}};
  if (what == "excluded")
    for (size_t i = 0; i < num_exclusions; ++i)
      if (auto x = static_cast<exclusion>(i);
          x_rows.text(exclusion_reason) == to_string(x))
        return {position(),
                excluded_visit{integer(link_key), x, time(created_at)}};
  throw segment_error{fault::damaged, "no event of ours at position "
                                        + std::to_string(position())};
}

} // namespace turnout::journal
