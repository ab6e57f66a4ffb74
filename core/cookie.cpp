#include "core/cookie.hpp"

namespace turnout {

namespace {

constexpr std::string_view name_prefix = "svc_v_";

constexpr size_t uuid_length = 36;

constexpr size_t value_length = 2 * uuid_length + 1;

std::string_view trim(std::string_view x) noexcept {
  auto begin = x.find_first_not_of(" \t");
  if (begin == std::string_view::npos)
    return {};
  return x.substr(begin, x.find_last_not_of(" \t") - begin + 1);
}

std::optional<sticky_cookie> parse_value(std::string_view x) noexcept {
  if (x.size() != value_length || x[uuid_length] != '.')
    return std::nullopt;
  auto variant_id = uuid::parse(x.substr(0, uuid_length));
  auto click_id = uuid::parse(x.substr(uuid_length + 1));
  if (!variant_id || !click_id || !*variant_id || !*click_id)
    return std::nullopt;
  return sticky_cookie{*variant_id, *click_id};
}

/// Returns whether `name` is the cookie's name of this link, in either case of
/// hex digits, without building the name.
bool is_name_of(std::string_view name, const uuid& link_id) noexcept {
  if (name.size() != name_prefix.size() + uuid_length
      || !name.starts_with(name_prefix))
    return false;
  auto id = uuid::parse(name.substr(name_prefix.size()));
  return id && *id == link_id;
}

} // namespace

std::string sticky_cookie_name(const uuid& link_id) {
  std::string result{name_prefix};
  result += link_id.str();
  return result;
}

std::string to_cookie_value(const sticky_cookie& x) {
  std::string result;
  append_cookie_value(result, x);
  return result;
}

void append_cookie_value(std::string& out, const sticky_cookie& x) {
  out.reserve(out.size() + value_length);
  x.variant_id.append_to(out);
  out += '.';
  x.click_id.append_to(out);
}

std::optional<sticky_cookie> find_sticky_cookie(std::string_view header,
                                                const uuid& link_id) {
  while (!header.empty()) {
    auto end = header.find(';');
    auto pair = header.substr(0, end);
    auto equals = pair.find('=');
    if (equals != std::string_view::npos
        && is_name_of(trim(pair.substr(0, equals)), link_id)) {
      // A stale copy for another path may come along: the first good one wins.
      if (auto result = parse_value(trim(pair.substr(equals + 1))))
        return result;
    }
    if (end == std::string_view::npos)
      break;
    header.remove_prefix(end + 1);
  }
  return std::nullopt;
}

} // namespace turnout
