#pragma once

#include "journal/journal.hpp"

#include <soci/soci.h>

#include <cstddef>
#include <string>
#include <vector>

namespace turnout::journal {

// The events of a turn by kind and column, as SOCI's bulk operations want
// them. The vectors keep their memory from turn to turn.

using integers = std::vector<long long>;

using texts = std::vector<std::string>;

struct uuid_column {
  integers hi;
  integers lo;

  void push(const uuid& x);
  void clear();
};

struct click_columns {
  integers position, created_at, link_key, variant_key, stratum, is_repeat,
    visitor;
  uuid_column id;
  texts ip_address, user_agent, referrer, country;

  void push(int64_t at, click&& x);
  void clear();
  soci::statement insert_into(soci::session& sql);
};

struct excluded_columns {
  integers position, created_at, link_key;
  texts reason;

  void push(int64_t at, const excluded_visit& x);
  void clear();
  soci::statement insert_into(soci::session& sql);
};

struct conversion_columns {
  integers position, created_at, visitor, visitor_before, occurred_at,
    may_be_unattributed;
  uuid_column id, link_id, click_id, variant_id;
  texts event_id, value, currency;

  void push(int64_t at, conversion_request&& x);
  void clear();
  soci::statement insert_into(soci::session& sql);
};

} // namespace turnout::journal
