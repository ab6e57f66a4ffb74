#include "plugins/sql/batch.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace turnout::plugins {

batch_positions::batch_positions(const storage::event_batch& batch,
                                 std::map<int, int64_t> stored)
  : x_stored(std::move(stored)) {
  auto advance = [this](int journal, int64_t position) {
    auto i = x_stored.find(journal);
    if (i != x_stored.end() && i->second >= position)
      return;
    auto& last = x_next.try_emplace(journal, position).first->second;
    last = std::max(last, position);
  };
  for (const auto& range : batch.ranges)
    advance(range.journal, range.last);
  // A batch whose ranges end before its events would store these again.
  for (auto places :
       {&batch.click_places, &batch.excluded_places, &batch.conversion_places})
    for (const auto& place : *places)
      advance(place.journal, place.position);
}

bool batch_positions::is_complete(const storage::event_batch& batch) noexcept {
  return batch.clicks.size() == batch.click_places.size()
         && batch.clicks.size() == batch.classes.size()
         && batch.excluded.size() == batch.excluded_places.size()
         && batch.conversions.size() == batch.conversion_places.size()
         && (!batch.is_part
             || (batch.excluded.empty() && batch.conversions.empty()));
}

bool batch_positions::is_new(const storage::event_batch::place& x) const {
  auto i = x_stored.find(x.journal);
  return i == x_stored.end() || x.position > i->second;
}

std::map<int, int64_t> batch_positions::next() const {
  return x_next;
}

std::vector<size_t> new_clicks(const storage::event_batch& batch,
                               const batch_positions& positions) {
  std::vector<size_t> result;
  result.reserve(batch.clicks.size());
  for (size_t i = 0; i < batch.clicks.size(); ++i)
    if (positions.is_new(batch.click_places[i]))
      result.emplace_back(i);
  const auto before = [&](size_t a, size_t b) {
    const auto& x = batch.clicks[a];
    const auto& y = batch.clicks[b];
    return std::tie(x.link_key, x.id) < std::tie(y.link_key, y.id);
  };
  // As a rule they are.
  if (!std::is_sorted(result.begin(), result.end(), before))
    std::sort(result.begin(), result.end(), before);
  return result;
}

void batch_visits::add(const click& x) {
  x_by_visitor.emplace(x.visitor, &x);
}

std::optional<uuid> batch_visits::newest(row_key link_key,
                                         const conversion_request& x) const {
  const click* result = nullptr;
  auto today = day_of(x.created_at);
  for (size_t days_ago = 0; days_ago < x.visitors.size(); ++days_ago) {
    if (x.visitors[days_ago] == 0)
      continue;
    auto [first, last] = x_by_visitor.equal_range(x.visitors[days_ago]);
    for (; first != last; ++first) {
      auto& visit = *first->second;
      if (visit.link_key == link_key
          && day_of(visit.created_at) == today - static_cast<int>(days_ago)
          && visit.created_at <= x.created_at
          && visit.created_at >= x.created_at - attribution_window
          && (result == nullptr
              || std::tie(result->created_at, result->id)
                   < std::tie(visit.created_at, visit.id)))
        result = &visit;
    }
  }
  if (result == nullptr)
    return std::nullopt;
  return result->id;
}

} // namespace turnout::plugins
