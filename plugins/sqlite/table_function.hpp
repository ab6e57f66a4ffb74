#pragma once

#include "plugins/sqlite/packed_bytes.hpp"

#include <soci/sqlite3/soci-sqlite3.h>

#include <concepts>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>

namespace turnout::sqlite {

/// Sets the result of an SQL function.
struct to_result {
  sqlite_api::sqlite3_context* context;

  void operator()(std::string_view x) const {
    using namespace sqlite_api;
    sqlite3_result_text(context, x.data() == nullptr ? "" : x.data(),
                        static_cast<int>(x.size()), SQLITE_TRANSIENT);
  }

  template <std::integral T>
  void operator()(T x) const {
    sqlite3_result_int64(context, static_cast<int64_t>(x));
  }
};

/// Returns whether a column is a number.
struct is_number {
  int64_t number;

  template <class T>
  bool operator()(const T& x) const {
    if constexpr (std::integral<T>)
      return static_cast<int64_t>(x) == number;
    else
      return false;
  }
};

/// A table in the SQL of a connection, `name(X)`: what bytes X unpack to. If a
/// number is looked for in the first column, SQLite sees no other rows.
/// @tparam Rows has the type `row`, which `unpack` reads; the texts `name` and
///              `columns`, as of a table; their number `num_columns`; and
///              `visit(row, i, f)`, which returns what `f` does of column i
template <class Rows>
class table_function {
public:
  /// Returns SQLite's code.
  static int add_to(sqlite_api::sqlite3* db) {
    static const auto functions = [] {
      sqlite_api::sqlite3_module x{};
      // There to be used at once: nobody creates it.
      x.xConnect = connect;
      x.xBestIndex = plan;
      x.xDisconnect = disconnect;
      x.xOpen = open;
      x.xClose = close;
      x.xFilter = filter;
      x.xNext = next;
      x.xEof = is_end;
      x.xColumn = column;
      x.xRowid = row_number;
      return x;
    }();
    return sqlite3_create_module_v2(db, Rows::name, &functions, nullptr,
                                    nullptr);
  }

private:
  using vtab = sqlite_api::sqlite3_vtab;
  using vtab_cursor = sqlite_api::sqlite3_vtab_cursor;

  // SQLite knows the objects by their first member.

  struct cursor {
    vtab_cursor base{};
    std::string bytes;
    byte_reader rest{{}};
    typename Rows::row row;
    std::optional<int64_t> first_column;
    bool is_end = true;
    int64_t number = 0;
  };

  static cursor& of(vtab_cursor* x) {
    return *reinterpret_cast<cursor*>(x);
  }

  static int connect(sqlite_api::sqlite3* db, void*, int, const char* const*,
                     vtab** result, char**) {
    // It has no effects, so that any schema may use it.
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    const auto declaration
      = std::string{"CREATE TABLE x ("} + Rows::columns + ", packed HIDDEN)";
    const auto code = sqlite3_declare_vtab(db, declaration.c_str());
    if (code != SQLITE_OK)
      return code;
    *result = new (std::nothrow) vtab{};
    return *result == nullptr ? SQLITE_NOMEM : SQLITE_OK;
  }

  static int disconnect(vtab* x) {
    delete x;
    return SQLITE_OK;
  }

  static int plan(vtab*, sqlite_api::sqlite3_index_info* info) {
    // Without bytes there are no rows.
    info->estimatedCost = 1;
    info->estimatedRows = 1;
    auto bytes = -1;
    auto number = -1;
    for (auto i = 0; i < info->nConstraint; ++i) {
      const auto& x = info->aConstraint[i];
      if (x.op != SQLITE_INDEX_CONSTRAINT_EQ)
        continue;
      if (x.iColumn == Rows::num_columns)
        bytes = i;
      else if (x.iColumn == 0 && x.usable != 0)
        number = i;
    }
    if (bytes < 0)
      return SQLITE_OK;
    if (info->aConstraint[bytes].usable == 0)
      return SQLITE_CONSTRAINT;
    info->aConstraintUsage[bytes].argvIndex = 1;
    info->aConstraintUsage[bytes].omit = 1;
    info->estimatedCost = 4;
    info->estimatedRows = 4;
    if (number >= 0) {
      info->aConstraintUsage[number].argvIndex = 2;
      info->estimatedRows = 1;
    }
    return SQLITE_OK;
  }

  static int open(vtab*, vtab_cursor** result) {
    auto* made = new (std::nothrow) cursor;
    if (made == nullptr)
      return SQLITE_NOMEM;
    *result = &made->base;
    return SQLITE_OK;
  }

  static int close(vtab_cursor* x) {
    delete &of(x);
    return SQLITE_OK;
  }

  static int next(vtab_cursor* raw) {
    auto& x = of(raw);
    do {
      ++x.number;
      x.is_end = !unpack(x.rest, x.row);
    } while (!x.is_end && x.first_column
             && !Rows::visit(x.row, 0, is_number{*x.first_column}));
    return x.rest.is_damaged() ? SQLITE_CORRUPT_VTAB : SQLITE_OK;
  }

  static int filter(vtab_cursor* raw, int, const char*, int num_values,
                    sqlite_api::sqlite3_value** values) {
    auto& x = of(raw);
    x.bytes.clear();
    x.first_column.reset();
    // What is no number SQLite compares itself.
    if (num_values > 1 && sqlite3_value_type(values[1]) == SQLITE_INTEGER)
      x.first_column = sqlite3_value_int64(values[1]);
    if (num_values != 0) {
      const auto* bytes
        = static_cast<const char*>(sqlite3_value_blob(values[0]));
      const auto size = static_cast<size_t>(sqlite3_value_bytes(values[0]));
      try {
        if (bytes != nullptr)
          x.bytes.assign(bytes, size);
      } catch (const std::bad_alloc&) {
        return SQLITE_NOMEM;
      }
    }
    x.rest = byte_reader{x.bytes};
    x.number = 0;
    return next(raw);
  }

  static int is_end(vtab_cursor* x) {
    return of(x).is_end ? 1 : 0;
  }

  static int column(vtab_cursor* raw, sqlite_api::sqlite3_context* context,
                    int column) {
    using namespace sqlite_api;
    const auto& x = of(raw);
    if (column < Rows::num_columns)
      Rows::visit(x.row, column, to_result{context});
    else
      sqlite3_result_blob(context, x.bytes.data(),
                          static_cast<int>(x.bytes.size()), SQLITE_TRANSIENT);
    return SQLITE_OK;
  }

  static int row_number(vtab_cursor* x, sqlite_api::sqlite3_int64* result) {
    *result = of(x).number;
    return SQLITE_OK;
  }
};

} // namespace turnout::sqlite
