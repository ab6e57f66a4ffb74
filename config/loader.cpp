#include "config/loader.hpp"

#include "config/setting.hpp"

#include <toml++/toml.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace turnout::config {

namespace {

using std::string;
using std::string_view;

const char* type_name(const value& x) noexcept {
  constexpr const char* names[]
    = {"a string", "a whole number", "true or false", "a list of strings"};
  return names[x.index()];
}

string unknown(string_view name) {
  auto result = "unknown setting " + string{name};
  if (auto near = nearest_name(name); !near.empty())
    result += "; did you mean " + near + "?";
  return result;
}

string_view trimmed(string_view x) noexcept {
  auto first = x.find_first_not_of(" \t");
  if (first == string_view::npos)
    return {};
  return x.substr(first, x.find_last_not_of(" \t") - first + 1);
}

/// Parses a value of the environment or the command line as the type of
/// `like`.
std::optional<value> parse_text(const value& like, string_view text) {
  if (std::holds_alternative<string>(like))
    return string{text};
  if (std::holds_alternative<int64_t>(like)) {
    int64_t result = 0;
    auto end = text.data() + text.size();
    auto [last, err] = std::from_chars(text.data(), end, result);
    if (text.empty() || err != std::errc{} || last != end)
      return std::nullopt;
    return result;
  }
  if (std::holds_alternative<bool>(like)) {
    if (text == "true" || text == "on" || text == "1")
      return true;
    if (text == "false" || text == "off" || text == "0")
      return false;
    return std::nullopt;
  }
  std::vector<string> result;
  if (trimmed(text).empty())
    return result;
  while (true) {
    auto comma = text.find(',');
    result.emplace_back(trimmed(text.substr(0, comma)));
    if (comma == string_view::npos)
      break;
    text.remove_prefix(comma + 1);
  }
  return result;
}

/// Reads a node of the file as the type of `like`.
std::optional<value> parse_node(const value& like, const toml::node& node) {
  if (std::holds_alternative<string>(like)) {
    if (auto x = node.as_string())
      return x->get();
  } else if (std::holds_alternative<int64_t>(like)) {
    if (auto x = node.as_integer())
      return x->get();
  } else if (std::holds_alternative<bool>(like)) {
    if (auto x = node.as_boolean())
      return x->get();
  } else if (auto list = node.as_array()) {
    std::vector<string> result;
    for (const auto& element : *list) {
      auto x = element.as_string();
      if (x == nullptr)
        return std::nullopt;
      result.push_back(x->get());
    }
    return result;
  }
  return std::nullopt;
}

/// Reads the sources one after the other until something is wrong.
class loader {
public:
  caf::expected<loaded> run(const sources& from) {
    if (!read_file(from.file) || !read_environment(from.environment)
        || !read_overrides(from.overrides))
      return make_error(ec::config, x_problem);
    if (auto conflict = conflict_in(x_result.values); !conflict.empty())
      return make_error(ec::config, conflict);
    return std::move(x_result);
  }

private:
  bool fail(const string& origin, const string& problem) {
    x_problem = origin + ": " + problem;
    return false;
  }

  bool assign(const setting& which, const std::optional<value>& x,
              const string& origin) {
    if (!x)
      return fail(origin,
                  which.name() + " must be " + type_name(which.fallback));
    if (auto problem = problem_of(which, *x); !problem.empty())
      return fail(origin, problem);
    which.write(x_result.values, *x);
    x_result.origins[which.name()] = origin;
    return true;
  }

  // -- file -------------------------------------------------------------------

  bool read_file(const std::filesystem::path& file) {
    if (file.empty())
      return true;
    x_file = file.string();
    std::ifstream in{file, std::ios::binary};
    std::ostringstream text;
    // A directory opens but does not read.
    if (!in || !(text << in.rdbuf())) {
      std::error_code err;
      if (std::filesystem::is_regular_file(file, err)
          && std::filesystem::is_empty(file, err))
        return true;
      return fail(x_file, "cannot be read; does it exist, and may this user "
                          "read it?");
    }
    try {
      return read_table("", toml::parse(text.str()));
    } catch (const toml::parse_error& err) {
      return fail(at(err.source()), string{err.description()});
    }
  }

  string at(const toml::source_region& where) const {
    return x_file + ':' + std::to_string(where.begin.line);
  }

  bool read_table(const string& prefix, const toml::table& table) {
    for (const auto& [key, node] : table) {
      auto name = prefix + string{key.str()};
      auto origin = at(key.source());
      auto which = find_setting(name);
      auto sub = node.as_table();
      if (which != nullptr) {
        if (!assign(*which, parse_node(which->fallback, node), origin))
          return false;
      } else if (prefix.empty() && is_section(name)) {
        if (sub == nullptr)
          return fail(origin, name + " must be a section");
        if (!read_table(name + '.', *sub))
          return false;
      } else if (sub != nullptr && !sub->empty()) {
        // Look for the name in what it holds: a misspelt section has a key.
        return fail(origin,
                    unknown(name + '.' + string{sub->cbegin()->first.str()}));
      } else {
        return fail(origin, unknown(name));
      }
    }
    return true;
  }

  static bool is_section(string_view name) {
    for (const auto& x : setting_table())
      if (x.section == name && !name.empty())
        return true;
    return false;
  }

  // -- environment and command line -------------------------------------------

  bool read_environment(const std::vector<string>& variables) {
    for (const auto& variable : variables) {
      string_view name = variable;
      name = name.substr(0, name.find('='));
      if (name.substr(0, 8) != "TURNOUT_" || name.size() == variable.size())
        continue;
      auto which = by_variable(name);
      if (which == nullptr) {
        x_result.warnings.push_back("environment variable " + string{name}
                                    + " is no setting");
        continue;
      }
      auto text = string_view{variable}.substr(name.size() + 1);
      if (!assign(*which, parse_text(which->fallback, text), string{name}))
        return false;
    }
    return true;
  }

  static const setting* by_variable(string_view name) {
    for (const auto& x : setting_table())
      if (x.variable() == name)
        return &x;
    return nullptr;
  }

  bool read_overrides(const std::vector<std::pair<string, string>>& overrides) {
    const string origin = "command line";
    for (const auto& [name, text] : overrides) {
      auto which = find_setting(name);
      if (which == nullptr)
        return fail(origin, unknown(name));
      if (!assign(*which, parse_text(which->fallback, text), origin))
        return false;
    }
    return true;
  }

  loaded x_result;
  string x_file;
  string x_problem;
};

} // namespace

caf::expected<loaded> load(const sources& from) {
  return loader{}.run(from);
}

std::vector<string> process_environment() {
  std::vector<string> result;
  for (auto x = environ; x != nullptr && *x != nullptr; ++x)
    result.emplace_back(*x);
  return result;
}

} // namespace turnout::config
