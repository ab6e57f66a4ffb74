#include "app/upkeep.hpp"

#include "app/command_line.hpp"
#include "app/output.hpp"
#include "app/store.hpp"

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

} // namespace turnout::app
