#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

#include <limits>
#include <string_view>

namespace turnout::plugins {

namespace {

// The queries are put together from the tables of sql::roll_ups and run once.

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> result;
  while (!list.empty()) {
    auto end = std::min(list.find(", "), list.size());
    result.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return result;
}

template <class F>
std::string join(const std::vector<std::string>& xs, const char* separator,
                 F render) {
  std::string result;
  for (const auto& x : xs) {
    if (!result.empty())
      result += separator;
    result += render(x);
  }
  return result;
}

std::string with_horizon(std::string query, day_number horizon) {
  constexpr std::string_view name = ":clicks_horizon";
  for (auto i = query.find(name); i != std::string::npos; i = query.find(name))
    query.replace(i, name.size(), std::to_string(horizon));
  return query;
}

/// Compares one roll-up with what the raw events say.
class roll_up_check {
public:
  roll_up_check(connection& db, const sql::roll_up& x, day_number horizon)
    : x_db(db),
      x_table(x.table),
      x_sums(x.sums),
      x_computed(std::string{"computed_"} + x.table),
      x_key_list(x.keys),
      x_keys(split(x.keys)),
      x_values(split(x.values)),
      x_all(std::string{x.keys} + ", " + x.values),
      x_scope(with_horizon(x.scope, horizon)),
      x_query(with_horizon(x.computed, horizon)) {
    // nop
  }

  void compute() {
    drop();
    // With types, as an untyped column would not be found by its key.
    auto typed = [](auto& column) {
      return column + (column == "value" ? " TEXT" : " BIGINT");
    };
    x_db.run_once("CREATE TEMP TABLE " + x_computed + " ("
                  + join(x_keys, ", ", typed) + ", "
                  + join(x_values, ", ", typed) + ", PRIMARY KEY (" + x_key_list
                  + "))");
    x_db.run_once("INSERT INTO " + x_computed + " (" + x_all + ") " + x_query);
  }

  void compare(std::vector<std::string>& lines) {
    soci::rowset<soci::row> rows = x_db.session().prepare << comparison();
    for (const auto& row : rows) {
      auto line = x_table + ": link " + row.get<std::string>(0, "(none)");
      for (size_t i = 1; i < x_keys.size(); ++i)
        line += ' ' + x_keys[i] + ' ' + row.get<std::string>(i, "");
      auto n = x_keys.size();
      line += ": stored " + row.get<std::string>(n, "nothing") + ", computed "
              + row.get<std::string>(n + 1, "nothing");
      lines.emplace_back(std::move(line));
    }
  }

  void repair() {
    x_db.run_once("DELETE FROM " + x_table + " WHERE " + x_scope);
    x_db.run_once("INSERT INTO " + x_table + " (" + x_all + ") SELECT " + x_all
                  + " FROM " + x_computed);
  }

  void drop() {
    x_db.run_once("DROP TABLE IF EXISTS " + x_computed);
  }

private:
  /// Gives the keys as text (the link by its slug) and both sides' values.
  std::string comparison() const {
    auto key = [](auto& k) { return "coalesce(s." + k + ", c." + k + ")"; };
    auto same_key = [](auto& k) { return "s." + k + " = c." + k; };
    auto differs = [](auto& v) {
      return "coalesce(s." + v + ", 0) <> coalesce(c." + v + ", 0)";
    };
    auto values = [this](std::string side) {
      return join(x_values, " || ' ' || ",
                  [&](auto& v) { return "'" + v + "=' || " + side + "." + v; });
    };
    auto sum = [](auto& v) { return ", sum(" + v + ") AS " + v; };
    std::vector<std::string> other_keys{x_keys.begin() + 1, x_keys.end()};
    return "SELECT (SELECT slug FROM links l WHERE l.link_key = "
           + key(x_keys[0]) + ")"
           + join(other_keys, "",
                  [&](auto& k) { return ", CAST(" + key(k) + " AS TEXT)"; })
           + ", " + values("s") + ", " + values("c") + " FROM (SELECT "
           + x_key_list + join(x_values, "", sum) + " FROM " + x_sums
           + " WHERE " + x_scope + " GROUP BY " + x_key_list
           + ") AS s FULL JOIN " + x_computed + " AS c ON "
           + join(x_keys, " AND ", same_key) + " WHERE "
           + join(x_values, " OR ", differs);
  }

  connection& x_db;
  std::string x_table;
  std::string x_sums;
  std::string x_computed;
  std::string x_key_list;
  std::vector<std::string> x_keys;
  std::vector<std::string> x_values;
  std::string x_all;
  std::string x_scope;
  std::string x_query;
};

void check_marks(connection& db, bool repair, std::vector<std::string>& lines) {
  uuid id;
  auto marked = 0;
  db.each(sql::wrong_marks, std::tie(id, marked), [&] {
    lines.emplace_back("clicks: " + id.str()
                       + (marked != 0
                            ? ": stored is_conversion, but it has no conversion"
                            : ": stored no conversion, but it has one"));
  });
  if (repair && !lines.empty())
    db.run(sql::repair_marks);
}

void check_ids(connection& db, bool repair, std::vector<std::string>& lines) {
  if (db.words().clicks_without_id == nullptr)
    return;
  uuid id;
  db.each(db.words().clicks_without_id, std::tie(id), [&] {
    lines.emplace_back("clicks: " + id.str() + ": not found by its id");
  });
  if (repair)
    db.run(db.words().repair_ids);
}

} // namespace

caf::expected<std::vector<std::string>> sql_backend::verify(bool repair) {
  return attempt("verify the store", [&](connection& db) {
    std::vector<std::string> lines;
    transaction tx{db, repair ? access::write : access::read};
    allow_long_work(db);
    if (repair) {
      lock_events(db);
      const auto events = tables(db);
      while (events->settle_some(std::numeric_limits<day_number>::max()))
        ; // nop
    }
    check_marks(db, repair, lines);
    check_ids(db, repair, lines);
    day_number visitors = 0;
    day_number horizon = 0;
    db.first(sql::get_horizons, std::tie(visitors, horizon));
    std::vector<roll_up_check> checks;
    for (const auto& x : sql::roll_ups) {
      auto& check = checks.emplace_back(db, x, horizon);
      auto known = lines.size();
      check.compute();
      check.compare(lines);
      if (repair && lines.size() > known)
        check.repair();
    }
    for (auto& check : checks)
      check.drop();
    tx.commit();
    return lines;
  });
}

} // namespace turnout::plugins
