#include "journal/connection.hpp"

#include "journal/schema.hpp"
#include "sqlite/statement.hpp"

#include <cerrno>

namespace turnout::journal {

namespace fs = std::filesystem;

namespace {

std::string connect_string(const fs::path& path, access mode) {
  auto absolute = fs::absolute(path).string();
  if (absolute.find('"') != std::string::npos)
    throw segment_error{fault::other, "a quotation mark in the path"};
  auto result = "db=\"" + absolute + "\"";
  return mode == access::sync ? result + " readonly=true" : result;
}

// SQLite would make a missing file, and take an empty one for an empty database
// and delete its -wal.
const fs::path& checked(const fs::path& path, access mode) {
  if (mode == access::create)
    return path;
  std::error_code err;
  auto size = fs::file_size(path, err);
  if (err)
    throw segment_error{fault::other, err.message()};
  if (size == 0 && mode != access::sync)
    throw segment_error{fault::damaged, "the file is empty"};
  return path;
}

} // namespace

connection::connection(const fs::path& path, access mode)
  : x_sql(soci::sqlite3, connect_string(checked(path, mode), mode)) {
  using namespace sqlite_api;
  // Readers wait for another program; a writer goes to a new segment instead.
  sqlite3_busy_timeout(raw(), mode == access::read ? 5000 : 50);
  sqlite3_wal_autocheckpoint(raw(), 0);
  sqlite3_db_config(raw(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1,
                    static_cast<int*>(nullptr));
  if (mode == access::create || mode == access::write)
    x_sql << "PRAGMA synchronous = OFF";
}

sqlite_api::sqlite3* connection::raw() {
  return sqlite::handle_of(x_sql);
}

void connection::check_format() {
  int version = 0;
  x_sql << "PRAGMA user_version", soci::into(version);
  if (version > segment_format)
    throw segment_error{
      fault::too_new,
      "its format is " + std::to_string(version)
        + ", this version of Turnout knows up to "
        + std::to_string(segment_format)
        + "; run the newer version until its journal is drained"};
  if (version < segment_format)
    throw segment_error{fault::damaged, "it has no format number"};
}

std::string reason(const std::exception& x) {
  auto ptr = dynamic_cast<const soci::soci_error*>(&x);
  if (ptr == nullptr)
    return x.what();
  auto result = ptr->get_error_message();
  // SOCI puts the name of a function of its own in front.
  if (result.starts_with("sqlite3_"))
    if (auto pos = result.find(": "); pos != std::string::npos)
      result.erase(0, pos + 2);
  return result;
}

fault classify(const std::exception& x, int system_errno) noexcept {
  if (auto ptr = dynamic_cast<const segment_error*>(&x))
    return ptr->kind;
  auto ptr = dynamic_cast<const soci::sqlite3_soci_error*>(&x);
  if (ptr == nullptr)
    return fault::other;
  switch (ptr->result() & 0xff) {
    case SQLITE_FULL:
      return fault::no_space;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fault::busy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: // no such table or column
      return fault::damaged;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      if (system_errno == ENOSPC || system_errno == EDQUOT
          || system_errno == EFBIG)
        return fault::no_space;
      return fault::other;
    default:
      return fault::other;
  }
}

} // namespace turnout::journal
