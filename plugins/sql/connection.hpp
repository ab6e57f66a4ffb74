#pragma once

#include "core/uuid.hpp"
#include "plugins/sql/dialect.hpp"

#include <soci/soci.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace turnout::plugins {

// SOCI exchanges references, so every value that is handed to a statement must
// live until the statement has run. Columns are never NULL in our schemas:
// absent values are 0 or empty, which spares an indicator for each column.

inline const int64_t& signed_half(const uint64_t& x) noexcept {
  return reinterpret_cast<const int64_t&>(x);
}

inline int64_t& signed_half(uint64_t& x) noexcept {
  return reinterpret_cast<int64_t&>(x);
}

/// Gives a value to the parameter `name` of a statement and goes on to the next
/// one; a uuid takes two.
template <class T>
void exchange_use(soci::statement& st, const std::string*& name, const T& x) {
  st.exchange(soci::use(x, *name++));
}

inline void exchange_use(soci::statement& st, const std::string*& name,
                         const uuid& x) {
  exchange_use(st, name, signed_half(x.hi));
  exchange_use(st, name, signed_half(x.lo));
}

/// Names the place of a result; a uuid takes two columns.
template <class T>
void exchange_into(soci::statement& st, T& x) {
  st.exchange(soci::into(x));
}

inline void exchange_into(soci::statement& st, uuid& x) {
  st.exchange(soci::into(signed_half(x.hi)));
  st.exchange(soci::into(signed_half(x.lo)));
}

/// A session with the statements it has prepared. Statements are named by their
/// SQL constants and prepared once. Throws what SOCI throws.
class connection {
public:
  /// @param words must outlive the connection.
  connection(const soci::backend_factory& factory,
             const std::string& connect_string, const dialect& words);

  connection(const connection&) = delete;

  connection& operator=(const connection&) = delete;

  soci::session& session() noexcept {
    return x_session;
  }

  const dialect& words() const noexcept {
    return x_words;
  }

  /// Since when the database has been owing an answer; nullopt when it owes
  /// none. For any thread.
  std::optional<std::chrono::steady_clock::time_point> waiting_since() const;

  /// Whether a transaction was being committed when something failed, so that
  /// nobody knows whether it was.
  bool committing() const noexcept {
    return x_committing;
  }

  /// Executes SQL that is not worth keeping prepared and returns the number of
  /// changed rows.
  int64_t run_once(const std::string& sql);

  /// Binds a statement to variables, to be executed with `execute` as often as
  /// these get new values.
  template <class... Ts>
  soci::statement& bind(const char* sql, const Ts&... values) {
    auto& found = prepared(sql);
    auto& st = found.statement;
    const auto& names = found.names;
    [[maybe_unused]] const auto* name = names.data();
    st.bind_clean_up();
    (exchange_use(st, name, values), ...);
    st.define_and_bind();
    return st;
  }

  /// Executes a bound statement and returns the number of changed rows.
  int64_t execute(soci::statement& st) {
    waiting here{*this};
    st.execute(true);
    return st.get_affected_rows();
  }

  /// Executes a bound query and calls `f` for each row.
  template <class F>
  void fetch(soci::statement& st, F f) {
    auto more = false;
    {
      waiting here{*this};
      more = st.execute(true);
    }
    while (more) {
      f();
      waiting here{*this};
      more = st.fetch();
    }
  }

  /// Executes a statement and returns the number of changed rows.
  template <class... Ts>
  int64_t run(const char* sql, const Ts&... values) {
    return execute(bind(sql, values...));
  }

  /// Runs a query and calls `f` after each row was put into `columns`. `f` must
  /// not run the same statement.
  template <class... Cs, class F, class... Ts>
  void each(const char* sql, std::tuple<Cs&...> columns, F f,
            const Ts&... values) {
    auto& found = prepared(sql);
    auto& st = found.statement;
    const auto& names = found.names;
    [[maybe_unused]] const auto* name = names.data();
    st.bind_clean_up();
    std::apply([&](auto&... column) { (exchange_into(st, column), ...); },
               columns);
    (exchange_use(st, name, values), ...);
    st.define_and_bind();
    fetch(st, std::move(f));
  }

  /// Runs a query of at most one row and returns whether it gave one.
  template <class... Cs, class... Ts>
  bool first(const char* sql, std::tuple<Cs&...> columns, const Ts&... values) {
    auto found = false;
    each(
      sql, columns, [&] { found = true; }, values...);
    return found;
  }

private:
  friend class transaction;

  /// Says that the database owes an answer.
  class waiting {
  public:
    explicit waiting(connection& db) noexcept;

    waiting(const waiting&) = delete;

    waiting& operator=(const waiting&) = delete;

    ~waiting();

  private:
    connection& x_db;
  };

  struct prepared_statement {
    soci::statement statement;
    /// Its parameters, in the order in which they come first.
    std::vector<std::string> names;
  };

  prepared_statement& prepared(const char* sql);

  const dialect& x_words;
  soci::session x_session;
  // Declared after the session, as statements must go before it.
  std::unordered_map<const char*, prepared_statement> x_statements;
  // Ticks of the steady clock; 0: not waiting.
  std::atomic<int64_t> x_waiting_since = 0;
  bool x_committing = false;
};

/// A statement bound once to a row of its own, for loops: binding costs more
/// than executing. There must be one object for a statement at a time.
template <class... Ts>
class bound_statement {
public:
  bound_statement(connection& db, const char* sql)
    : x_db(db),
      x_statement(std::apply(
        [&](auto&... xs) -> soci::statement& { return db.bind(sql, xs...); },
        x_values)) {
    // nop
  }

  bound_statement(const bound_statement&) = delete;

  bound_statement& operator=(const bound_statement&) = delete;

  /// Executes the statement and returns the number of changed rows.
  int64_t operator()(const Ts&... values) {
    x_values = std::tie(values...);
    return x_db.execute(x_statement);
  }

private:
  connection& x_db;
  std::tuple<Ts...> x_values;
  soci::statement& x_statement;
};

template <class Columns, class... Ts>
class bound_query;

/// A query bound once to its columns and parameters, for loops. There must be
/// one object for a query at a time.
template <class... Cs, class... Ts>
class bound_query<std::tuple<Cs...>, Ts...> {
public:
  bound_query(connection& db, const char* sql)
    : x_db(db),
      x_statement(std::apply(
        [&](auto&... xs) -> soci::statement& { return db.bind(sql, xs...); },
        x_values)) {
    std::apply([this](auto&... xs) { (exchange_into(x_statement, xs), ...); },
               x_columns);
    x_statement.define_and_bind();
  }

  bound_query(const bound_query&) = delete;

  bound_query& operator=(const bound_query&) = delete;

  /// Calls `f` with the columns of each row.
  template <class F>
  void each(const Ts&... values, F f) {
    x_values = std::tie(values...);
    x_db.fetch(x_statement, [&] { std::apply(f, x_columns); });
  }

private:
  connection& x_db;
  std::tuple<Cs...> x_columns;
  std::tuple<Ts...> x_values;
  soci::statement& x_statement;
};

/// A transaction that is undone unless it is committed.
class transaction {
public:
  transaction(connection& db, access kind);

  transaction(const transaction&) = delete;

  transaction& operator=(const transaction&) = delete;

  ~transaction();

  void commit();

private:
  connection& x_db;
  bool x_open = true;
};

} // namespace turnout::plugins
