#include "journal/fault.hpp"
#include "journal/journal.hpp"
#include "journal/recovery.hpp"
#include "journal/source.hpp"

#include <map>

namespace turnout::journal {

namespace fs = std::filesystem;

namespace {

class segment_reader final : public reader {
public:
  using reader::read;

  segment_reader(const fs::path& dir, report_function report)
    : x_dir(dir), x_report(std::move(report)) {
    // nop
  }

  caf::expected<std::vector<int>> journals() override {
    auto segments = list_segments(x_dir);
    if (!segments)
      return std::move(segments.error());
    std::vector<int> result;
    for (auto& x : *segments)
      if (result.empty() || result.back() != x.journal)
        result.push_back(x.journal);
    return result;
  }

  caf::expected<size_t>
  read(int journal, int64_t position, size_t max,
       const std::function<void(const entry&)>& f) override {
    // Listed first: all but the newest of these get no more events.
    auto segments = list_segments(x_dir, journal);
    if (!segments)
      return std::move(segments.error());
    size_t result = 0;
    for (size_t i = 0; i < segments->size() && result < max; ++i) {
      auto newest = i + 1 == segments->size();
      if (!newest && (*segments)[i + 1].first <= position + 1)
        continue;
      if (auto err
          = read_segment((*segments)[i], newest, position, max, f, result)) {
        // What was readable goes first; the rest is met again next time.
        if (result > 0)
          return result;
        return err;
      }
    }
    return result;
  }

  caf::error trim(int journal, int64_t position) override {
    auto segments = list_segments(x_dir, journal);
    if (!segments)
      return std::move(segments.error());
    for (size_t i = 0; i + 1 < segments->size(); ++i) {
      auto& x = (*segments)[i];
      if (x.first > position + 1)
        break;
      // The name of the next one tells the end, or an end that is too late
      // when positions were left out.
      if ((*segments)[i + 1].first > position + 1) {
        auto has_more = false;
        if (auto err = with(x, [&](source& y) {
              has_more = y.has_after(position, source::damage::is_skipped);
            })) {
          if (is_gone(x.path))
            continue;
          return err;
        }
        if (has_more)
          break;
      }
      if (auto err = leave(x))
        return err;
    }
    return caf::error{};
  }

  int64_t bytes() override {
    int64_t result = 0;
    if (auto segments = list_segments(x_dir))
      for (auto& x : *segments)
        result += segment_bytes(x.path);
    return result;
  }

private:
  caf::error read_segment(const segment_file& x, bool is_newest,
                          int64_t position, size_t max,
                          const std::function<void(const entry&)>& f,
                          size_t& count) {
    const auto before = count;
    std::string damage;
    auto is_readable = false;
    // The writer may be about to mend the newest one, or to leave it.
    const auto mode
      = is_newest ? source::damage::stops : source::damage::is_skipped;
    auto err = with(x, [&](source& y) {
      y.read(position, max - before, mode, [&](const entry& z) {
        ++count;
        f(z);
      });
      damage = y.found_damage();
      is_readable = count > before || y.has_passed_any();
    });
    if (err)
      // A writer takes back a segment that it could not use.
      return is_gone(x.path) ? caf::error{} : err;
    if (damage.empty() || is_newest)
      return caf::error{};
    if (!is_readable)
      return set_aside(x, damage);
    // What can be read of it must be stored first, see `leave`.
    x_damaged[x.path] = damage;
    return caf::error{};
  }

  // Calls `f` with the open segment.
  template <class F>
  caf::error with(const segment_file& x, F f) {
    auto& open = x_open[x.journal];
    try {
      if (!open || open->place().path != x.path) {
        open.reset();
        open = std::make_unique<source>(x);
      }
      f(*open);
      return caf::error{};
    } catch (const segment_error& y) {
      open.reset();
      return make_error(ec::journal, "cannot read segment " + x.path.string()
                                       + ": " + y.what());
    }
  }

  // Deletes a segment whose events are stored, unless something in it could not
  // be read.
  caf::error leave(const segment_file& x) {
    if (auto i = x_damaged.find(x.path); i != x_damaged.end())
      return set_aside(x, i->second);
    forget(x);
    return remove_segment(x.path);
  }

  caf::error set_aside(const segment_file& x, const std::string& damage) {
    if (auto err = set_aside_and_report(x, damage, x_report))
      return err;
    forget(x);
    return caf::error{};
  }

  void forget(const segment_file& x) {
    x_damaged.erase(x.path);
    if (auto i = x_open.find(x.journal);
        i != x_open.end() && i->second && i->second->place().path == x.path)
      x_open.erase(i);
  }

  fs::path x_dir;
  report_function x_report;
  // The segment in use of each journal.
  std::map<int, std::unique_ptr<source>> x_open;
  // What is wrong with segments of which something was read.
  std::map<fs::path, std::string> x_damaged;
};

} // namespace

caf::expected<std::vector<entry>> reader::read(int journal, int64_t position,
                                               size_t max) {
  std::vector<entry> result;
  auto count = read(journal, position, max,
                    [&](const entry& x) { result.push_back(x); });
  if (!count)
    return std::move(count.error());
  return result;
}

caf::expected<std::unique_ptr<reader>> reader::open(const fs::path& dir,
                                                    report_function report) {
  if (auto err = make_private_directory(dir))
    return err;
  return std::unique_ptr<reader>{
    std::make_unique<segment_reader>(dir, std::move(report))};
}

} // namespace turnout::journal
