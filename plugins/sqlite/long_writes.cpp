#include "plugins/sqlite/long_writes.hpp"

#include "core/core_turn.hpp"

#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/resource.h>

#include <atomic>

namespace turnout::sqlite {

using namespace sqlite_api;

namespace {

using write_function = decltype(sqlite3_io_methods::xWrite);

/// How SQLite writes to files of its default VFS.
std::atomic<write_function> plain_write = nullptr;

/// Returns whether this thread has a lower priority than others: there is
/// somebody to give way to, and nobody waits for it.
bool is_background() noexcept {
  return getpriority(PRIO_PROCESS, 0) > 0;
}

int write_page(sqlite3_file* file, const void* bytes, int size,
               sqlite3_int64 offset) {
  thread_local core_turn turn;
  if (turn.is_over() && is_background())
    turn.yield();
  return plain_write.load()(file, bytes, size, offset);
}

/// The methods of one kind of files, with our `write_page`.
class yielding_methods {
public:
  explicit yielding_methods(const sqlite3_io_methods& plain)
    : x_plain(&plain), x_yielding(plain) {
    write_function known = nullptr;
    if (plain_write.compare_exchange_strong(known, plain.xWrite)
        || known == plain.xWrite)
      x_yielding.xWrite = write_page;
  }

  void replace(sqlite3_file& file) const noexcept {
    if (file.pMethods == x_plain)
      file.pMethods = &x_yielding;
  }

private:
  const sqlite3_io_methods* x_plain;
  sqlite3_io_methods x_yielding;
};

/// @tparam Which SQLite's code for a file of a connection. The file and the log
///         have different methods, as only one of them is locked, but one way
///         to write.
template <int Which>
void replace_methods(sqlite3* db) noexcept {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(db, "main", Which, &file) != SQLITE_OK
      || file == nullptr || file->pMethods == nullptr)
    return;
  static const yielding_methods methods{*file->pMethods};
  methods.replace(*file);
}

} // namespace

void yield_in_long_writes(sqlite3* db) noexcept {
  replace_methods<SQLITE_FCNTL_FILE_POINTER>(db);
  replace_methods<SQLITE_FCNTL_JOURNAL_POINTER>(db);
}

} // namespace turnout::sqlite
