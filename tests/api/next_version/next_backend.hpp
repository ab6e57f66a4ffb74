#pragma once

#include "storage/backend.hpp"
#include "storage/migrations.hpp"

#include <vector>

namespace turnout::test {

/// Returns a schema with the steps of an imaginary next version of Turnout: a
/// table that gets a row for each click, in parts.
inline std::vector<storage::migration>
with_next_steps(std::vector<storage::migration> steps) {
  const auto last = steps.back().version;
  steps.push_back(
    {last + 1,
     "days of clicks",
     {
       "CREATE TABLE days_of_clicks (link_key BIGINT NOT NULL,"
       " id_hi BIGINT NOT NULL, id_lo BIGINT NOT NULL, day BIGINT NOT NULL,"
       " PRIMARY KEY (link_key, id_hi, id_lo))",
       // Where the first part begins.
       "INSERT INTO days_of_clicks VALUES (-1, 0, 0, 0)",
     }});
  steps.push_back(
    {last + 2,
     "fill the days of clicks",
     {},
     "INSERT INTO days_of_clicks SELECT link_key, id_hi, id_lo,"
     " created_at / 86400000000 FROM clicks WHERE (link_key, id_hi, id_lo)"
     " > (SELECT link_key, id_hi, id_lo FROM days_of_clicks"
     " ORDER BY link_key DESC, id_hi DESC, id_lo DESC LIMIT 1)"
     " ORDER BY link_key, id_hi, id_lo LIMIT 2000"});
  return steps;
}

/// The backend of a plugin, with that schema.
template <class Backend>
class next_backend : public Backend {
public:
  using Backend::Backend;

  /// Makes one, for `TURNOUT_STORAGE_PLUGIN`.
  static storage::backend* open(const storage::backend_settings& settings) {
    return new next_backend(settings);
  }

protected:
  const std::vector<storage::migration>& schema() const override {
    static const auto steps = with_next_steps(Backend::schema());
    return steps;
  }
};

} // namespace turnout::test
