#include "transfer/foreign.hpp"

#include "core/ascii.hpp"
#include "core/time.hpp"
#include "core/utf8.hpp"
#include "http/codec/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace turnout::transfer {

namespace {

/// A field that makes a link something that Turnout cannot keep.
struct obstacle {
  field_names fields;
  std::string_view text;
};

/// Names of fields, folded, the best first.
struct layout {
  const char* name;
  field_names slug;
  field_names address;
  field_names target;
  field_names title;
  field_names created;
  field_names clicks;
  field_names banned;
  std::vector<obstacle> obstacles;
};

const layout& layout_of(service x) {
  static const std::array<layout, 4> all{
    layout{
      "bitly",
      {},
      {"bitlink", "shortlink", "shorturl", "link", "id"},
      {"longurl", "destinationurl", "destination", "originalurl"},
      {"title"},
      {"createdat", "datecreated", "createddate", "created", "creationdate"},
      {"totalclicks", "clicks", "linkclicks", "totalengagements",
       "engagements"},
      {},
      {}},
    layout{"yourls",
           {"keyword"},
           {"shorturl", "source"},
           {"url", "longurl", "target"},
           {"title"},
           {"timestamp", "date", "created"},
           {"clicks", "hits"},
           {},
           {}},
    layout{"kutt",
           {"address"},
           {"link", "shortlink"},
           {"target"},
           {"description"},
           {"createdat"},
           {"visitcount", "visits"},
           {"banned"},
           {{{"password"}, "a password"}, {{"expirein"}, "an end"}}},
    layout{"shlink",
           {"shortcode"},
           {"shorturl"},
           {"longurl"},
           {"title"},
           {"datecreated", "createdat"},
           {"visitssummarytotal", "visitscount", "visits"},
           {},
           {{{"metavalidsince", "validsince"}, "a beginning"},
            {{"metavaliduntil", "validuntil"}, "an end"},
            {{"metamaxvisits", "maxvisits"}, "a limit of visits"}}},
  };
  return all[static_cast<size_t>(x)];
}

bool has_any(const std::vector<std::string>& columns,
             const field_names& wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](auto name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  });
}

std::string list(const field_names& xs) {
  std::string result;
  for (auto x : xs) {
    if (!result.empty())
      result += ", ";
    result += x;
  }
  return result;
}

bool is_off(std::string_view value) {
  return value.empty() || value == "0" || equals_folded(value, "false");
}

} // namespace

std::optional<service> parse_service(std::string_view name) noexcept {
  for (auto x :
       {service::bitly, service::yourls, service::kutt, service::shlink})
    if (name == layout_of(x).name)
      return x;
  return std::nullopt;
}

caf::error check_columns(service from,
                         const std::vector<std::string>& columns) {
  const auto& fields = layout_of(from);
  const auto missing = [](const std::string& what, const std::string& wanted) {
    return broken_line(1, "the file has no column for the " + what + " ("
                            + wanted + ")");
  };
  if (!has_any(columns, fields.slug) && !has_any(columns, fields.address)) {
    auto wanted = list(fields.slug);
    if (!wanted.empty())
      wanted += ", ";
    return missing("short link", wanted + list(fields.address));
  }
  if (!has_any(columns, fields.target))
    return missing("destination", list(fields.target));
  return {};
}

caf::expected<json::object> convert(service from, const field_map& x) {
  const auto& fields = layout_of(from);
  for (const auto& [limit, text] : fields.obstacles)
    if (!is_off(x.first(limit)))
      return make_error(ec::invalid,
                        "the link has " + std::string{text}
                          + ", which a link here cannot have; take it off to "
                            "import the link without");
  auto slug = std::string{x.first(fields.slug)};
  if (slug.empty())
    slug = path_of_address(x.first(fields.address));
  json::object result;
  auto name = normal_name(x.first(fields.title));
  result["name"] = to_json_string(name.empty() ? slug : name);
  result["slug"] = to_json_string(slug);
  result["variants"] = single_destination(x.first(fields.target));
  if (!is_off(x.first(fields.banned)))
    result["is_active"] = false;
  if (auto time = x.first(fields.created); !time.empty())
    result["created_at"] = to_json_string(normal_time(time));
  if (auto clicks = x.first(fields.clicks); !clicks.empty())
    result["total_clicks"] = integer_or_text(clicks);
  return result;
}

std::string normal_time(std::string_view text) {
  auto result = std::string{text};
  if (text.size() >= 9 && text.size() <= 11
      && std::all_of(text.begin(), text.end(), is_digit)) {
    int64_t seconds = 0;
    std::from_chars(text.data(), text.data() + text.size(), seconds);
    return to_iso8601(from_micros(seconds * 1'000'000));
  }
  if (result.size() > 10 && result[10] == ' ')
    result[10] = 'T';
  if (result.ends_with(" UTC"))
    result.replace(result.size() - 4, 4, "Z");
  // "+0000" without a colon
  const auto n = result.size();
  if (n > 15 && (result[n - 5] == '+' || result[n - 5] == '-')
      && std::all_of(result.end() - 4, result.end(), is_digit))
    result.insert(n - 2, 1, ':');
  return result;
}

std::string normal_name(std::string_view title) {
  constexpr size_t max_name = 100;
  std::string spaced;
  auto rest = title;
  while (!rest.empty()) {
    const auto [code, size] = first_char(rest);
    // What is not UTF-8 stays, so that the rule of names finds it.
    const auto width = size == 0 ? 1 : size;
    if (size > 0 && (is_control(code) || is_white_space(code)))
      spaced += ' ';
    else
      spaced += rest.substr(0, width);
    rest.remove_prefix(width);
  }
  auto text = std::string_view{spaced};
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  size_t end = 0;
  for (size_t n = 0; n < max_name && end < text.size(); ++n)
    end += std::max<size_t>(first_char(text.substr(end)).size, 1);
  text = text.substr(0, end);
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  return std::string{text};
}

std::string path_of_address(std::string_view address) {
  auto rest = address.substr(0, address.find_first_of("?#"));
  if (const auto scheme = rest.find("://"); scheme != std::string_view::npos)
    rest.remove_prefix(scheme + 3);
  const auto slash = rest.find('/');
  if (slash != std::string_view::npos)
    rest.remove_prefix(slash);
  else if (rest.size() != address.size())
    return {};
  while (rest.starts_with('/'))
    rest.remove_prefix(1);
  while (rest.ends_with('/'))
    rest.remove_suffix(1);
  return std::string{rest};
}

json::array single_destination(std::string_view url) {
  json::array result;
  for (const auto& [label, weight] : {std::pair{"A", 100}, std::pair{"B", 0}}) {
    json::object x;
    x["label"] = label;
    x["destination_url"] = to_json_string(url);
    x["weight"] = weight;
    result.push_back(std::move(x));
  }
  return result;
}

json::value integer_or_text(std::string_view text) {
  int64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, err] = std::from_chars(text.data(), end, value);
  if (err == std::errc{} && stop == end)
    return value;
  return to_json_string(text);
}

} // namespace turnout::transfer
