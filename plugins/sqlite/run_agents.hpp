#pragma once

#include "plugins/sql/rollups.hpp"
#include "plugins/sqlite/statement.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace turnout::sqlite {

/// Browser, device and system of a user agent: what it is in the breakdowns.
using agent_values = std::array<std::string, 3>;

/// The dimension of the first of them; the others follow.
inline constexpr auto first_agent_dimension
  = static_cast<size_t>(dimension::browser);

/// Numbers the user agents of the run that takes clicks: a run has each once
/// (`run_agents`), with its browser, device and system, instead of with each
/// click, which it would make three times as long.
class run_agents {
public:
  struct agent {
    int64_t number = 0;
    agent_values values;
  };

  /// What is known of a run from one batch to the next.
  struct memory {
    int64_t run = 0;
    int64_t last = 0;
    std::unordered_map<std::string, agent> agents;
  };

  /// @param statements must outlive this object.
  /// @param known must, too, and is to be forgotten when the batch is not
  ///              committed.
  run_agents(statement_cache& statements, memory& known, int64_t run);

  /// Returns the number of the user agent of a click, which is added if it is
  /// new; 0 if the click is to have its texts itself, as the run has too many
  /// user agents, or this one with other values.
  int64_t number_of(const plugins::new_click& click);

private:
  statement_cache& x_statements;
  memory& x_known;
  std::optional<statement> x_add;
};

/// Looks up what the user agents of runs are in the breakdowns.
class run_agent_values {
public:
  /// @param statements must outlive this object.
  explicit run_agent_values(statement_cache& statements);

  /// Returns the values of a user agent; "unknown" if the run does not have it.
  const agent_values& of(int64_t run, int64_t agent);

private:
  statement x_find;
  /// By run and number.
  std::map<std::pair<int64_t, int64_t>, agent_values> x_known;
};

} // namespace turnout::sqlite
