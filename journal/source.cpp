#include "journal/source.hpp"

#include "journal/schema.hpp"

namespace turnout::journal {

source::source(const segment_file& file)
  : x_file(file),
    x_db(file.path, access::read),
    x_rows((x_db.check_format(), x_db)) {
  // nop
}

int64_t source::last() {
  long long result = 0;
  x_db.sql() << "SELECT coalesce(max(position), 0) FROM events",
    soci::into(result);
  if (result != 0) {
    x_after = 0;
    check(result);
  }
  return result;
}

std::string source::boot() {
  std::string result;
  x_db.sql() << "SELECT coalesce(max(boot_id), '') FROM segment",
    soci::into(result);
  return result;
}

void source::check(int64_t position) const {
  if (position <= x_after || position < x_file.first
      || position - x_file.first >= position_span)
    throw segment_error{fault::damaged,
                        "impossible position " + std::to_string(position)};
}

} // namespace turnout::journal
