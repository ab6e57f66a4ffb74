#pragma once

#include "plugins/sql/connection.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

namespace turnout::sqlite {

/// Returns an INSERT of `rows` rows made from one of a single row, for the same
/// address the same text at the same address.
const char* many_rows_sql(const char* one_row_sql, size_t rows);

/// An INSERT that writes several rows at a time: to begin and end a statement
/// costs SQLite as much as a row does. Rows must differ in their keys. There
/// must be one object for a statement at a time.
template <class... Ts>
class many_rows {
public:
  many_rows(plugins::connection& db, const char* one_row_sql)
    : x_db(db), x_one_row_sql(one_row_sql) {
    // nop
  }

  many_rows(const many_rows&) = delete;

  many_rows& operator=(const many_rows&) = delete;

  /// Takes a row; `finish` must follow the last one.
  void operator()(const Ts&... values) {
    x_rows[x_used++] = std::tie(values...);
    if (x_used == size) {
      if (x_all == nullptr)
        x_all = &bind(std::make_index_sequence<size>{});
      x_db.execute(*x_all);
      x_used = 0;
    }
  }

  /// Writes what is left.
  void finish() {
    if (x_used == 0)
      return;
    plugins::bound_statement<Ts...> one{x_db, x_one_row_sql};
    for (size_t i = 0; i < x_used; ++i)
      std::apply(one, x_rows[i]);
    x_used = 0;
  }

private:
  static constexpr size_t size = 16;

  template <size_t... Is>
  soci::statement& bind(std::index_sequence<Is...>) {
    auto tie_row = [](auto& row) {
      return std::apply([](auto&... xs) { return std::tie(xs...); }, row);
    };
    return std::apply(
      [this](auto&... xs) -> soci::statement& {
        return x_db.bind(many_rows_sql(x_one_row_sql, size), xs...);
      },
      std::tuple_cat(tie_row(x_rows[Is])...));
  }

  plugins::connection& x_db;
  const char* x_one_row_sql;
  std::array<std::tuple<Ts...>, size> x_rows;
  size_t x_used = 0;
  soci::statement* x_all = nullptr;
};

} // namespace turnout::sqlite
