#include "journal/recovery.hpp"

#include "journal/fault.hpp"
#include "journal/segment_format.hpp"
#include "journal/source.hpp"

#include <algorithm>

namespace turnout::journal {

caf::error set_aside_and_report(const segment_file& x, const std::string& why,
                                const report_function& report) {
  if (auto err = set_aside(x.path))
    return err;
  if (report)
    report("segment " + x.path.string() + " is damaged (" + why
           + ") and was renamed to *.corrupt; all events that could be read of"
             " it went to the store");
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
    try {
      source from{*i};
      // The newest one says whether the machine stopped meanwhile.
      if (i == segments->rbegin()) {
        const auto boot = from.boot();
        complete = !boot.empty() && boot == boot_id();
      }
      result.last = from.last(source::damage::is_skipped);
      const auto& why = from.found_damage();
      if (why.empty())
        continue;
      complete = false;
      if (result.last == 0) {
        if (auto err = set_aside_and_report(*i, why, report))
          return err;
      } else if (report) {
        report("segment " + i->path.string() + " is damaged (" + why
               + "); what can be read of it goes to the store");
      }
    } catch (const segment_error& x) {
      return make_error(ec::journal, "cannot use segment " + i->path.string()
                                       + ": " + x.what());
    }
  }
  result.reserved = std::max(result.reserved, result.last);
  if (!complete)
    result.reserved += position_span;
  return result;
}

} // namespace turnout::journal
