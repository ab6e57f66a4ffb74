#include "plugins/sqlite/click_functions.hpp"

#include "plugins/sqlite/packed_clicks.hpp"

#include <soci/sqlite3/soci-sqlite3.h>

#include <concepts>
#include <new>
#include <string>
#include <string_view>

namespace turnout::sqlite {

using namespace sqlite_api;

namespace {

// -- columns ------------------------------------------------------------------

constexpr char declaration[]
  = "CREATE TABLE unpacked (id_hi INTEGER, id_lo INTEGER, variant_key INTEGER,"
    " stratum INTEGER, is_repeat INTEGER, created_at INTEGER,"
    " visitor INTEGER, ip_address TEXT, user_agent TEXT, referrer TEXT,"
    " country TEXT, country_value TEXT, referrer_value TEXT,"
    " browser_value TEXT, device_value TEXT, system_value TEXT, agent INTEGER,"
    " packed HIDDEN)";

constexpr int num_columns = 17;

constexpr int first_value = 11;

/// Calls `f` with the number of a column, or the text in it.
template <class Click, class F>
void visit_column(Click& x, int column, F f) {
  switch (column) {
    case 0:
      return f(x.id.hi);
    case 1:
      return f(x.id.lo);
    case 2:
      return f(x.variant_key);
    case 3:
      return f(x.stratum);
    case 4:
      return f(x.is_repeat);
    case 5:
      return f(x.created_at);
    case 6:
      return f(x.visitor);
    case 7:
      return f(x.ip_address);
    case 8:
      return f(x.user_agent);
    case 9:
      return f(x.referrer);
    case 10:
      return f(x.country);
    case num_columns - 1:
      return f(x.agent);
    default:
      return f(x.values[static_cast<size_t>(column - first_value)]);
  }
}

struct to_result {
  sqlite3_context* context;

  void operator()(std::string_view x) const {
    sqlite3_result_text(context, x.data() == nullptr ? "" : x.data(),
                        static_cast<int>(x.size()), SQLITE_TRANSIENT);
  }

  template <std::integral T>
  void operator()(T x) const {
    sqlite3_result_int64(context, static_cast<int64_t>(x));
  }
};

struct from_value {
  sqlite3_value* value;

  void operator()(std::string_view& x) const {
    const auto* chars
      = reinterpret_cast<const char*>(sqlite3_value_text(value));
    x = chars == nullptr
          ? std::string_view{}
          : std::string_view{chars,
                             static_cast<size_t>(sqlite3_value_bytes(value))};
  }

  template <std::integral T>
  void operator()(T& x) const {
    x = static_cast<T>(sqlite3_value_int64(value));
  }
};

std::string_view bytes_of(sqlite3_value* value) {
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
  return bytes == nullptr
           ? std::string_view{}
           : std::string_view{bytes,
                              static_cast<size_t>(sqlite3_value_bytes(value))};
}

// -- packed_click(...) --------------------------------------------------------

void pack_click(sqlite3_context* context, int, sqlite3_value** values) {
  try {
    packed_click x;
    for (auto i = 0; i < num_columns; ++i)
      visit_column(x, i, from_value{values[i]});
    std::string result;
    pack(x, result);
    sqlite3_result_blob(context, result.data(), static_cast<int>(result.size()),
                        SQLITE_TRANSIENT);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

// -- unpacked(X) --------------------------------------------------------------

// SQLite knows the objects by their first member.

struct table {
  sqlite3_vtab base{};
};

struct cursor {
  sqlite3_vtab_cursor base{};
  std::string bytes;
  click_unpacker rest{{}};
  packed_click click;
  bool is_end = true;
  sqlite3_int64 row = 0;
};

int connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** result,
            char**) {
  // It has no effects, so that any schema may use it.
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  const auto code = sqlite3_declare_vtab(db, declaration);
  if (code != SQLITE_OK)
    return code;
  auto* made = new (std::nothrow) table;
  if (made == nullptr)
    return SQLITE_NOMEM;
  *result = &made->base;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* x) {
  delete reinterpret_cast<table*>(x);
  return SQLITE_OK;
}

int plan(sqlite3_vtab*, sqlite3_index_info* info) {
  for (auto i = 0; i < info->nConstraint; ++i) {
    const auto& x = info->aConstraint[i];
    if (x.iColumn != num_columns || x.op != SQLITE_INDEX_CONSTRAINT_EQ)
      continue;
    if (x.usable == 0)
      return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->estimatedCost = 4;
    info->estimatedRows = 4;
    return SQLITE_OK;
  }
  // Without bytes there are no clicks.
  info->estimatedCost = 1;
  info->estimatedRows = 1;
  return SQLITE_OK;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** result) {
  auto* made = new (std::nothrow) cursor;
  if (made == nullptr)
    return SQLITE_NOMEM;
  *result = &made->base;
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* x) {
  delete reinterpret_cast<cursor*>(x);
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* raw) {
  auto& x = *reinterpret_cast<cursor*>(raw);
  ++x.row;
  x.is_end = !x.rest.next(x.click);
  return x.rest.is_damaged() ? SQLITE_CORRUPT_VTAB : SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* raw, int, const char*, int num_values,
           sqlite3_value** values) {
  auto& x = *reinterpret_cast<cursor*>(raw);
  try {
    x.bytes = num_values == 0 ? std::string_view{} : bytes_of(values[0]);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
  x.rest = click_unpacker{x.bytes};
  x.row = 0;
  return next(raw);
}

int is_end(sqlite3_vtab_cursor* x) {
  return reinterpret_cast<cursor*>(x)->is_end ? 1 : 0;
}

int column(sqlite3_vtab_cursor* raw, sqlite3_context* context, int column) {
  const auto& x = *reinterpret_cast<cursor*>(raw);
  if (column < num_columns)
    visit_column(x.click, column, to_result{context});
  else
    sqlite3_result_blob(context, x.bytes.data(),
                        static_cast<int>(x.bytes.size()), SQLITE_TRANSIENT);
  return SQLITE_OK;
}

int row(sqlite3_vtab_cursor* x, sqlite3_int64* result) {
  *result = reinterpret_cast<cursor*>(x)->row;
  return SQLITE_OK;
}

const sqlite3_module& module_of_unpacked() {
  static const auto result = [] {
    sqlite3_module x{};
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
    x.xRowid = row;
    return x;
  }();
  return result;
}

int add_to(sqlite3* db) {
  const auto code = sqlite3_create_module_v2(
    db, "unpacked", &module_of_unpacked(), nullptr, nullptr);
  if (code != SQLITE_OK)
    return code;
  return sqlite3_create_function_v2(
    db, "packed_click", num_columns,
    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr, pack_click,
    nullptr, nullptr, nullptr);
}

} // namespace

void add_click_functions(sqlite3* db) {
  const auto code = add_to(db);
  if (code != SQLITE_OK)
    throw soci::sqlite3_soci_error{sqlite3_errmsg(db), code};
}

} // namespace turnout::sqlite

/// What SQLite calls when it loads the plugin as an extension; it makes the
/// name from that of the file.
extern "C" __attribute__((visibility("default"))) int
sqlite3_turnoutstoragesqlite_init(sqlite_api::sqlite3* db, char**,
                                  const void*) {
  return turnout::sqlite::add_to(db);
}
