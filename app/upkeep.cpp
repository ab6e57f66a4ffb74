#include "app/upkeep.hpp"

#include "app/command_line.hpp"
#include "app/output.hpp"
#include "app/store.hpp"
#include "core/time.hpp"

#include <iostream>

namespace turnout::app {

int migrate(const settings& options) {
  auto open = load_store(options);
  if (!open)
    return fail(open.error());
  auto db = (*open)();
  if (!db)
    return fail(db.error());
  if (auto err = (*db)->migrate())
    return fail(err);
  std::cout << "schema version " << (*db)->newest_schema_version() << '\n';
  return done;
}

int verify(const settings& options, bool repair) {
  auto db = open_store(options);
  if (!db)
    return fail(db.error());
  auto differences = (*db)->verify(repair);
  if (!differences)
    return fail(differences.error());
  for (const auto& line : *differences)
    std::cout << line << '\n';
  if (differences->empty()) {
    std::cout << "every total agrees with the raw events\n";
    return done;
  }
  std::cerr << "turnout: " << differences->size()
            << (repair ? " differences repaired\n"
                       : " differences; turnout verify --repair writes what "
                         "the raw events say\n");
  return failed;
}

int purge(const settings& options, const std::string& before) {
  const auto date = parse_date_or_time(before);
  if (!date || !date->date_only) {
    std::cerr << "turnout: --before takes a UTC day such as "
              << to_iso_date(day_of(now())) << '\n';
    return wrong_usage;
  }
  if (date->at > now()) {
    std::cerr << "turnout: --before is in the future, clicks of today cannot "
                 "be purged\n";
    return wrong_usage;
  }
  auto db = open_store(options);
  if (!db)
    return fail(db.error());
  auto purged = (*db)->purge_clicks(day_of(date->at));
  if (!purged)
    return fail(purged.error());
  std::cout << *purged << " clicks purged, no total changed\n";
  return done;
}

} // namespace turnout::app
