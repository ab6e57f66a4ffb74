#include "journal/recovery.hpp"

#include "journal/schema.hpp"
#include "journal/source.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>

namespace turnout::journal {

namespace {

// For a damaged segment, whose end cannot be looked up.
int64_t last_readable(source& from) {
  int64_t result = 0;
  try {
    from.read(0, std::numeric_limits<int32_t>::max(),
              [&](const entry& x) { result = x.position; });
  } catch (const std::exception&) {
    // The end of what is readable.
  }
  return result;
}

} // namespace

caf::error set_aside_and_report(const segment_file& x, const std::string& why,
                                const report_function& report) {
  if (auto err = set_aside(x.path))
    return err;
  if (report)
    report("segment " + x.path.string() + " is damaged (" + why
           + ") and was renamed to *.corrupt; `sqlite3 FILE .recover` may show"
             " what is left in it");
  return caf::error{};
}

caf::expected<past> look_back(const std::filesystem::path& dir, int journal,
                              const report_function& report) {
  auto segments = list_segments(dir, journal);
  if (!segments)
    return std::move(segments.error());
  past result;
  if (segments->empty())
    return result;
  result.reserved = segments->back().first;
  // Whether nothing can have got lost. A power cut may take events that the
  // store has already and whose positions it would not take again, and damage
  // hides how many there were.
  auto complete = true;
  // The newest segment with an event knows the last position. Damage to older
  // ones is met by the reader.
  for (auto i = segments->rbegin(); i != segments->rend() && result.last == 0;
       ++i) {
    std::unique_ptr<source> from;
    errno = 0;
    try {
      from = std::make_unique<source>(*i);
      // The newest one says whether the machine stopped meanwhile.
      if (i == segments->rbegin()) {
        auto boot = from->boot();
        complete = !boot.empty() && boot == boot_id();
      }
      result.last = from->last();
    } catch (const std::exception& x) {
      if (classify(x, errno) != fault::damaged)
        return make_error(ec::journal, "cannot use segment " + i->path.string()
                                         + ": " + reason(x));
      complete = false;
      if (from)
        result.last = last_readable(*from);
      from.reset();
      if (result.last == 0) {
        if (auto err = set_aside_and_report(*i, reason(x), report))
          return err;
      } else if (report) {
        report("segment " + i->path.string() + " is damaged (" + reason(x)
               + "); it is readable up to position "
               + std::to_string(result.last));
      }
    }
  }
  result.reserved = std::max(result.reserved, result.last);
  if (!complete)
    result.reserved += position_span;
  return result;
}

} // namespace turnout::journal
