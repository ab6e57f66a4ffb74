// The plugin "sqlite" of a next version.

#include "plugins/sqlite/sqlite_backend.hpp"
#include "storage/plugin.hpp"
#include "tests/api/next_version/steps.hpp"

namespace turnout::sqlite {

namespace {

class next_backend : public sqlite_backend {
public:
  using sqlite_backend::sqlite_backend;

protected:
  const std::vector<storage::migration>& schema() const override {
    static const auto steps = test::with_next_steps(sqlite_backend::schema());
    return steps;
  }
};

storage::backend* open_next(const storage::backend_settings& settings) {
  return new next_backend(settings);
}

} // namespace

} // namespace turnout::sqlite

TURNOUT_STORAGE_PLUGIN("sqlite", turnout::sqlite::open_next);
