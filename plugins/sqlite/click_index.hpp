#pragma once

#include "core/model.hpp"
#include "core/uuid.hpp"
#include "plugins/sql/connection.hpp"
#include "plugins/sqlite/statement_cache.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace turnout::sqlite {

/// A click and where it is: in a run, or in the table of clicks (0).
struct click_place {
  uuid id;
  row_key link_key = 0;
  int64_t run = 0;
};

/// Makes clicks findable by their ids. Those of a round wait until all of it is
/// stored: in the order of their ids they go next to each other, at the end of
/// the table, so that hardly a page of it is written twice.
class click_index {
public:
  /// Takes the clicks of a part of a round, which is committed.
  /// @param was_cut_off whether the round was, so that some of them may be
  ///                    findable
  void keep(const std::vector<click_place>& clicks, bool was_cut_off);

  /// Makes all that wait findable, but for a few: so many at a time, each time
  /// in a transaction, as nobody else writes during one.
  void add_most(plugins::connection& db, statement_cache& statements);

  /// Makes the rest findable, and the last clicks of the round, within the
  /// caller's transaction. Returns the ids of the whole round.
  std::vector<uuid> add_rest(statement_cache& statements,
                             const std::vector<click_place>& last,
                             bool was_cut_off) const;

  /// Forgets the round; to be called when its last part is committed.
  void clear() noexcept;

private:
  std::vector<click_place> x_clicks;
  /// How many of these are findable.
  size_t x_num_added = 0;
  bool x_was_cut_off = false;
};

} // namespace turnout::sqlite
