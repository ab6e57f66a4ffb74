#pragma once

#include "core/error.hpp"
#include "core/event.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace turnout::journal {

/// Anything that is journaled.
using event = std::variant<click, excluded_visit, conversion_request>;

/// An event with its place in the journal.
struct entry {
  int64_t position = 0;
  event what;
};

/// Limits of one journal.
struct limits {
  /// A segment is closed after this many events.
  int64_t events_per_segment = 100'000;
  /// A segment is closed earlier when it has this many bytes, or a quarter of
  /// `max_bytes`.
  int64_t bytes_per_segment = 64ll << 20;
  /// Appending fails when all segments of the journal together have this many
  /// bytes.
  int64_t max_bytes = 4ll << 30;
};

/// Takes the sentence for the operator when something is wrong that does not
/// stop the journal, such as a segment that a power cut left damaged and that
/// was set aside. Called on the thread of the reader or writer.
using report_function = std::function<void(const std::string&)>;

/// The writing end of one journal: an append-only sequence of events in files
/// ("segments") of one directory, used by one thread. A closed segment is
/// never written again, so the reader never waits for the writer nor the other
/// way round. Commits survive a kill of the process at once and a power cut
/// after the next `sync_all`.
class writer {
public:
  /// Opens journal `number` in `dir`. Segments that a former process left are
  /// kept for the reader; writing goes on in a new one, after their last
  /// position and after `stored` (the position the store knows, 0 if unknown).
  /// Positions rise but may have gaps: after a failed commit, and after a
  /// reboot, which may have taken events that the store has already. A damaged
  /// newest segment is read as far as possible or renamed to *.corrupt. A full
  /// disk is no reason to fail here; the commits fail until it has space.
  static caf::expected<std::unique_ptr<writer>>
  open(const std::filesystem::path& dir, int number, int64_t stored,
       const limits& bounds, report_function report = {});

  virtual ~writer() = default;

  /// Adds an event to the turn that is committed next. Cheap: no I/O. NUL
  /// characters in its texts are left out.
  virtual void append(const event& x) = 0;

  /// Returns how many events wait for `commit`.
  virtual size_t pending() const noexcept = 0;

  /// Writes the appended events, all or none. On failure (disk full, bound
  /// reached) none is written, they are forgotten, and the error says
  /// why; the next commit tries anew.
  virtual caf::error commit() = 0;

  /// Position of the last committed event, or `stored` when that is greater;
  /// readable from any thread.
  virtual int64_t last_position() const noexcept = 0;

  /// Bytes of the segment in use; readable from any thread.
  virtual int64_t bytes() const noexcept = 0;
};

/// The reading end of all journals of a directory, used by one thread, in the
/// process of the writers or after it.
class reader {
public:
  static caf::expected<std::unique_ptr<reader>>
  open(const std::filesystem::path& dir, report_function report = {});

  virtual ~reader() = default;

  /// Returns the numbers of the journals that have segments, also those of a
  /// former run with more reactors.
  virtual caf::expected<std::vector<int>> journals() = 0;

  /// Calls `f` with at most `max` committed events of a journal after
  /// `position`, oldest first, and returns how many that were. What `f` gets is
  /// there until it returns. Of a closed segment that is damaged all commits
  /// are read that are whole. An error means that `f` was not called.
  virtual caf::expected<size_t> read(int journal, int64_t position, size_t max,
                                     const std::function<void(const entry&)>& f)
    = 0;

  /// Returns them.
  caf::expected<std::vector<entry>> read(int journal, int64_t position,
                                         size_t max);

  /// Deletes the closed segments whose events all lie at or before `position`;
  /// those that are damaged are renamed to *.corrupt and reported. The newest
  /// segment stays, so that positions never start over.
  virtual caf::error trim(int journal, int64_t position) = 0;

  /// Bytes of all segments of all journals, without those set aside.
  virtual int64_t bytes() = 0;
};

/// Forces what was committed in any journal of `dir` to the disk. Called about
/// once a second from a thread that may block.
caf::error sync_all(const std::filesystem::path& dir);

} // namespace turnout::journal
