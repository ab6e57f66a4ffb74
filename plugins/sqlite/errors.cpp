#include "plugins/sqlite/errors.hpp"

#include <soci/sqlite3/soci-sqlite3.h>
#include <sqlite3.h>

namespace turnout::sqlite {

namespace {

const char* reason(int result) {
  switch (result) {
    case SQLITE_FULL:
      return "the disk of the data directory is full. Free some space on it.";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process has locked turnout.db for too long. Stop what "
             "else works on it, such as a backup or an open database shell.";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "turnout.db is damaged or not a database. Restore it from a "
             "backup.";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "turnout.db must not be written. Check the owner and permissions "
             "of the data directory and of the files in it.";
    case SQLITE_CANTOPEN:
      return "turnout.db cannot be opened. Check that the data directory "
             "exists and belongs to the user who runs Turnout.";
    case SQLITE_IOERR:
      return "reading or writing turnout.db failed. Check the disk of the data "
             "directory.";
    case SQLITE_NOMEM:
      return "there is not enough memory.";
    case SQLITE_ERROR:
    case SQLITE_SCHEMA:
      return "turnout.db does not have the expected tables. Run `turnout "
             "migrate`.";
    default:
      return "SQLite refused it. Run `turnout verify` to check turnout.db.";
  }
}

} // namespace

caf::error translate(int sqlite_result, const std::string& what) {
  auto result = sqlite_result & 0xff;
  auto code = result == SQLITE_CONSTRAINT ? ec::conflict : ec::unavailable;
  if (code == ec::conflict)
    return make_error(code, "Cannot " + what
                              + ": it contradicts what is stored already.");
  return make_error(code, "Cannot " + what + ": " + reason(result));
}

void fail_as_damaged() {
  throw soci::sqlite3_soci_error{"Packed bytes are damaged.", SQLITE_CORRUPT};
}

} // namespace turnout::sqlite
