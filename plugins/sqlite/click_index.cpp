#include "plugins/sqlite/click_index.hpp"

#include "plugins/sqlite/many_rows.hpp"
#include "plugins/sqlite/packed_places.hpp"
#include "plugins/sqlite/sql.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace turnout::sqlite {

namespace {

/// How many clicks become findable in one transaction.
constexpr size_t max_at_once = 16'000;

using click_iterator = std::vector<click_place>::const_iterator;

bool is_before(const click_place& x, const click_place& y) noexcept {
  return x.id < y.id;
}

bool is_there(statement& find, int64_t millisecond, const packed_place& x) {
  find.bind(millisecond, x.mark, x.link_key, x.run);
  return find.has_row();
}

void add(statement_cache& statements, click_iterator first, click_iterator last,
         bool was_cut_off) {
  std::optional<statement> find;
  if (was_cut_off)
    find.emplace(statements, sql::find_click_place);
  // They live until they are written.
  std::vector<std::pair<int64_t, std::string>> rows;
  for (; first != last; ++first) {
    const auto millisecond = millisecond_of(first->id);
    const packed_place place{static_cast<uint8_t>(first->id.lo),
                             first->link_key, first->run};
    if (find && is_there(*find, millisecond, place))
      continue;
    if (rows.empty() || rows.back().first != millisecond)
      rows.emplace_back(millisecond, std::string{});
    pack(place, rows.back().second);
  }
  many_rows<int64_t, blob> write{statements, sql::add_click_places};
  for (const auto& [millisecond, places] : rows)
    write(millisecond, blob{places});
  write.finish();
}

} // namespace

void click_index::keep(const std::vector<click_place>& clicks,
                       bool was_cut_off) {
  x_was_cut_off = x_was_cut_off || was_cut_off;
  x_clicks.insert(x_clicks.end(), clicks.begin(), clicks.end());
}

void click_index::add_most(plugins::connection& db,
                           statement_cache& statements) {
  const auto waiting = [this] { return x_clicks.size() - x_num_added; };
  if (waiting() <= max_at_once)
    return;
  std::sort(x_clicks.begin() + static_cast<ptrdiff_t>(x_num_added),
            x_clicks.end(), is_before);
  while (waiting() > max_at_once) {
    plugins::transaction tx{db, plugins::access::write};
    const auto first = x_clicks.begin() + static_cast<ptrdiff_t>(x_num_added);
    add(statements, first, first + max_at_once, x_was_cut_off);
    tx.commit();
    x_num_added += max_at_once;
  }
}

std::vector<uuid> click_index::add_rest(statement_cache& statements,
                                        const std::vector<click_place>& last,
                                        bool was_cut_off) const {
  std::vector<click_place> rest{
    x_clicks.begin() + static_cast<ptrdiff_t>(x_num_added), x_clicks.end()};
  rest.insert(rest.end(), last.begin(), last.end());
  std::sort(rest.begin(), rest.end(), is_before);
  add(statements, rest.begin(), rest.end(), x_was_cut_off || was_cut_off);
  std::vector<uuid> result;
  result.reserve(x_num_added + rest.size());
  for (size_t i = 0; i < x_num_added; ++i)
    result.push_back(x_clicks[i].id);
  for (const auto& x : rest)
    result.push_back(x.id);
  return result;
}

void click_index::clear() noexcept {
  x_clicks.clear();
  x_num_added = 0;
  x_was_cut_off = false;
}

} // namespace turnout::sqlite
