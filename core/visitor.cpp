#include "core/visitor.hpp"

#include "core/ascii.hpp"
#include "core/utf8.hpp"

#include <algorithm>
#include <array>

namespace turnout {

namespace {

constexpr size_t max_referrer = 2048;

constexpr size_t max_host = 253;

std::string_view trim(std::string_view x) noexcept {
  auto begin = x.find_first_not_of(' ');
  if (begin == std::string_view::npos)
    return {};
  return x.substr(begin, x.find_last_not_of(' ') - begin + 1);
}

/// Whether a byte may be in the name of a host.
constexpr auto is_host_char = [] {
  std::array<bool, 256> result{};
  for (size_t i = 0; i < result.size(); ++i) {
    const auto c = to_lower(static_cast<char>(i));
    result[i] = (c >= 'a' && c <= 'z') || is_digit(c) || c == '.' || c == '-'
                || c == '_' || i >= 0x80;
  }
  return result;
}();

/// Returns how many bytes at the begin of a text may be the name of a host.
size_t length_of_host(std::string_view x) noexcept {
  size_t result = 0;
  while (result < x.size() && is_host_char[static_cast<uint8_t>(x[result])])
    ++result;
  return result;
}

bool is_address_char(char c) noexcept {
  c = to_lower(c);
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == ':'
         || c == '.';
}

/// What tells where a referrer came from.
struct origin {
  /// Host without port, or the package of an app; in either case.
  std::string_view name;
  bool is_app = false;
};

/// Finds the origin of a referrer, in its text; nullopt for junk.
std::optional<origin> origin_of(std::string_view referrer) {
  origin result;
  if (starts_with_folded(referrer, "https://"))
    referrer.remove_prefix(8);
  else if (starts_with_folded(referrer, "http://"))
    referrer.remove_prefix(7);
  else if (starts_with_folded(referrer, "android-app://")) {
    referrer.remove_prefix(14);
    result.is_app = true;
  } else
    return std::nullopt;
  constexpr std::string_view ends_of_host = "/?#";
  auto host = referrer.substr(0, length_of_host(referrer));
  std::string_view rest;
  // Nearly always that is all there is.
  if (host.size() < referrer.size()
      && ends_of_host.find(referrer[host.size()]) == std::string_view::npos) {
    host = referrer.substr(0, referrer.find_first_of(ends_of_host));
    if (auto at = host.rfind('@'); at != std::string_view::npos)
      host.remove_prefix(at + 1);
    auto end = length_of_host(host);
    if (host.starts_with('[')) {
      end = host.find(']');
      if (end == std::string_view::npos
          || !std::all_of(host.begin() + 1,
                          host.begin() + static_cast<ptrdiff_t>(end),
                          is_address_char))
        return std::nullopt;
      ++end;
    }
    rest = host.substr(end);
    host = host.substr(0, end);
  }
  if (host.ends_with('.'))
    host.remove_suffix(1);
  if (host.empty() || host == "[]" || host.size() > max_host
      || (!rest.empty()
          && (rest.front() != ':'
              || rest.find_first_not_of("0123456789", 1)
                   != std::string_view::npos)))
    return std::nullopt;
  result.name = host;
  return result;
}

} // namespace

std::string clean_text(std::string_view text, size_t max_bytes) {
  // Nearly every text of a visit is plain, and visits are many.
  const auto head = text.substr(0, max_bytes);
  if (is_printable(head))
    return std::string{head};
  std::string result;
  result.reserve(std::min(text.size(), max_bytes));
  while (!text.empty()) {
    auto [code, size] = first_char(text);
    if (size == 0) {
      text.remove_prefix(1);
      continue;
    }
    if (!is_control(code)) {
      if (result.size() + size > max_bytes)
        break;
      result += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return result;
}

std::string clean_referrer(std::string_view referrer,
                           std::string_view own_host) {
  auto result = clean_text(trim(referrer), max_referrer);
  auto from = origin_of(result);
  if (!from || (!from->is_app && equals_folded(from->name, own_host)))
    return {};
  return result;
}

std::string referrer_class(std::string_view referrer) {
  auto from = origin_of(referrer);
  if (!from)
    return "unknown";
  constexpr std::string_view www = "www.";
  if (!from->is_app && starts_with_folded(from->name, www)
      && from->name.size() > www.size())
    from->name.remove_prefix(www.size());
  return lowered(from->name);
}

bool is_prefetch(const purpose_headers& x) noexcept {
  auto tells = [](std::string_view value) {
    return contains_folded(value, "prefetch")
           || contains_folded(value, "prerender")
           || contains_folded(value, "preview");
  };
  return tells(x.sec_purpose) || tells(x.purpose) || tells(x.x_moz);
}

} // namespace turnout
