#include "journal/journal.hpp"
#include "journal/recovery.hpp"
#include "journal/source.hpp"

#include <cerrno>
#include <map>

namespace turnout::journal {

namespace fs = std::filesystem;

namespace {

class sqlite_reader final : public reader {
public:
  sqlite_reader(const fs::path& dir, report_function report)
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

  caf::expected<std::vector<entry>> read(int journal, int64_t position,
                                         size_t max) override {
    // Listed first: all but the newest of these get no more events.
    auto segments = list_segments(x_dir, journal);
    if (!segments)
      return std::move(segments.error());
    std::vector<entry> result;
    for (size_t i = 0; i < segments->size() && result.size() < max; ++i) {
      auto newest = i + 1 == segments->size();
      if (!newest && (*segments)[i + 1].first <= position + 1)
        continue;
      auto before = result.size();
      auto kind = fault::other;
      std::string why;
      auto ok = guarded((*segments)[i], kind, why, [&](source& x) {
        x.read(position, max - before,
               [&](entry y) { result.push_back(std::move(y)); });
      });
      if (ok || is_gone((*segments)[i]))
        continue;
      // What was readable goes first; the rest is met again next time.
      if (!result.empty()
          && (kind != fault::damaged || newest || result.size() > before))
        return result;
      if (kind != fault::damaged || newest)
        return unreadable((*segments)[i], why);
      if (auto err = set_aside_and_report((*segments)[i], why, x_report))
        return err;
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
        auto kind = fault::other;
        std::string why;
        int64_t last = 0;
        auto ok = guarded(x, kind, why, [&](source& y) { last = y.last(); });
        if (!ok && is_gone(x))
          continue;
        if (!ok)
          return unreadable(x, why);
        if (last > position)
          break;
      }
      forget(x);
      if (auto err = remove_segment(x.path))
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
  // Calls `f` with the open segment; says what went wrong if it throws.
  template <class F>
  bool guarded(const segment_file& file, fault& kind, std::string& why, F f) {
    auto& open = x_open[file.journal];
    errno = 0;
    try {
      if (!open || open->file().path != file.path) {
        open.reset();
        open = std::make_unique<source>(file);
      }
      f(*open);
      return true;
    } catch (const std::exception& x) {
      kind = classify(x, errno);
      why = reason(x);
      open.reset();
      return false;
    }
  }

  void forget(const segment_file& file) {
    if (auto i = x_open.find(file.journal);
        i != x_open.end() && i->second && i->second->file().path == file.path)
      x_open.erase(i);
  }

  // A writer takes back a segment that it could not use.
  static bool is_gone(const segment_file& file) {
    std::error_code err;
    return !fs::exists(file.path, err) && !err;
  }

  static caf::error unreadable(const segment_file& file,
                               const std::string& why) {
    return make_error(ec::journal,
                      "cannot read segment " + file.path.string() + ": " + why);
  }

  fs::path x_dir;
  report_function x_report;
  // The segment in use of each journal.
  std::map<int, std::unique_ptr<source>> x_open;
};

} // namespace

caf::expected<std::unique_ptr<reader>> reader::open(const fs::path& dir,
                                                    report_function report) {
  if (auto err = make_private_directory(dir))
    return err;
  return std::unique_ptr<reader>{
    std::make_unique<sqlite_reader>(dir, std::move(report))};
}

} // namespace turnout::journal
