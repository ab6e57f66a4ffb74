#include "plugins/soci/connection.hpp"

namespace turnout::plugins {

namespace {

constexpr char commit_sql[] = "COMMIT";

constexpr char rollback_sql[] = "ROLLBACK";

} // namespace

connection::connection(const soci::backend_factory& factory,
                       const std::string& connect_string)
  : x_session(factory, connect_string) {
  // nop
}

void connection::run_once(const std::string& sql) {
  x_session << sql;
}

soci::statement& connection::prepared(const char* sql) {
  if (auto i = x_statements.find(sql); i != x_statements.end())
    return i->second;
  soci::statement st{x_session};
  st.alloc();
  st.prepare(sql);
  return x_statements.emplace(sql, st).first->second;
}

transaction::transaction(connection& db, const char* begin_sql) : x_db(db) {
  x_db.run(begin_sql);
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
  x_db.run(commit_sql);
  x_open = false;
}

} // namespace turnout::plugins
