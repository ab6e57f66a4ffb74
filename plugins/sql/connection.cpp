#include "plugins/sql/connection.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace turnout::plugins {

namespace {

constexpr char commit_sql[] = "COMMIT";

constexpr char rollback_sql[] = "ROLLBACK";

bool is_name_char(char x) noexcept {
  return std::isalnum(static_cast<unsigned char>(x)) != 0 || x == '_';
}

/// Returns the parameters of a statement, such as `:name`, in the order in
/// which they come first.
std::vector<std::string> parameters(std::string_view sql) {
  std::vector<std::string> result;
  auto quoted = false;
  for (size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] == '\'')
      quoted = !quoted;
    if (quoted || sql[i] != ':' || i + 1 == sql.size()
        || !is_name_char(sql[i + 1]))
      continue;
    auto end = i + 1;
    while (end < sql.size() && is_name_char(sql[end]))
      ++end;
    std::string name{sql.substr(i + 1, end - i - 1)};
    if (std::find(result.begin(), result.end(), name) == result.end())
      result.emplace_back(std::move(name));
    i = end - 1;
  }
  return result;
}

} // namespace

connection::connection(const soci::backend_factory& factory,
                       const std::string& connect_string, const dialect& words)
  : x_words(words), x_session(factory, connect_string) {
  // nop
}

std::optional<std::chrono::steady_clock::time_point>
connection::waiting_since() const {
  using clock = std::chrono::steady_clock;
  auto ticks = x_waiting_since.load(std::memory_order_relaxed);
  if (ticks == 0)
    return std::nullopt;
  return clock::time_point{clock::duration{ticks}};
}

int64_t connection::run_once(const std::string& sql) {
  waiting here{*this};
  soci::statement st{x_session};
  st.alloc();
  st.prepare(sql, soci::details::st_one_time_query);
  st.define_and_bind();
  return execute(st);
}

connection::prepared_statement& connection::prepared(const char* sql) {
  if (auto i = x_statements.find(sql); i != x_statements.end())
    return i->second;
  waiting here{*this};
  prepared_statement x{soci::statement{x_session}, parameters(sql)};
  x.statement.alloc();
  x.statement.prepare(sql);
  return x_statements.emplace(sql, std::move(x)).first->second;
}

connection::waiting::waiting(connection& db) noexcept : x_db(db) {
  x_db.x_waiting_since.store(
    std::chrono::steady_clock::now().time_since_epoch().count(),
    std::memory_order_relaxed);
}

connection::waiting::~waiting() {
  x_db.x_waiting_since.store(0, std::memory_order_relaxed);
}

transaction::transaction(connection& db, access kind) : x_db(db) {
  const auto& words = db.words();
  x_db.x_committing = false;
  switch (kind) {
    case access::read:
      x_db.run(words.begin_read);
      break;
    case access::write:
      x_db.run(words.begin_write);
      break;
    case access::snapshot_write:
      x_db.run(words.begin_snapshot_write);
      break;
  }
}

transaction::~transaction() {
  if (!x_open)
    return;
  try {
    x_db.run(rollback_sql);
  } catch (const std::exception&) {
    // The database has undone it already; the error that led here is on its
    // way, and the connection goes with it.
  }
}

void transaction::commit() {
  x_db.x_committing = true;
  x_db.run(commit_sql);
  x_db.x_committing = false;
  x_open = false;
}

} // namespace turnout::plugins
