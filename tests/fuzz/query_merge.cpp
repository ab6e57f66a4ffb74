// What a visit's query adds to a destination. The first line is the
// destination, the rest the query.

#include "core/query.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <string>

using namespace turnout;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view query{reinterpret_cast<const char*>(data), size};
  const auto destination = fuzz::take_line(query);
  const auto base = destination.substr(0, destination.find('#'));
  const auto fragment = destination.substr(base.size());
  const auto merged = merge_query(destination, query);
  // The owner's address stays as it is, before and behind what is added.
  HOLDS(merged.starts_with(base));
  HOLDS(merged.ends_with(fragment));
  HOLDS(merged.size() >= destination.size());
  const auto added = std::string_view{merged}.substr(
    base.size(), merged.size() - base.size() - fragment.size());
  // Nothing that could end the header or begin a fragment.
  HOLDS(std::none_of(added.begin(), added.end(), [](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return byte <= 0x20 || byte == 0x7f || c == '#';
  }));
  if (!added.empty())
    HOLDS(merged.substr(0, merged.find('#')).find('?') != std::string::npos);
  // Once there, all names are the owner's.
  HOLDS(merge_query(merged, query) == merged);
  // Bytes that need no encoding are all there, in their order.
  if (base.find('?') == std::string_view::npos
      && query.find_first_not_of('&') != std::string_view::npos
      && std::all_of(query.begin(), query.end(), [](char c) {
           const auto byte = static_cast<uint8_t>(c);
           return byte > 0x20 && byte != 0x7f && c != '#';
         }))
    HOLDS(added == "?" + std::string{query});
  HOLDS(merge_query(destination, "") == destination);
  return 0;
}
