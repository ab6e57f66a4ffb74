#include "core/agent_data.hpp"
#include "core/keyword_matcher.hpp"
#include "core/visitor.hpp"

#include <re2/filtered_re2.h>

#include <algorithm>
#include <initializer_list>
#include <unordered_map>

namespace turnout {

namespace {

/// Agents longer than what is stored are not worth more time.
constexpr size_t max_agent = 1024;

/// Entries of the cache of one thread.
constexpr size_t max_cached = 4096;

re2::StringPiece piece(std::string_view x) noexcept {
  return {x.data(), x.size()};
}

/// The expressions of one section of uap-core. Most of them cannot match
/// because a text that they need does not occur; only the rest are tried.
class rule_set {
public:
  explicit rule_set(std::span<const agent_data::rule> rules) {
    for (const auto& rule : rules) {
      re2::RE2::Options options;
      options.set_log_errors(false);
      options.set_case_sensitive(!rule.ignores_case);
      auto id = 0;
      if (x_filter.Add(piece(rule.regex), options, &id) == re2::RE2::NoError)
        x_names.push_back(rule.name);
    }
    x_filter.Compile(&x_words);
    for (const auto& word : x_words)
      x_atoms.add(word);
    x_atoms.build();
  }

  /// Returns the name that the first matching rule gives; empty if none does.
  std::string name_of(std::string_view text) const {
    std::vector<int> atoms;
    x_atoms.scan(text, [&](size_t number, size_t) {
      atoms.push_back(static_cast<int>(number));
      return true;
    });
    std::sort(atoms.begin(), atoms.end());
    atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
    auto index = x_filter.FirstMatch(piece(text), atoms);
    if (index < 0)
      return {};
    re2::StringPiece groups[10];
    const auto& regex = x_filter.GetRE2(index);
    auto n = std::min(regex.NumberOfCapturingGroups() + 1, 10);
    regex.Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, groups, n);
    return expand(x_names[static_cast<size_t>(index)], groups);
  }

private:
  static std::string expand(std::string_view name,
                            const re2::StringPiece* groups) {
    std::string result;
    for (size_t i = 0; i < name.size(); ++i) {
      if (name[i] == '$' && i + 1 < name.size() && name[i + 1] >= '1'
          && name[i + 1] <= '9') {
        auto group = groups[name[++i] - '0'];
        result.append(group.data(), group.size());
      } else {
        result += name[i];
      }
    }
    while (!result.empty() && result.back() == ' ')
      result.pop_back();
    result.erase(0, result.find_first_not_of(' '));
    return result;
  }

  // Atoms of fewer characters occur in nearly every agent.
  re2::FilteredRE2 x_filter{3};
  std::vector<std::string> x_words;
  keyword_matcher x_atoms;
  /// By the filter's number.
  std::vector<std::string_view> x_names;
};

struct rule_sets {
  rule_set browsers{agent_data::browsers};
  rule_set systems{agent_data::systems};
  rule_set devices{agent_data::devices};
};

bool has_any(std::string_view text,
             std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view x) {
    return text.find(x) != std::string_view::npos;
  });
}

bool starts_with_any(std::string_view text,
                     std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view x) {
    return text.starts_with(x);
  });
}

/// Finds the class of a device. uap-core knows models, not classes, so this
/// takes its names as hints, from the most telling sign to the least:
/// 1. crawlers, by our own list only: uap-core's device "Spider" also stands
///    for HTTP libraries, which are visitors of an unknown device;
/// 2. words that only televisions, consoles and watches have (before the
///    systems, because televisions run Android, Tizen or webOS as well);
/// 3. tablets: iPad, "Tablet", Kindle, and Android without "Mobile" (Google's
///    rule for browsers on tablets);
/// 4. phones: their systems, uap-core's generic phones, "Mobile";
/// 5. desktop systems. An iPad that asks for desktop pages says it is a Mac
///    and counts as one.
const char* device_class(std::string_view agent, std::string_view system,
                         std::string_view family) {
  if (classify_bot(agent))
    return "bot";
  if (family == "Spider")
    return "unknown";
  if (has_any(agent,
              {"PlayStation", "PLAYSTATION", "Xbox", "XBOX", "Nintendo"}))
    return "console";
  if (system == "WatchOS" || system == "Wear OS"
      || has_any(agent, {"Apple Watch", "Watch OS", "watchOS", "Wear OS",
                         "WearOS", "SM-R8", "SM-R9"}))
    return "wearable";
  if (system == "tvOS" || system == "ATV OS X" || system == "Chromecast"
      || has_any(
        agent,
        {"SmartTV",  "SMART-TV",  "Smart-TV",     "Smart TV",  "HbbTV",
         "GoogleTV", "Google TV", "Android TV",   "AndroidTV", "AppleTV",
         "Apple TV", "tvOS",      "BRAVIA",       "Roku",      "CrKey",
         "NetCast",  "Web0S",     "Viera",        "VIERA",     "Opera TV",
         "OMI/",     "TV Safari", "Large Screen", "DTV",       "InettvBrowser"})
      // Fire TV models, such as "; AFTMM Build".
      || has_any(agent, {"; AFT"}))
    return "tv";
  auto is_android = system == "Android" || has_any(agent, {"Android"});
  auto is_windows = system == "Windows";
  if (has_any(agent, {"iPad", "PlayBook", "Kindle"})
      || has_any(family, {"iPad", "Tablet", "Kindle"})
      // Windows with a touch screen says "Tablet PC" on every laptop.
      || (!is_windows && has_any(agent, {"Tablet", "tablet"}))
      || (is_android && !has_any(agent, {"Mobile", "mobile"})))
    return "tablet";
  if (is_android
      || starts_with_any(system, {"iOS", "Windows Phone", "Windows Mobile",
                                  "BlackBerry", "KaiOS", "Symbian", "Bada",
                                  "Firefox OS", "Tizen", "webOS", "Nokia",
                                  "MeeGo", "Maemo", "Sailfish", "HarmonyOS",
                                  "OpenHarmony", "Brew MP"})
      || family == "Generic Smartphone"
      // uap-core tells old phones by the first letters of the agent, which
      // libwww-perl shares.
      || (family == "Generic Feature Phone" && !agent.starts_with("libwww"))
      || has_any(agent, {"iPhone", "iPod", "Mobile", "Opera Mini", "MIDP"}))
    return "mobile";
  if (is_windows
      || starts_with_any(
        system, {"Mac OS",    "Linux",     "Ubuntu",     "Debian",    "Fedora",
                 "Red Hat",   "CentOS",    "SUSE",       "openSUSE",  "Gentoo",
                 "Slackware", "Mandriva",  "Linux Mint", "Arch",      "Mageia",
                 "Kubuntu",   "PCLinuxOS", "Puppy",      "Chrome OS", "FreeBSD",
                 "OpenBSD",   "NetBSD",    "DragonFly",  "Solaris",   "Haiku",
                 "BeOS",      "VRE"}))
    return "desktop";
  return "unknown";
}

/// Returns uap-core's name, or "unknown" for its ways not to know.
std::string known(std::string name) {
  if (name.empty() || name == "Other")
    return "unknown";
  return name;
}

agent_class classify(std::string_view agent) {
  static const rule_sets rules;
  auto system = rules.systems.name_of(agent);
  auto device = device_class(agent, system, rules.devices.name_of(agent));
  return {known(rules.browsers.name_of(agent)), device,
          known(std::move(system))};
}

} // namespace

agent_class classify_agent(std::string_view user_agent) {
  user_agent = user_agent.substr(0, max_agent);
  if (user_agent.find_first_not_of(' ') == std::string_view::npos)
    return {"unknown", "unknown", "unknown"};
  // Few agents make most visits: whoever fills the cache starts it anew, which
  // costs the frequent ones one look-up each.
  thread_local std::unordered_map<std::string, agent_class> cache;
  std::string key{user_agent};
  if (auto i = cache.find(key); i != cache.end())
    return i->second;
  if (cache.size() >= max_cached)
    cache.clear();
  return cache.emplace(std::move(key), classify(user_agent)).first->second;
}

} // namespace turnout
