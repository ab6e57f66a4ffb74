#include "app/reference.hpp"

#include "app/version.hpp"
#include "config/setting.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace turnout::app {

namespace {

// -- the command line ---------------------------------------------------------

/// A command that does something, such as "user add".
struct command {
  std::string path;
  const CLI::App* app;
};

std::vector<const CLI::App*> children_of(const CLI::App& x) {
  return x.get_subcommands([](const CLI::App*) { return true; });
}

void collect(const CLI::App& x, const std::string& path,
             std::vector<command>& to) {
  const auto children = children_of(x);
  if (children.empty())
    to.push_back({path, &x});
  for (const auto* child : children)
    collect(*child, path + (path.empty() ? "" : " ") + child->get_name(), to);
}

std::vector<command> commands_of(const CLI::App& cli) {
  std::vector<command> result;
  collect(cli, "", result);
  return result;
}

/// Returns the options of a command, or its arguments.
std::vector<const CLI::Option*> options_of(const CLI::App& x,
                                           bool arguments = false) {
  return x.get_options([arguments](const CLI::Option* y) {
    return y->nonpositional() != arguments;
  });
}

/// Such as "--email" or "-h,--help".
std::string names_of(const CLI::Option& x) {
  return x.get_name(false, true);
}

bool takes_value(const CLI::Option& x) {
  return x.get_items_expected_max() > 0;
}

/// Returns the words that an option takes when it takes some only.
std::vector<std::string> choices_of(const CLI::Option& x) {
  std::vector<std::string> result;
  const auto type = x.get_type_name();
  const auto first = type.find('{');
  const auto last = type.find('}');
  if (first == std::string::npos || last == std::string::npos)
    return result;
  for (auto pos = first + 1; pos < last;) {
    const auto end = std::min(type.find(',', pos), last);
    result.push_back(type.substr(pos, end - pos));
    pos = end + 1;
  }
  return result;
}

std::string joined(const std::vector<std::string>& words,
                   std::string_view between) {
  std::string result;
  for (const auto& word : words) {
    if (!result.empty())
      result += between;
    result += word;
  }
  return result;
}

/// Options that every command has.
std::set<std::string> common_options(const std::vector<command>& all) {
  std::set<std::string> result;
  for (const auto* x : options_of(*all.front().app))
    result.insert(names_of(*x));
  for (const auto& x : all) {
    std::set<std::string> own;
    for (const auto* y : options_of(*x.app))
      own.insert(names_of(*y));
    std::erase_if(result, [&](const auto& y) { return !own.contains(y); });
  }
  return result;
}

// -- roff ---------------------------------------------------------------------

std::string roff(std::string_view text) {
  std::string result;
  for (const auto c : text) {
    if (c == '\\')
      result += "\\(rs";
    else if (c == '-')
      result += "\\-";
    else if ((c == '.' || c == '\'') && (result.empty()))
      result += std::string{"\\&"} + c;
    else
      result += c;
  }
  return result;
}

std::string bold(std::string_view x) {
  return "\\fB" + roff(x) + "\\fR";
}

std::string italic(std::string_view x) {
  return "\\fI" + roff(x) + "\\fR";
}

std::string head(const char* name, int section, const char* about,
                 const char* kind) {
  return std::string{".TH "} + name + ' ' + std::to_string(section)
         + " \"\" \"Turnout " + version() + "\" \"" + kind + "\"\n.SH NAME\n"
         + about + '\n';
}

/// What stands for the value of an option.
std::string value_of(const CLI::Option& x) {
  const auto choices = choices_of(x);
  if (!choices.empty())
    return bold(joined(choices, "|"));
  std::string name = x.get_positional() ? x.get_name(true) : "value";
  return italic(name);
}

std::string entry(const CLI::Option& x) {
  auto result = ".TP\n" + bold(names_of(x));
  if (takes_value(x))
    result += ' ' + value_of(x);
  return result + '\n' + roff(x.get_description()) + '\n';
}

std::string synopsis(const command& x, const std::set<std::string>& common) {
  auto result = bold("turnout " + x.path);
  for (const auto* y : options_of(*x.app)) {
    if (common.contains(names_of(*y)))
      continue;
    auto text = bold(names_of(*y));
    if (takes_value(*y))
      text += ' ' + value_of(*y);
    result += y->get_required() ? ' ' + text : " [" + text + ']';
  }
  for (const auto* y : options_of(*x.app, true))
    result += ' ' + value_of(*y);
  return result + '\n';
}

// -- bash ---------------------------------------------------------------------

/// One arm of a case of bash.
std::string arm(const std::string& pattern, const std::string& what) {
  return "    " + pattern + ") " + what + " ;;\n";
}

std::string quoted(const std::string& x) {
  return "'" + x + "'";
}

/// Adds what may follow the words of a command, and of those below it.
void add_arms(const CLI::App& x, const std::string& path, std::string& words,
              std::string& values) {
  std::vector<std::string> all;
  for (const auto* child : children_of(x)) {
    all.push_back(child->get_name());
    add_arms(*child, path + ' ' + child->get_name(), words, values);
  }
  for (const auto* y : options_of(x, true))
    for (auto& choice : choices_of(*y))
      all.push_back(std::move(choice));
  std::vector<std::string> files;
  for (const auto* y : options_of(x)) {
    std::vector<std::string> names;
    for (const auto& name : y->get_lnames())
      names.push_back("--" + name);
    for (const auto& name : y->get_snames())
      names.push_back("-" + name);
    all.insert(all.end(), names.begin(), names.end());
    if (!takes_value(*y))
      continue;
    std::string pattern;
    for (const auto& name : names)
      pattern += (pattern.empty() ? "" : " | ") + quoted(path + ' ' + name);
    const auto choices = choices_of(*y);
    values += arm(pattern, choices.empty()
                             ? "files=yes"
                             : "words=" + quoted(joined(choices, " ")));
  }
  words += arm(quoted(path), "words=" + quoted(joined(all, " ")));
}

/// Adds a line for each group of commands that tells what continues it.
void add_paths(const CLI::App& x, const std::string& path, std::string& to) {
  for (const auto* child : children_of(x)) {
    const auto below = path + ' ' + child->get_name();
    to += (to.empty() ? "" : " | ") + quoted(below);
    add_paths(*child, below, to);
  }
}

} // namespace

std::string command_manual(const CLI::App& cli) {
  const auto all = commands_of(cli);
  const auto common = common_options(all);
  auto result
    = head("TURNOUT", 1, "turnout \\- split\\-test short links with analytics",
           "User Commands");
  result += ".SH SYNOPSIS\n" + bold("turnout") + ' ' + italic("command") + " ["
            + italic("option") + " ...]\n.SH DESCRIPTION\n"
            + roff(cli.get_description())
            + "\nEvery command may run while the service runs.\n"
              ".SH COMMANDS\n";
  for (const auto& x : all) {
    result += ".SS " + x.path + '\n' + synopsis(x, common) + ".PP\n"
              + roff(x.app->get_description()) + ".\n";
    for (const auto* y : options_of(*x.app, true))
      result
        += ".TP\n" + value_of(*y) + '\n' + roff(y->get_description()) + '\n';
    for (const auto* y : options_of(*x.app))
      if (!common.contains(names_of(*y)))
        result += entry(*y);
  }
  result += ".SH OPTIONS OF EVERY COMMAND\n";
  for (const auto* y : options_of(*all.front().app))
    if (common.contains(names_of(*y)))
      result += entry(*y);
  result += ".PP\n" + bold("turnout") + " alone also takes\n";
  for (const auto* y : options_of(cli))
    if (!common.contains(names_of(*y)))
      result += entry(*y);
  result
    += ".SH ENVIRONMENT\nEach setting of\n.BR turnout.toml (5)\nmay be given "
       "as "
       "a variable, named TURNOUT_, section, key in capitals, such as "
       "TURNOUT_HTTP_LISTEN. Options win over variables, and variables over "
       "the file.\n"
       ".SH EXIT STATUS\n0 when done, 1 when it failed, 2 for wrong usage. "
       "Errors are one line on standard error.\n"
       ".SH SIGNALS\n"
       + bold("turnout serve")
       + " ends cleanly, within 10 seconds, on SIGTERM and SIGINT.\n"
         ".SH SEE ALSO\n.BR turnout.toml (5)\n";
  return result;
}

std::string settings_manual() {
  auto result = head("TURNOUT.TOML", 5, "turnout.toml \\- settings of Turnout",
                     "File Formats");
  result
    += ".SH DESCRIPTION\nA TOML file that\n.BR turnout (1)\nreads when "
       "\\fB\\-\\-config\\fR names it. Every setting may be left out; "
       "unknown ones are refused. Each may be given as an environment variable "
       "too, which wins over the file.\n";
  std::string_view section = "/";
  for (const auto& x : config::setting_table()) {
    if (x.section != section) {
      section = x.section;
      result += section.empty()
                  ? ".SH SETTINGS OUTSIDE OF SECTIONS\n"
                  : ".SH SECTION [" + std::string{section} + "]\n";
    }
    result += ".TP\n" + bold(x.key) + " = "
              + roff(config::to_toml(x, x.fallback)) + '\n' + roff(x.help);
    if (x.min != x.max)
      result += " From " + std::to_string(x.min) + " to "
                + std::to_string(x.max) + '.';
    result += "\n.br\n" + roff(x.variable()) + '\n';
  }
  return result + ".SH SEE ALSO\n.BR turnout (1)\n";
}

std::string bash_completion(const CLI::App& cli) {
  std::string words;
  std::string values;
  std::string paths;
  add_arms(cli, "", words, values);
  add_paths(cli, "", paths);
  return "# bash completion for turnout, made by: turnout reference bash\n"
         "_turnout() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} path='' words='' files='' i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"$path ${COMP_WORDS[i]}\" in\n"
         "    "
         + paths
         + ") path+=\" ${COMP_WORDS[i]}\" ;;\n"
           "    esac\n"
           "  done\n"
           "  case \"$path ${COMP_WORDS[COMP_CWORD-1]}\" in\n"
         + values + "    *) case \"$path\" in\n" + words
         + "    esac ;;\n"
           "  esac\n"
           "  if [[ $files ]]; then\n"
           "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
           "  else\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
           "  fi\n"
           "}\n"
           "complete -o filenames -o bashdefault -F _turnout turnout\n";
}

} // namespace turnout::app
