#include "config/loader.hpp"
#include "config/setting.hpp"

namespace turnout::config {

namespace {

/// Appends `text` as comment lines of at most 80 characters.
void append_comment(std::string& out, std::string_view text) {
  constexpr size_t width = 78;
  while (!text.empty()) {
    auto n = text.size();
    if (n > width) {
      n = text.rfind(' ', width);
      if (n == std::string_view::npos)
        n = std::min(text.find(' '), text.size());
    }
    out.append("# ").append(text.substr(0, n)).append("\n");
    text.remove_prefix(std::min(n + 1, text.size()));
  }
}

} // namespace

std::string describe(const loaded& x) {
  std::string result;
  for (const auto& row : setting_table()) {
    auto name = row.name();
    auto origin = x.origins.find(name);
    result += name + " = " + to_toml(row, row.read(x.values)) + "  # "
              + (origin == x.origins.end() ? "default" : origin->second) + '\n';
  }
  return result;
}

std::string reference() {
  std::string result = "| setting | default | allowed | reload | meaning |\n"
                       "|---|---|---|---|---|\n";
  for (const auto& row : setting_table()) {
    std::string allowed{row.expected};
    if (row.min != row.max)
      allowed = std::to_string(row.min) + " to " + std::to_string(row.max);
    else if (allowed.empty())
      allowed = std::holds_alternative<bool>(row.fallback) ? "true or false"
                                                           : "any text";
    result += "| `" + row.name() + "` | `" + to_toml(row, row.fallback) + "` | "
              + allowed + " | " + (row.reloads ? "yes" : "restart") + " | "
              + std::string{row.help} + " |\n";
  }
  return result;
}

std::string example_file() {
  std::string result;
  append_comment(result,
                 "Settings of Turnout with their defaults. Each can also be "
                 "given as an environment variable, named TURNOUT_, section, "
                 "key in capitals: TURNOUT_HTTP_LISTEN. Options of the command "
                 "line win over variables, and variables over this file.");
  std::string_view section;
  for (const auto& row : setting_table()) {
    result += '\n';
    if (row.section != section) {
      section = row.section;
      result.append("[").append(section).append("]\n\n");
    }
    append_comment(result, row.help);
    if (row.min != row.max)
      append_comment(result, std::to_string(row.min) + " to "
                               + std::to_string(row.max) + '.');
    result.append("#").append(row.key).append(" = ");
    result.append(to_toml(row, row.fallback)).append("\n");
  }
  return result;
}

} // namespace turnout::config
