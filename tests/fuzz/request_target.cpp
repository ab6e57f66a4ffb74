// The first line of a request: path, query, and what handlers read of it.

#include "core/time.hpp"
#include "http/codec/query.hpp"
#include "http/percent.hpp"
#include "http/request.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <string>

using namespace turnout;

namespace {

/// Returns whether `x` is a piece of `whole` and not only equal to one.
bool lies_within(std::string_view x, std::string_view whole) {
  return x.empty()
         || (x.data() >= whole.data()
             && x.data() + x.size() <= whole.data() + whole.size());
}

void check_parts(std::string_view target) {
  request in;
  in.set_target(target);
  HOLDS(in.target == target);
  HOLDS(in.header_bytes == target.size());
  HOLDS(in.path.find('?') == std::string_view::npos);
  HOLDS(in.path.find('#') == std::string_view::npos);
  HOLDS(in.query.find('#') == std::string_view::npos);
  HOLDS(lies_within(in.query, target));
  if (target.starts_with('/')) {
    HOLDS(lies_within(in.path, target));
    // Put together it is what was sent, but for the fragment.
    std::string again{in.path};
    if (target.substr(0, target.find('#')).find('?') != std::string_view::npos)
      again.append("?").append(in.query);
    HOLDS(again == target.substr(0, target.find('#')));
  } else if (target.find("://") != std::string_view::npos) {
    HOLDS(in.path.starts_with('/'));
    // The absolute form is the same as the target within it.
    const auto slash = target.find('/', target.find("://") + 3);
    if (slash != std::string_view::npos
        && target.substr(0, slash).find_first_of("?#")
             == std::string_view::npos) {
      request inner;
      inner.set_target(target.substr(slash));
      HOLDS(inner.path == in.path);
      HOLDS(inner.query == in.query);
    }
  }
  if (const auto decoded = percent_decode(in.path, false)) {
    HOLDS(decoded->size() <= in.path.size());
    HOLDS(in.path.find('%') != std::string_view::npos || *decoded == in.path);
  }
}

void check_parameters(std::string_view target) {
  request in;
  in.set_target(target);
  const query_params query{in.query};
  const auto now = timestamp{std::chrono::seconds{1'800'000'000}};
  if (const auto x = read_paging(query, 20)) {
    HOLDS(x->page >= 1);
    HOLDS(x->per_page >= 1 && x->per_page <= 100);
  } else {
    HOLDS(code_of(x.error()) == ec::bad_request
          || code_of(x.error()) == ec::invalid);
    HOLDS(!detail(x.error()).empty());
  }
  if (const auto x = read_link_selection(query)) {
    HOLDS(x->search.size() <= 4 * 200);
    HOLDS(parse_link_sort(to_string(x->sort)) == x->sort);
  } else {
    HOLDS(code_of(x.error()) == ec::bad_request
          || code_of(x.error()) == ec::invalid);
    HOLDS(!detail(x.error()).empty());
  }
  for (auto length : {range_length::at_most_90_days, range_length::any})
    if (const auto x = read_click_range(query, now, length)) {
      if (x->from && x->until)
        HOLDS(*x->from <= *x->until);
      // 90 whole days, and the day or millisecond that is named last.
      if (x->from && x->until && length == range_length::at_most_90_days)
        HOLDS(*x->until - *x->from <= std::chrono::hours{24 * 91});
    }
  if (const auto x = read_day_range(query, now))
    if (x->from && x->to)
      HOLDS(*x->from <= *x->to);
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view target{reinterpret_cast<const char*>(data), size};
  check_parts(target);
  check_parameters(target);
  return 0;
}
