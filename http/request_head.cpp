#include "http/request_head.hpp"

#include "core/ascii.hpp"

#include <array>
#include <cstdint>

namespace turnout {

namespace {

constexpr std::string_view line_end = "\r\n";

constexpr std::string_view version = " HTTP/1.1\r\n";

/// Longer heads are rare, and their limits are the parser's.
constexpr size_t max_scanned = 16 * 1024;

/// Whether a byte may be in a name here: fewer than may be in general.
constexpr auto is_name_char = [] {
  std::array<bool, 256> result{};
  for (auto c = 'a'; c <= 'z'; ++c)
    result[static_cast<uint8_t>(c)] = true;
  for (auto c = 'A'; c <= 'Z'; ++c)
    result[static_cast<uint8_t>(c)] = true;
  for (auto c = '0'; c <= '9'; ++c)
    result[static_cast<uint8_t>(c)] = true;
  result['-'] = true;
  result['_'] = true;
  return result;
}();

/// Returns whether a header changes where the message or the connection ends.
bool is_about_framing(std::string_view name) noexcept {
  switch (name.size()) {
    case 7:
      return equals_folded(name, "upgrade");
    case 14:
      return equals_folded(name, "content-length");
    case 16:
      return equals_folded(name, "proxy-connection");
    case 17:
      return equals_folded(name, "transfer-encoding");
    default:
      // The library takes longer names for this one too, and refuses them.
      return name.size() > 17
             && equals_folded(name.substr(0, 17), "transfer-encoding");
  }
}

/// Takes "name: value" and the line's end off `rest`; false for what is not
/// plain.
bool take_field(std::string_view& rest, request_head& head) noexcept {
  size_t colon = 0;
  while (colon < rest.size() && is_name_char[static_cast<uint8_t>(rest[colon])])
    ++colon;
  if (colon == 0 || colon == rest.size() || rest[colon] != ':')
    return false;
  const auto name = rest.substr(0, colon);
  const auto end = rest.find('\r', colon + 1);
  if (end == std::string_view::npos)
    return false;
  auto value = rest.substr(colon + 1, end - colon - 1);
  rest.remove_prefix(end);
  if (!rest.starts_with(line_end) || !is_printable(value)
      || is_about_framing(name))
    return false;
  rest.remove_prefix(line_end.size());
  if (!equals_folded(name, "connection"))
    return true;
  while (value.starts_with(' '))
    value.remove_prefix(1);
  head.keep_alive = true;
  return equals_folded(value, "keep-alive");
}

} // namespace

std::optional<request_head> scan_request_head(std::string_view data) noexcept {
  if (data.size() > max_scanned)
    return std::nullopt;
  request_head result;
  auto rest = data;
  if (rest.starts_with("GET /")) {
    rest.remove_prefix(4);
  } else if (rest.starts_with("HEAD /")) {
    rest.remove_prefix(5);
    result.is_head = true;
  } else {
    return std::nullopt;
  }
  const auto end = rest.find(' ');
  if (end == std::string_view::npos)
    return std::nullopt;
  result.target = rest.substr(0, end);
  rest.remove_prefix(end);
  if (!rest.starts_with(version) || !is_printable(result.target))
    return std::nullopt;
  rest.remove_prefix(version.size());
  const auto* begin = rest.data();
  while (!rest.starts_with(line_end))
    if (!take_field(rest, result))
      return std::nullopt;
  result.fields = {begin, static_cast<size_t>(rest.data() - begin)};
  rest.remove_prefix(line_end.size());
  result.size = data.size() - rest.size();
  return result;
}

} // namespace turnout
