#include "journal/schema.hpp"

#include "core/time.hpp"
#include "journal/connection.hpp"

#include <unistd.h>

#include <fstream>

namespace turnout::journal {

namespace fs = std::filesystem;

namespace {

// Without any index but the order of positions: each would cost more than the
// rest of the insert. NULL stands for what a kind does not have. A uuid is two
// integers, its first and its last 8 bytes; times are microseconds since 1970.
constexpr auto events_table = R"(
CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  id_hi INTEGER,
  id_lo INTEGER,
  link_key INTEGER,
  variant_key INTEGER,
  stratum INTEGER,
  is_repeat INTEGER,
  visitor INTEGER,
  ip_address TEXT,
  user_agent TEXT,
  referrer TEXT,
  country TEXT,
  reason TEXT,
  link_id_hi INTEGER,
  link_id_lo INTEGER,
  click_id_hi INTEGER,
  click_id_lo INTEGER,
  variant_id_hi INTEGER,
  variant_id_lo INTEGER,
  visitor_before INTEGER,
  event_id TEXT,
  value TEXT,
  currency TEXT,
  occurred_at INTEGER,
  may_be_unattributed INTEGER
))";

// One row: who made the segment, and when.
constexpr auto segment_table = R"(
CREATE TABLE segment (
  boot_id TEXT NOT NULL,
  pid INTEGER NOT NULL,
  created_at INTEGER NOT NULL
))";

fs::path unfinished(const fs::path& dir, int journal) {
  return dir / (std::to_string(journal) + ".new");
}

} // namespace

void create_segment(const segment_file& x) {
  auto dir = x.path.parent_path();
  remove_unfinished(dir, x.journal);
  auto draft = unfinished(dir, x.journal);
  {
    connection db{draft, access::create};
    auto& sql = db.sql();
    std::string mode;
    sql << "PRAGMA page_size = " << page_size;
    sql << "PRAGMA journal_mode = OFF", soci::into(mode);
    sql << "PRAGMA user_version = " << segment_format;
    soci::transaction tx{sql};
    sql << events_table;
    sql << segment_table;
    auto boot = boot_id();
    long long pid = ::getpid();
    long long created = to_micros(now());
    sql << "INSERT INTO segment VALUES (:boot, :pid, :created)",
      soci::use(boot), soci::use(pid), soci::use(created);
    tx.commit();
    sql << "PRAGMA journal_mode = WAL", soci::into(mode);
    if (mode != "wal")
      throw segment_error{fault::other,
                          "SQLite refuses WAL mode on this file system"};
  }
  // Nothing is in a -wal yet, so the main file alone is the segment.
  fs::rename(draft, x.path);
  remove_unfinished(dir, x.journal);
}

void remove_unfinished(const fs::path& dir, int journal) {
  for (auto ending : {"", "-wal", "-shm", "-journal"}) {
    auto path = unfinished(dir, journal);
    path += ending;
    std::error_code ignored;
    fs::remove(path, ignored);
  }
}

std::string boot_id() {
  std::string result;
  std::ifstream in{"/proc/sys/kernel/random/boot_id"};
  std::getline(in, result);
  return result;
}

} // namespace turnout::journal
