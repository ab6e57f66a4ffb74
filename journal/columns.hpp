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

/// A row of any kind, for reading. Row by row, since SOCI's bulk reading takes
/// 64-bit integers for 32-bit ones and loses what it has when a row is damaged.
struct event_row {
  struct uuid_fields {
    long long hi = 0;
    long long lo = 0;
  };

  long long position = 0, created_at = 0, link_key = 0, variant_key = 0,
            stratum = 0, is_repeat = 0, visitor = 0, visitor_before = 0,
            occurred_at = 0, may_be_unattributed = 0;
  uuid_fields id, link_id, click_id, variant_id;
  std::string kind, ip_address, user_agent, referrer, country, reason, event_id,
    value, currency;

  /// Returns a query of at most `limit` rows after position `after`.
  soci::statement select_from(soci::session& sql, long long& after,
                              long long& limit);

  /// Makes the entry of the row. Throws for what no writer of ours writes.
  entry take();
};

} // namespace turnout::journal
