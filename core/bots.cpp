#include "core/ascii.hpp"
#include "core/bot_data.hpp"
#include "core/keyword_matcher.hpp"
#include "core/visitor.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

namespace turnout {

namespace {

bool is_letter(char c) noexcept {
  c = to_lower(c);
  return c >= 'a' && c <= 'z';
}

/// Words that tell a crawler which is not in the list.
constexpr std::array<std::string_view, 3> generic_words
  = {"bot", "crawler", "spider"};

/// Recognises crawlers: one pass finds the rules whose text occurs (whatever
/// the case), then the case and the few expressions are checked.
class bot_matcher {
public:
  bot_matcher() {
    RE2::Options options;
    options.set_log_errors(false);
    for (const auto& rule : bot_data::rules) {
      x_atoms.add(rule.atom);
      std::unique_ptr<RE2> regex;
      if (!rule.regex.empty()) {
        regex = std::make_unique<RE2>(
          re2::StringPiece(rule.regex.data(), rule.regex.size()), options);
      }
      x_regexes.push_back(std::move(regex));
    }
    for (auto word : generic_words)
      x_atoms.add(word);
    x_atoms.build();
  }

  std::optional<exclusion> match(std::string_view text) const noexcept {
    std::optional<exclusion> result;
    x_atoms.scan(text, [&](size_t number, size_t end) {
      auto is_listed = number < bot_data::rules.size();
      auto is_preview = is_listed && bot_data::rules[number].preview;
      // Previews often borrow the names of crawlers, so they come first.
      if (result && !is_preview)
        return true;
      if (is_listed ? matches_rule(number, text, end)
                    : matches_word(number - bot_data::rules.size(), text, end))
        result = is_preview ? exclusion::preview : exclusion::crawler;
      return result != exclusion::preview;
    });
    return result;
  }

private:
  bool matches_rule(size_t number, std::string_view text,
                    size_t end) const noexcept {
    if (const auto& regex = x_regexes[number])
      return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                               *regex);
    auto atom = bot_data::rules[number].atom;
    return text.substr(end - atom.size(), atom.size()) == atom;
  }

  /// A word counts at the end of a name ("SomeBot/1.0"), but not in the middle
  /// ("Botanic"), and CUBOT makes phones.
  static bool matches_word(size_t number, std::string_view text,
                           size_t end) noexcept {
    if (end < text.size() && is_letter(text[end]))
      return false;
    auto begin = end - generic_words[number].size();
    return number != 0 || begin < 2 || to_lower(text[begin - 1]) != 'u'
           || to_lower(text[begin - 2]) != 'c';
  }

  keyword_matcher x_atoms;
  /// By rule; null where the text is enough.
  std::vector<std::unique_ptr<RE2>> x_regexes;
};

/// What was found for the user agents that a thread saw lately: few browsers
/// send most of the visits, and the matcher's table does not fit into caches.
class answers {
public:
  std::optional<exclusion> get(std::string_view text,
                               const bot_matcher& matcher) noexcept {
    auto& found = x_slots[std::hash<std::string_view>{}(text) % x_slots.size()];
    if (std::string_view{found.text.data(), found.size} == text)
      return found.what;
    const auto what = matcher.match(text);
    if (text.size() <= found.text.size()) {
      std::copy(text.begin(), text.end(), found.text.begin());
      found.size = text.size();
      found.what = what;
    }
    return what;
  }

private:
  struct slot {
    std::array<char, 256> text;
    /// 0: the slot is free, or has the empty text, which is nobody's.
    size_t size = 0;
    std::optional<exclusion> what;
  };

  std::array<slot, 256> x_slots{};
};

} // namespace

std::optional<exclusion> classify_bot(std::string_view user_agent) noexcept {
  static const bot_matcher matcher;
  thread_local answers latest;
  return latest.get(user_agent, matcher);
}

} // namespace turnout
