#include "core/rules.hpp"

#include "core/ascii.hpp"
#include "core/utf8.hpp"

#include <algorithm>
#include <array>

namespace turnout {

namespace {

caf::error broken(std::string text) {
  return make_error(ec::invalid, std::move(text));
}

/// Checks valid UTF-8 of 1 to `max` code points without control characters.
caf::error check_text(std::string_view text, size_t max,
                      std::string_view path) {
  auto prefix = std::string{path};
  size_t n = 0;
  auto has_control = false;
  while (!text.empty()) {
    auto [code, size] = first_char(text);
    if (size == 0)
      return broken(prefix + " must be valid UTF-8");
    has_control |= is_control(code);
    text.remove_prefix(size);
    ++n;
  }
  if (n < 1 || n > max)
    return broken(prefix + " must be 1 to " + std::to_string(max)
                  + " characters");
  if (has_control)
    return broken(prefix + " must not contain control characters");
  return {};
}

/// Cuts white space off both ends; what is not UTF-8 ends the cutting.
std::string_view trim(std::string_view text) noexcept {
  size_t begin = 0;
  size_t end = 0;
  auto is_leading = true;
  for (size_t pos = 0; pos < text.size();) {
    auto [code, size] = first_char(text.substr(pos));
    auto width = size == 0 ? 1 : size;
    if (size == 0 || !is_white_space(code)) {
      if (is_leading)
        begin = pos;
      is_leading = false;
      end = pos + width;
    }
    pos += width;
  }
  return text.substr(begin, end - begin);
}

constexpr auto is_slug_char = [](char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9') || c == '_' || c == '-';
};

// What the public listener serves itself.
constexpr std::array<std::string_view, 16> reserved_words = {
  "api",        "auth",        "app",         "assets",
  "metrics",    "health",      "healthz",     "readyz",
  "robots.txt", "favicon.ico", "sitemap.xml", ".well-known",
  "docs",       "admin",       "login",       "static",
};

bool has_label(const std::vector<variant>& variants, std::string_view label) {
  return std::any_of(variants.begin(), variants.end(), [&](const variant& x) {
    return !x.retired && x.label == label;
  });
}

std::string join_labels(const std::vector<variant>& variants) {
  std::string result;
  for (const auto& x : variants) {
    if (x.retired)
      continue;
    if (!result.empty())
      result += ", ";
    result += x.label;
  }
  return result;
}

} // namespace

caf::expected<std::string> check_name(std::string_view name) {
  auto trimmed = trim(name);
  if (auto err = check_text(trimmed, 100, "name"))
    return err;
  return std::string{trimmed};
}

caf::error check_slug(std::string_view slug) {
  if (slug.size() < 3 || slug.size() > 32
      || !std::all_of(slug.begin(), slug.end(), is_slug_char))
    return broken("slug must be 3 to 32 characters of A-Z, a-z, 0-9, '-' "
                  "and '_'");
  if (is_reserved_slug(slug))
    return broken("slug '" + std::string{slug} + "' is reserved");
  return {};
}

bool is_reserved_slug(std::string_view slug) noexcept {
  auto is_same
    = [slug](std::string_view word) { return equals_folded(slug, word); };
  return std::any_of(reserved_words.begin(), reserved_words.end(), is_same);
}

caf::error check_label(std::string_view label, std::string_view path) {
  return check_text(label, 50, path);
}

caf::error check_weight(int64_t weight, std::string_view path) {
  if (weight < 0 || weight > 100)
    return broken(std::string{path} + " must be between 0 and 100");
  return {};
}

caf::error check_variant_count(size_t n) {
  if (n < 2 || n > 5)
    return broken("variants must be 2 to 5 objects, got " + std::to_string(n));
  return {};
}

caf::error check_variant_set(const std::vector<variant>& variants) {
  int64_t sum = 0;
  for (auto i = variants.begin(); i != variants.end(); ++i) {
    if (i->retired)
      continue;
    auto is_twin
      = [&](const variant& x) { return !x.retired && x.label == i->label; };
    if (std::any_of(variants.begin(), i, is_twin))
      return broken("Variant label '" + i->label + "' is used more than once");
    sum += i->weight;
  }
  if (sum != 100)
    return broken("Variant weights must sum to 100, got "
                  + std::to_string(sum));
  return {};
}

caf::error check_geo_rules(const geo_rules& rules,
                           const std::vector<variant>& variants) {
  auto has_default = false;
  for (const auto& [country, label] : rules) {
    if (country == "default")
      has_default = true;
    else if (!is_country_code(country))
      return broken("geo_rules key '" + country
                    + "' must be an upper-case ISO 3166-1 alpha-2 country code "
                      "or 'default'");
  }
  if (!has_default)
    return broken("geo_rules must contain a 'default' variant");
  for (const auto& rule : rules)
    if (!has_label(variants, rule.second))
      return broken("Variant label '" + rule.second
                    + "' does not exist. Available variants: "
                    + join_labels(variants));
  return {};
}

caf::error check_routing(routing_type routing, bool has_geo_rules) {
  if (routing == routing_type::geo && !has_geo_rules)
    return broken("field required: geo_rules");
  return {};
}

caf::error check_link_count(int64_t owned, int per_account) {
  if (per_account > 0 && owned >= per_account)
    return broken("The account has as many links as it may have ("
                  + std::to_string(per_account) + ")");
  return {};
}

caf::error check_threshold(int64_t threshold) {
  if (threshold < 10)
    return broken("auto_winner_threshold must be at least 10");
  if (threshold > 1'000'000'000)
    return broken("auto_winner_threshold must be at most 1000000000");
  return {};
}

} // namespace turnout
