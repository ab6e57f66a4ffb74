#include "plugins/sqlite/backup.hpp"

#include "plugins/sqlite/errors.hpp"

#include <sqlite3.h>

#include <string>

namespace turnout::sqlite {

namespace {

/// How often a step is tried that found the file locked, and how long each try
/// waits.
constexpr int max_tries = 12;
constexpr int busy_timeout_ms = 5000;

class database {
public:
  database(const std::filesystem::path& file, int flags) {
    x_result = sqlite3_open_v2(file.c_str(), &x_db, flags, nullptr);
    if (x_db != nullptr)
      sqlite3_busy_timeout(x_db, busy_timeout_ms);
  }

  database(const database&) = delete;

  database& operator=(const database&) = delete;

  ~database() {
    sqlite3_close(x_db);
  }

  int result() const noexcept {
    return x_result;
  }

  sqlite3* get() const noexcept {
    return x_db;
  }

private:
  sqlite3* x_db = nullptr;
  int x_result = SQLITE_OK;
};

/// All pages in one step: a read transaction, which holds nobody up who writes
/// to the write-ahead log, while a step that is one of many starts over
/// whenever somebody wrote.
int copy(const database& from, const database& to) {
  auto work = sqlite3_backup_init(to.get(), "main", from.get(), "main");
  if (work == nullptr)
    return sqlite3_errcode(to.get());
  auto result = SQLITE_BUSY;
  for (int i = 0;
       i < max_tries && (result == SQLITE_BUSY || result == SQLITE_LOCKED); ++i)
    result = sqlite3_backup_step(work, -1);
  const auto finished = sqlite3_backup_finish(work);
  return result == SQLITE_DONE ? finished : result;
}

} // namespace

caf::error back_up(const storage::backend_settings& settings,
                   const std::filesystem::path& to) noexcept {
  constexpr auto what = "back the store up";
  const auto dir = settings.data_dir.empty() ? "." : settings.data_dir;
  const database from{std::filesystem::path{dir} / "turnout.db",
                      SQLITE_OPEN_READWRITE};
  if (from.result() != SQLITE_OK)
    return translate(from.result(), what);
  const database target{to / "turnout.db",
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE};
  if (target.result() != SQLITE_OK)
    return make_error(ec::unavailable, std::string{"Cannot "} + what
                                         + ": cannot make "
                                         + (to / "turnout.db").string() + ": "
                                         + sqlite3_errstr(target.result()));
  if (const auto result = copy(from, target); result != SQLITE_OK)
    return make_error(ec::unavailable, std::string{"Cannot "} + what + ": "
                                         + sqlite3_errstr(result));
  return caf::none;
}

} // namespace turnout::sqlite
