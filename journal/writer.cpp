#include "journal/columns.hpp"
#include "journal/connection.hpp"
#include "journal/files.hpp"
#include "journal/journal.hpp"
#include "journal/recovery.hpp"
#include "journal/schema.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>
#include <optional>

namespace turnout::journal {

namespace fs = std::filesystem;

namespace {

// The events of the turn that is not committed yet.
struct turn {
  click_columns clicks;
  excluded_columns excluded;
  conversion_columns conversions;
  int64_t first = 0;
  size_t size = 0;

  void clear() {
    clicks.clear();
    excluded.clear();
    conversions.clear();
    size = 0;
  }

  // Gives each event the next position.
  void shift() {
    ++first;
    for (auto xs :
         {&clicks.position, &excluded.position, &conversions.position})
      for (auto& x : *xs)
        ++x;
  }
};

// The segment in use. The statements refer to the columns of the turn.
class open_segment {
public:
  open_segment(const segment_file& file, turn& events)
    : x_file(file),
      x_db(file.path, access::write),
      x_begin((x_db.sql().prepare << "BEGIN IMMEDIATE")),
      x_commit((x_db.sql().prepare << "COMMIT")),
      x_clicks(events.clicks.insert_into(x_db.sql())),
      x_excluded(events.excluded.insert_into(x_db.sql())),
      x_conversions(events.conversions.insert_into(x_db.sql())) {
    // SQLite counts the pages of the -wal for its own automatic checkpoint,
    // whose place this takes.
    sqlite_api::sqlite3_wal_hook(x_db.raw(), count_pages, &x_wal_pages);
    x_main_bytes = segment_bytes(file.path);
  }

  const segment_file& file() const noexcept {
    return x_file;
  }

  int64_t events() const noexcept {
    return x_events;
  }

  int64_t bytes() const noexcept {
    return x_main_bytes + wal_bytes(x_wal_pages);
  }

  // Writes the turn; throws, and then nothing of it is written.
  void write(const turn& events) {
    // A single statement is a transaction by itself.
    auto one = events.size == 1;
    errno = 0;
    try {
      if (!one)
        x_begin.execute(true);
      if (!events.clicks.position.empty())
        x_clicks.execute(true);
      if (!events.excluded.position.empty())
        x_excluded.execute(true);
      if (!events.conversions.position.empty())
        x_conversions.execute(true);
      if (!one)
        x_commit.execute(true);
    } catch (const std::exception& x) {
      x_kind = classify(x, errno);
      roll_back();
      throw;
    }
    x_events += static_cast<int64_t>(events.size);
  }

  // What the exception of the last `write` means.
  fault kind() const noexcept {
    return x_kind;
  }

private:
  static int count_pages(void* pages, sqlite_api::sqlite3*, const char*,
                         int n) {
    *static_cast<int*>(pages) = n;
    return SQLITE_OK;
  }

  void roll_back() noexcept {
    // SQLite may have done it already.
    if (sqlite_api::sqlite3_get_autocommit(x_db.raw()) != 0)
      return;
    try {
      x_db.sql().rollback();
    } catch (const std::exception&) {
      // The connection is given up by the caller, which rolls back too.
      x_kind = fault::other;
    }
  }

  segment_file x_file;
  connection x_db;
  soci::statement x_begin;
  soci::statement x_commit;
  soci::statement x_clicks;
  soci::statement x_excluded;
  soci::statement x_conversions;
  int64_t x_events = 0;
  int64_t x_main_bytes = 0;
  int x_wal_pages = 0;
  fault x_kind = fault::other;
};

class sqlite_writer final : public writer {
public:
  sqlite_writer(const fs::path& dir, int number, const limits& bounds,
                int64_t last, int64_t reserved)
    : x_dir(dir),
      x_number(number),
      x_bounds(bounds),
      x_next(reserved + 1),
      x_last(last) {
    // A segment in use cannot be trimmed, so it must not fill the journal.
    x_bounds.bytes_per_segment
      = std::min(x_bounds.bytes_per_segment, x_bounds.max_bytes / 4);
  }

  void append(event x) override {
    // Positions of a failed commit are not given to other events, since the
    // failure may have come after the write.
    auto at = x_next++;
    if (x_turn.size++ == 0)
      x_turn.first = at;
    if (auto ptr = std::get_if<click>(&x))
      x_turn.clicks.push(at, std::move(*ptr));
    else if (auto ptr = std::get_if<excluded_visit>(&x))
      x_turn.excluded.push(at, *ptr);
    else
      x_turn.conversions.push(at, std::move(std::get<conversion_request>(x)));
  }

  size_t pending() const noexcept override {
    return x_turn.size;
  }

  caf::error commit() override {
    if (x_turn.size == 0)
      return caf::error{};
    auto result = commit_turn();
    if (!result)
      x_last.store(x_next - 1, std::memory_order_release);
    x_turn.clear();
    return result;
  }

  int64_t last_position() const noexcept override {
    return x_last.load(std::memory_order_acquire);
  }

  int64_t bytes() const noexcept override {
    return x_bytes.load(std::memory_order_relaxed);
  }

  // Makes and opens a segment that starts at the position.
  caf::error start_segment(int64_t first) {
    auto file = make_segment_file(x_dir, x_number, first);
    errno = 0;
    try {
      create_segment(file);
      x_segment.emplace(file, x_turn);
      publish_bytes();
      x_kind = fault::other;
      return caf::error{};
    } catch (const std::exception& x) {
      x_kind = classify(x, errno);
      x_segment.reset();
      // It has no event.
      remove_unfinished(x_dir, x_number);
      remove_segment(file.path);
      return failure(file.path, reason(x));
    }
  }

  // Learns the bytes of the segments that are not in use.
  caf::error measure() {
    auto segments = list_segments(x_dir, x_number);
    if (!segments)
      return std::move(segments.error());
    x_others = 0;
    for (auto& x : *segments)
      if (!x_segment || x.first != x_segment->file().first)
        x_others += segment_bytes(x.path);
    return caf::error{};
  }

  // What the last error means.
  fault kind() const noexcept {
    return x_kind;
  }

private:
  caf::error commit_turn() {
    auto full = x_segment
                && (x_segment->events() >= x_bounds.events_per_segment
                    || x_segment->bytes() >= x_bounds.bytes_per_segment);
    if (full)
      leave_segment();
    // Before looking at the bound, since the reader trims only what is closed.
    if (!x_segment)
      if (auto err = start_segment(x_turn.first))
        return err;
    if (auto err = check_bound())
      return err;
    auto result = write();
    if (!result || x_kind == fault::no_space)
      return result;
    // Whatever is wrong with this segment, another one may be in order: it is
    // left to the reader.
    auto left = x_segment->file().first;
    leave_segment();
    // Somebody else has it locked, so surely nothing was written.
    if (x_kind != fault::busy)
      return result;
    // No name is used twice: the reader may have the old file open.
    if (x_turn.first == left) {
      x_turn.shift();
      ++x_next;
    }
    if (auto err = start_segment(x_turn.first))
      return err;
    return write();
  }

  caf::error write() {
    try {
      x_segment->write(x_turn);
      publish_bytes();
      return caf::error{};
    } catch (const std::exception& x) {
      x_kind = x_segment->kind();
      return failure(x_segment->file().path, reason(x));
    }
  }

  void leave_segment() {
    x_others += x_segment->bytes();
    auto path = x_segment->events() == 0 ? x_segment->file().path : fs::path{};
    x_segment.reset();
    // A segment without events would only be in the way, most of all when one
    // after the other fails.
    if (!path.empty())
      remove_segment(path);
    publish_bytes();
  }

  caf::error check_bound() {
    if (x_others + bytes() < x_bounds.max_bytes)
      return caf::error{};
    // The reader may have trimmed since.
    if (auto err = measure())
      return err;
    if (x_others + bytes() < x_bounds.max_bytes)
      return caf::error{};
    return make_error(
      ec::journal,
      name() + " is full: its segments have "
        + std::to_string(x_others + bytes()) + " bytes of at most "
        + std::to_string(x_bounds.max_bytes)
        + "; bring the store back, so that it takes the events, or raise the"
          " bound of the journal");
  }

  caf::error failure(const fs::path& path, const std::string& why) const {
    auto text = name() + ": cannot write " + path.string() + ": " + why;
    if (x_kind == fault::no_space)
      text += "; no space is left, free some on the disk of " + x_dir.string();
    return make_error(ec::journal, std::move(text));
  }

  std::string name() const {
    return "journal " + std::to_string(x_number);
  }

  void publish_bytes() {
    x_bytes.store(x_segment ? x_segment->bytes() : 0,
                  std::memory_order_relaxed);
  }

  fs::path x_dir;
  int x_number;
  limits x_bounds;
  turn x_turn;
  // Position of the next event.
  int64_t x_next;
  // Bytes of the segments that are not in use; never too few.
  int64_t x_others = 0;
  fault x_kind = fault::other;
  std::atomic<int64_t> x_last;
  std::atomic<int64_t> x_bytes = 0;
  // Last, as its statements refer to the turn.
  std::optional<open_segment> x_segment;
};

} // namespace

caf::expected<std::unique_ptr<writer>> writer::open(const fs::path& dir,
                                                    int number, int64_t stored,
                                                    const limits& bounds,
                                                    report_function report) {
  if (auto err = make_private_directory(dir))
    return err;
  remove_unfinished(dir, number);
  auto before = look_back(dir, number, report);
  if (!before)
    return std::move(before.error());
  auto reserved = std::max(before->reserved, stored);
  if (number < 0 || reserved > std::numeric_limits<int64_t>::max() / 2)
    return make_error(ec::journal, "journal " + std::to_string(number)
                                     + " has no positions left after "
                                     + std::to_string(reserved));
  auto result = std::make_unique<sqlite_writer>(
    dir, number, bounds, std::max(before->last, stored), reserved);
  // Now, so that what an operator has to mend shows at the start.
  if (auto err = result->start_segment(reserved + 1)) {
    if (result->kind() != fault::no_space)
      return err;
    if (report)
      report(detail(err));
  }
  if (auto err = result->measure())
    return err;
  return std::unique_ptr<writer>{std::move(result)};
}

} // namespace turnout::journal
