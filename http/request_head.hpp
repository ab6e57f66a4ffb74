#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace turnout {

/// The head of a request that has no body, as nearly all browsers send it.
struct request_head {
  /// HEAD if set, otherwise GET.
  bool is_head = false;

  /// Whether the client asked for keep-alive, which HTTP/1.1 means anyway.
  bool keep_alive = false;

  /// As sent; begins with a slash.
  std::string_view target;

  /// The lines of the headers, for `for_each_field`.
  std::string_view fields;

  /// Bytes of the whole head.
  size_t size = 0;
};

/// Reads the head of a request, several bytes a step. Whatever is not plain
/// (other methods and versions, bodies, upgrades, bytes beyond ASCII, folded or
/// malformed lines) and whatever is not complete is left to the parser of the
/// HTTP library: nullopt does not mean that anything is wrong. What is taken
/// that parser would take in the same way.
std::optional<request_head> scan_request_head(std::string_view data) noexcept;

/// Calls `f(name, value)` for each line "name: value". Lines end with LF or CR
/// LF, the last one with the text; white space before a value is not part of
/// it.
template <class F>
void for_each_field(std::string_view lines, F f) {
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    auto line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos)
      continue;
    auto value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t'))
      value.remove_prefix(1);
    f(line.substr(0, colon), value);
  }
}

} // namespace turnout
