#pragma once

#include "plugins/sqlite/statement.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>

namespace turnout::sqlite {

/// How many rows are written at a time.
inline constexpr size_t rows_at_once = 16;

/// Returns an INSERT of `rows` rows made from one of a single row.
std::string many_rows_sql(const char* one_row_sql, size_t rows);

/// An INSERT that writes several rows at a time: to begin and end a statement
/// costs SQLite as much as a row does. Rows must differ in their keys, and
/// texts (as views) live until they are written.
template <class... Ts>
class many_rows {
public:
  many_rows(statement_cache& statements, const char* one_row_sql)
    : x_statements(statements), x_one_row_sql(one_row_sql) {
    // nop
  }

  /// Takes a row; `finish` must follow the last one.
  void operator()(const Ts&... values) {
    x_rows[x_used++] = std::tuple<Ts...>{values...};
    if (x_used < rows_at_once)
      return;
    if (!x_all)
      x_all.emplace(x_statements, many_rows_sql(x_one_row_sql, rows_at_once));
    for (const auto& row : x_rows)
      bind(*x_all, row);
    x_all->run();
    x_used = 0;
  }

  /// Writes what is left.
  void finish() {
    if (x_used == 0)
      return;
    statement one{x_statements, x_one_row_sql};
    for (size_t i = 0; i < x_used; ++i) {
      bind(one, x_rows[i]);
      one.run();
    }
    x_used = 0;
  }

private:
  static void bind(statement& st, const std::tuple<Ts...>& row) {
    std::apply([&](const auto&... xs) { st.bind(xs...); }, row);
  }

  statement_cache& x_statements;
  const char* x_one_row_sql;
  std::array<std::tuple<Ts...>, rows_at_once> x_rows;
  size_t x_used = 0;
  std::optional<statement> x_all;
};

} // namespace turnout::sqlite
