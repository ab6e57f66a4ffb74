#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
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

  /// The lines of the headers.
  std::string_view fields;

  /// Sizes of a header's name and of its line, the line's end included.
  struct field {
    uint16_t name;
    uint16_t line;
  };

  static constexpr size_t max_fields = 64;

  /// Of each of the lines; the first `num_fields` count.
  std::array<field, max_fields> sizes{};

  size_t num_fields = 0;

  /// Bytes of the whole head.
  size_t size = 0;

  /// Returns the lines after their sizes, so that `for_each_field` need not
  /// look for anything.
  std::string sized_fields() const;
};

/// Reads the head of a request, several bytes a step. Whatever is not plain
/// (other methods and versions, bodies, upgrades, bytes beyond ASCII, folded or
/// malformed lines) and whatever is not complete is left to the parser of the
/// HTTP library: nullopt does not mean that anything is wrong. What is taken
/// that parser would take in the same way.
std::optional<request_head> scan_request_head(std::string_view data) noexcept;

/// Calls `f(name, value)` for a line "name: value" without its end; white space
/// before a value is not part of it.
template <class F>
void split_field(std::string_view line, size_t colon, F& f) {
  auto value = line.substr(colon + 1);
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t'))
    value.remove_prefix(1);
  f(line.substr(0, colon), value);
}

/// Calls `f(name, value)` for each line "name: value". Lines end with LF or CR
/// LF, the last one with the text. Takes what `request_head::sized_fields`
/// returns, too.
template <class F>
void for_each_field(std::string_view lines, F f) {
  if (lines.starts_with('\0')) {
    const auto count = static_cast<uint8_t>(lines[1]);
    const auto* sizes = lines.data() + 2;
    lines.remove_prefix(2 + count * sizeof(request_head::field));
    for (size_t i = 0; i < count; ++i) {
      request_head::field x;
      std::memcpy(&x, sizes + i * sizeof(x), sizeof(x));
      split_field(lines.substr(0, x.line - 2u), x.name, f);
      lines.remove_prefix(x.line);
    }
    return;
  }
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    auto line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    const auto colon = line.find(':');
    if (colon != std::string_view::npos)
      split_field(line, colon, f);
  }
}

} // namespace turnout
