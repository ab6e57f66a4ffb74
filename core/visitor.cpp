#include "core/visitor.hpp"

#include "core/ascii.hpp"
#include "core/utf8.hpp"

#include <algorithm>

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

bool is_host_char(char c) noexcept {
  c = to_lower(c);
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.'
         || c == '-' || c == '_' || static_cast<uint8_t>(c) >= 0x80;
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
  if (starts_with_folded(referrer, "http://"))
    referrer.remove_prefix(7);
  else if (starts_with_folded(referrer, "https://"))
    referrer.remove_prefix(8);
  else if (starts_with_folded(referrer, "android-app://")) {
    referrer.remove_prefix(14);
    result.is_app = true;
  } else
    return std::nullopt;
  auto host = referrer.substr(0, referrer.find_first_of("/?#"));
  if (auto at = host.rfind('@'); at != std::string_view::npos)
    host.remove_prefix(at + 1);
  std::string_view rest;
  if (host.starts_with('[')) {
    auto end = host.find(']');
    if (end == std::string_view::npos
        || !std::all_of(host.begin() + 1,
                        host.begin() + static_cast<ptrdiff_t>(end),
                        is_address_char))
      return std::nullopt;
    rest = host.substr(end + 1);
    host = host.substr(0, end + 1);
  } else {
    rest = host.substr(std::min(host.find(':'), host.size()));
    host = host.substr(0, host.size() - rest.size());
    if (host.ends_with('.'))
      host.remove_suffix(1);
    if (!std::all_of(host.begin(), host.end(), is_host_char))
      return std::nullopt;
  }
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
