// The plugin "postgresql" of a next version.

#include "plugins/postgresql/postgresql_backend.hpp"
#include "storage/plugin.hpp"
#include "tests/api/next_version/steps.hpp"

namespace turnout::postgresql {

namespace {

class next_backend : public postgresql_backend {
public:
  using postgresql_backend::postgresql_backend;

protected:
  const std::vector<storage::migration>& schema() const override {
    static const auto steps
      = test::with_next_steps(postgresql_backend::schema());
    return steps;
  }
};

storage::backend* open_next(const storage::backend_settings& settings) {
  return new next_backend(settings);
}

} // namespace

} // namespace turnout::postgresql

TURNOUT_STORAGE_PLUGIN("postgresql", turnout::postgresql::open_next);
