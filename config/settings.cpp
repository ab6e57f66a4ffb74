#include "config/settings.hpp"

#include "config/setting.hpp"

namespace turnout {

settings::settings()
  : http{},
    storage{},
    journal{},
    redirect{},
    slug{},
    geo{},
    links{},
    rate_limit{},
    auth{},
    log{} {
  for (const auto& x : config::setting_table())
    x.write(*this, x.fallback);
}

caf::error validate(const settings& x) {
  for (const auto& row : config::setting_table())
    if (auto problem = config::problem_of(row, row.read(x)); !problem.empty())
      return make_error(ec::config, std::move(problem));
  if (auto problem = config::conflict_in(x); !problem.empty())
    return make_error(ec::config, std::move(problem));
  return caf::none;
}

} // namespace turnout
