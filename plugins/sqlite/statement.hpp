#pragma once

#include "core/uuid.hpp"
#include "plugins/sqlite/statement_cache.hpp"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace soci {
class session;
} // namespace soci

namespace turnout::sqlite {

/// Returns the handle of an SQLite session, for what SOCI has no words for.
sqlite_api::sqlite3* handle_of(soci::session& db);

/// Bytes that are no text.
struct blob {
  std::string_view bytes;
};

/// A prepared statement of SQLite's own interface, for what is done to each of
/// thousands of rows: SOCI allocates memory for each value that it hands over.
/// Throws what SOCI throws, soci::sqlite3_soci_error.
class statement {
public:
  /// @param cache must outlive the statement.
  statement(statement_cache& cache, std::string_view sql);

  statement(const statement&) = delete;

  statement& operator=(const statement&) = delete;

  ~statement();

  /// Gives values to the next parameters, in the order in which these come
  /// first. Texts and bytes must live until the statement has run.
  template <class... Ts>
  void bind(const Ts&... values) {
    (set(values), ...);
  }

  /// Executes the statement, which is then ready for the next values, and
  /// returns the number of changed rows.
  int64_t run();

  /// Executes an INSERT as `run` does. Returns false, and changes nothing, if
  /// one of its rows is there already.
  bool run_unless_there();

  /// Returns whether there is another row. After the last one the statement is
  /// ready for the next values.
  bool next();

  /// Executes the statement as `run` does and returns whether it has a row.
  bool has_row();

  /// Makes the statement ready for the next values before its last row.
  void reset() noexcept;

  /// Returns a column of the row, counted from 0; 0 for NULL.
  int64_t integer(int column) const;

  /// Returns a column of the row, empty for NULL; lives until the next row.
  std::string_view text(int column) const;

  /// Returns the same of bytes.
  std::string_view bytes(int column) const;

  uuid id(int first_column) const {
    return {static_cast<uint64_t>(integer(first_column)),
            static_cast<uint64_t>(integer(first_column + 1))};
  }

private:
  template <std::integral T>
  void set(T x) {
    set_integer(static_cast<int64_t>(x));
  }

  void set(const uuid& x) {
    set_integer(static_cast<int64_t>(x.hi));
    set_integer(static_cast<int64_t>(x.lo));
  }

  void set(const std::string& x) {
    set_text(x);
  }

  void set(std::string_view x) {
    set_text(x);
  }

  void set(const blob& x);

  void set_integer(int64_t x);

  void set_text(std::string_view x);

  void check(int result) const;

  statement_cache& x_cache;
  statement_cache::prepared x_prepared;
  sqlite_api::sqlite3_stmt* x_statement;
  int x_bound = 0;
};

} // namespace turnout::sqlite
