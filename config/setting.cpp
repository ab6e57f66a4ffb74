#include "config/setting.hpp"

#include "config/secret.hpp"
#include "config/syntax.hpp"

#include <algorithm>
#include <numeric>

namespace turnout::config {

namespace {

/// Number of letters to add, drop or change, or of neighbours to swap, to make
/// one word of the other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      auto changed = a[i - 1] != b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

char upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::string toml_string(std::string_view text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string result = "\"";
  for (auto c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      result += "\\u00";
      result += digits[byte >> 4];
      result += digits[byte & 0x0F];
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string problem_of_text(const setting& which, const std::string& text) {
  if (which.accepts == nullptr || which.accepts(text))
    return {};
  return which.name() + " is " + toml_string(text) + "; expected "
         + std::string{which.expected};
}

} // namespace

std::string setting::name() const {
  std::string result{section};
  if (!result.empty())
    result += '.';
  return result += key;
}

std::string setting::variable() const {
  std::string result = "TURNOUT_" + name();
  std::transform(result.begin(), result.end(), result.begin(), upper);
  std::replace(result.begin(), result.end(), '.', '_');
  return result;
}

const setting* find_setting(std::string_view name) {
  for (const auto& x : setting_table())
    if (x.name() == name)
      return &x;
  return nullptr;
}

std::string nearest_name(std::string_view name) {
  // Right key, wrong or no section.
  auto key = name.substr(name.rfind('.') + 1);
  for (const auto& x : setting_table())
    if (x.key == key)
      return x.name();
  std::string result;
  auto least = std::max(size_t{2}, name.size() / 4) + 1;
  for (const auto& x : setting_table()) {
    auto candidate = x.name();
    if (auto n = distance(name, candidate); n < least) {
      least = n;
      result = candidate;
    }
  }
  return result;
}

std::string problem_of(const setting& which, const value& x) {
  if (auto number = std::get_if<int64_t>(&x)) {
    if (*number >= which.min && *number <= which.max)
      return {};
    return which.name() + " is " + std::to_string(*number) + "; expected "
           + std::to_string(which.min) + " to " + std::to_string(which.max);
  }
  if (auto text = std::get_if<std::string>(&x))
    return problem_of_text(which, *text);
  if (auto texts = std::get_if<std::vector<std::string>>(&x))
    for (const auto& text : *texts)
      if (auto problem = problem_of_text(which, text); !problem.empty())
        return problem;
  return {};
}

std::string conflict_in(const settings& x) {
  auto open = parse_endpoint(x.http.listen);
  if (open && open->port != 0 && open == parse_endpoint(x.http.operator_listen))
    return "http.operator_listen is the same as http.listen; expected two "
           "different addresses";
  if (!x.auth.jwks_url.empty() && !x.auth.jwt_secret.empty())
    return "auth.jwks_url and auth.jwt_secret are both given; expected one of "
           "them";
  return {};
}

std::vector<difference> differences(const settings& before,
                                    const settings& after) {
  std::vector<difference> result;
  for (const auto& x : setting_table()) {
    auto a = x.read(before);
    auto b = x.read(after);
    if (a != b)
      result.push_back({&x, std::move(a), std::move(b)});
  }
  return result;
}

std::string to_toml(const setting& which, const value& x) {
  if (auto number = std::get_if<int64_t>(&x))
    return std::to_string(*number);
  if (auto flag = std::get_if<bool>(&x))
    return *flag ? "true" : "false";
  if (auto text = std::get_if<std::string>(&x))
    return toml_string(which.hidden && !text->empty() ? "***"
                       : which.secret                 ? mask_secret(*text)
                                                      : *text);
  std::string result = "[";
  for (const auto& text : std::get<std::vector<std::string>>(x)) {
    if (result.size() > 1)
      result += ", ";
    result += toml_string(text);
  }
  return result + ']';
}

} // namespace turnout::config
