#include "plugins/sqlite/click_functions.hpp"

#include "plugins/sqlite/packed_clicks.hpp"
#include "plugins/sqlite/packed_places.hpp"
#include "plugins/sqlite/table_function.hpp"

#include <array>
#include <cstddef>

namespace turnout::sqlite {

using namespace sqlite_api;

namespace {

struct unpacked {
  using row = packed_click;

  static constexpr char name[] = "unpacked";

  static constexpr char columns[]
    = "id_hi INTEGER, id_lo INTEGER, variant_key INTEGER, stratum INTEGER,"
      " is_repeat INTEGER, created_at INTEGER, visitor INTEGER,"
      " ip_address TEXT, user_agent TEXT, referrer TEXT, country TEXT,"
      " country_value TEXT, referrer_value TEXT, browser_value TEXT,"
      " device_value TEXT, system_value TEXT, agent INTEGER";

  static constexpr int num_columns = 17;

  template <class Row, class F>
  static auto visit(Row& x, int column, F f) {
    constexpr int first_value = 11;
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
};

struct places {
  using row = packed_place;

  static constexpr char name[] = "places";

  static constexpr char columns[]
    = "mark INTEGER, link_key INTEGER, run INTEGER";

  static constexpr int num_columns = 3;

  template <class Row, class F>
  static auto visit(Row& x, int column, F f) {
    switch (column) {
      case 0:
        return f(x.mark);
      case 1:
        return f(x.link_key);
      default:
        return f(x.run);
    }
  }
};

struct from_value {
  sqlite3_value* value;

  void operator()(std::string_view& x) const {
    const auto* chars
      = reinterpret_cast<const char*>(sqlite3_value_text(value));
    const auto size = static_cast<size_t>(sqlite3_value_bytes(value));
    x = chars == nullptr ? std::string_view{} : std::string_view{chars, size};
  }

  template <std::integral T>
  void operator()(T& x) const {
    x = static_cast<T>(sqlite3_value_int64(value));
  }
};

/// The function that packs a row of which it is given the columns.
template <class Rows>
void pack_row(sqlite3_context* context, int, sqlite3_value** values) {
  try {
    typename Rows::row x;
    for (auto i = 0; i < Rows::num_columns; ++i)
      Rows::visit(x, i, from_value{values[i]});
    std::string result;
    pack(x, result);
    sqlite3_result_blob(context, result.data(), static_cast<int>(result.size()),
                        SQLITE_TRANSIENT);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

template <class Rows>
int add_packing(sqlite3* db, const char* name) {
  return sqlite3_create_function_v2(
    db, name, Rows::num_columns,
    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
    pack_row<Rows>, nullptr, nullptr, nullptr);
}

int add_to(sqlite3* db) {
  for (const auto code : std::array{table_function<unpacked>::add_to(db),
                                    table_function<places>::add_to(db),
                                    add_packing<unpacked>(db, "packed_click"),
                                    add_packing<places>(db, "packed_place")})
    if (code != SQLITE_OK)
      return code;
  return SQLITE_OK;
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
