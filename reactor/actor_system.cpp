#include "reactor/actor_system.hpp"

#include "reactor/reactor_scheduler.hpp"

namespace turnout {

reactor_system_config::reactor_system_config(reactor_pool& pool)
  : x_pool{pool} {
  load<reactor_scheduler>();
  set("scheduler.max-throughput", max_throughput);
}

} // namespace turnout
