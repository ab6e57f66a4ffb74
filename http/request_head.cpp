#include "http/request_head.hpp"

#include "core/ascii.hpp"

#include <experimental/simd>

#include <cstdint>

namespace turnout {

namespace {

constexpr std::string_view line_end = "\r\n";

constexpr std::string_view version = " HTTP/1.1\r\n";

/// Longer heads are rare, and their limits are the parser's.
constexpr size_t max_scanned = 16 * 1024;

/// So many bytes of text are looked at at once.
using block = std::experimental::native_simd<uint8_t>;

/// Whether bytes may be in a name here: fewer than may be in general.
constexpr auto is_name_char = [](auto x) {
  using bytes = decltype(x);
  const auto is_letter = static_cast<bytes>((x | 0x20) - int{'a'}) < 26;
  const auto is_digit = static_cast<bytes>(x - int{'0'}) < 10;
  return is_letter || is_digit || x == int{'-'} || x == int{'_'};
};

/// Whether bytes are printable ASCII.
constexpr auto is_plain_char
  = [](auto x) { return static_cast<decltype(x)>(x - 0x20) < 0x5f; };

/// Returns how many bytes at the begin of a text are all such as `is` tells.
template <class F>
size_t length_of(std::string_view x, F is) noexcept {
  const auto* bytes = reinterpret_cast<const uint8_t*>(x.data());
  size_t i = 0;
  for (; x.size() - i >= block::size(); i += block::size()) {
    const block some{bytes + i, std::experimental::element_aligned};
    if (const auto others = !is(some); any_of(others))
      return i + static_cast<size_t>(find_first_set(others));
  }
  while (i < x.size() && is(bytes[i]))
    ++i;
  return i;
}

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
  const auto colon = length_of(rest, is_name_char);
  if (colon == 0 || colon == rest.size() || rest[colon] != ':')
    return false;
  if (head.num_fields == request_head::max_fields)
    return false;
  const auto name = rest.substr(0, colon);
  rest.remove_prefix(colon + 1);
  auto value = rest.substr(0, length_of(rest, is_plain_char));
  rest.remove_prefix(value.size());
  if (!rest.starts_with(line_end) || is_about_framing(name))
    return false;
  rest.remove_prefix(line_end.size());
  head.sizes[head.num_fields++]
    = {static_cast<uint16_t>(colon),
       static_cast<uint16_t>(rest.data() - name.data())};
  if (!equals_folded(name, "connection"))
    return true;
  while (value.starts_with(' '))
    value.remove_prefix(1);
  head.keep_alive = true;
  return equals_folded(value, "keep-alive");
}

} // namespace

std::string request_head::sized_fields() const {
  const auto bytes = num_fields * sizeof(field);
  std::string result;
  result.reserve(2 + bytes + fields.size());
  result += '\0';
  result += static_cast<char>(num_fields);
  result.append(reinterpret_cast<const char*>(sizes.data()), bytes);
  result += fields;
  return result;
}

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
