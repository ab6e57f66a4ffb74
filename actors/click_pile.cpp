#include "actors/click_pile.hpp"

#include "reactor/background_thread.hpp"

#include <algorithm>
#include <tuple>

namespace turnout {

namespace {

/// What an entry of the index takes beside the characters of its text, about.
constexpr size_t bytes_of_entry = 220;

/// Has others go first now and then, given how many clicks are done.
void give_way_after(size_t clicks) {
  if (clicks % 64 == 0)
    background_thread::give_way();
}

} // namespace

void click_pile::reserve(size_t clicks, size_t texts) {
  x_rows.reserve(clicks);
  x_index.reserve(texts);
  x_texts.reserve(texts);
}

void click_pile::add(const click& x, place where) {
  give_way_after(x_rows.size());
  x_rows.push_back({x.id, x.link_key, x.variant_key, x.created_at, x.visitor,
                    where.position, where.journal, x.stratum,
                    keep(x.ip_address), keep(x.user_agent), keep(x.referrer),
                    keep(x.country), x.is_repeat});
}

void click_pile::drop_after(int journal, int64_t position) {
  std::erase_if(x_rows, [&](const row& x) {
    return x.journal == journal && x.position > position;
  });
}

void click_pile::arrange(const std::unordered_set<int64_t>& last_visitors) {
  auto begin_of_last = x_rows.end();
  if (!last_visitors.empty())
    begin_of_last
      = std::partition(x_rows.begin(), x_rows.end(), [&](const row& x) {
          return !last_visitors.contains(x.visitor);
        });
  x_num_last = static_cast<size_t>(x_rows.end() - begin_of_last);
  size_t compared = 0;
  const auto before = [&](const row& x, const row& y) {
    if (++compared % 4096 == 0)
      background_thread::give_way();
    return std::tie(x.link_key, x.id) < std::tie(y.link_key, y.id);
  };
  std::sort(x_rows.begin(), begin_of_last, before);
  std::sort(begin_of_last, x_rows.end(), before);
}

void click_pile::copy(size_t first, size_t last, storage::event_batch& to) {
  const auto n = last - first;
  to.clicks.resize(n);
  to.classes.resize(n);
  to.click_places.resize(n);
  for (size_t i = 0; i < n; ++i) {
    give_way_after(i);
    const auto& x = x_rows[first + i];
    auto& y = to.clicks[i];
    y.id = x.id;
    y.link_key = x.link_key;
    y.variant_key = x.variant_key;
    y.stratum = x.stratum;
    y.is_repeat = x.is_repeat;
    y.created_at = x.created_at;
    y.visitor = x.visitor;
    y.ip_address = *x_texts[x.ip_address].value;
    y.user_agent = *x_texts[x.user_agent].value;
    y.referrer = *x_texts[x.referrer].value;
    y.country = *x_texts[x.country].value;
    copy_classes(x, to.classes[i]);
    to.click_places[i] = {x.journal, x.position};
  }
}

uint32_t click_pile::keep(const std::string& x) {
  const auto next = static_cast<uint32_t>(x_texts.size());
  auto [i, added] = x_index.try_emplace(x, next);
  if (added) {
    x_texts.push_back({&i->first, std::nullopt, std::nullopt});
    x_text_bytes += x.size() + bytes_of_entry;
  }
  return i->second;
}

void click_pile::copy_classes(const row& x, storage::click_classes& to) {
  auto& agent = x_texts[x.user_agent];
  if (!agent.agent)
    agent.agent = classify_agent(*agent.value);
  auto& referrer = x_texts[x.referrer];
  if (!referrer.referrer)
    referrer.referrer = referrer_class(*referrer.value);
  const auto& country = *x_texts[x.country].value;
  const auto put = [&](dimension d, std::string_view value) {
    to.values[static_cast<size_t>(d)] = value;
  };
  put(dimension::country,
      country.empty() ? std::string_view{"unknown"} : country);
  put(dimension::referrer, *referrer.referrer);
  put(dimension::browser, agent.agent->browser);
  put(dimension::device, agent.agent->device);
  put(dimension::system, agent.agent->system);
}

} // namespace turnout
