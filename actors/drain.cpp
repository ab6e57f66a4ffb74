#include "actors/drain.hpp"

#include "actors/journal_report.hpp"
#include "core/error.hpp"
#include "monitoring/log.hpp"

#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <variant>

namespace turnout {

namespace {

/// Longest pause between two tries while the store does not answer.
constexpr auto max_pause = std::chrono::milliseconds{5000};

// How long the pause after a round is, by how long that took and by the usual
// pause: the more events a round has, the more of them share pages, so that
// under load it pays to wait for more.
constexpr int rest_factor = 8;
constexpr double max_rests = 3.5;
constexpr auto max_rest = std::chrono::milliseconds{700};

/// From this age on of a round's oldest event, when it is stored, there is no
/// such pause: on a core with little to spare, what it has then would be lost.
constexpr auto late_after = std::chrono::milliseconds{1500};

// On a core that has too much to do, the DRAIN has what the threads of sockets
// leave until events are so old; then a quarter at least, of which visits feel
// some milliseconds; and then, as much as they have.
constexpr auto calm_until = std::chrono::seconds{3};
constexpr auto eager_until = std::chrono::seconds{30};
constexpr int calm_niceness = 15;
constexpr int eager_niceness = 5;

/// Events of a transaction until then, or of what is read at a time: it may be
/// stopped in the middle for the more important work, while others cannot
/// write, and is not hurried up before its end.
constexpr size_t small_batch = 1000;

/// A round ends early when its different texts take this many bytes.
constexpr size_t max_text_bytes = size_t{64} << 20;

/// Longest time that a flush may take.
constexpr auto max_flush = std::chrono::seconds{10};

timestamp time_of_event(const journal::event& x) {
  return std::visit([](const auto& event) { return event.created_at; }, x);
}

/// Adds events to a round, each to its kind.
struct round_builder {
  click_pile& clicks;
  storage::event_batch& others;
  storage::event_batch::place place;

  void operator()(const click& x) {
    clicks.add(x, place);
  }

  void operator()(const excluded_visit& x) {
    others.excluded.push_back(x);
    others.excluded_places.push_back(place);
  }

  void operator()(const conversion_request& x) {
    others.conversions.push_back(x);
    others.conversion_places.push_back(place);
  }
};

} // namespace

// -- state --------------------------------------------------------------------

drain_state::drain_state()
  : x_calm("drain-calm", calm_niceness),
    x_eager("drain-eager", eager_niceness) {
  // nop
}

void drain_state::init(const drain_tools& tools) {
  x_tools = tools;
}

caf::error drain_state::connect() {
  if (x_reader == nullptr) {
    auto reader = journal::reader::open(x_tools.journal_dir, report_journal);
    if (!reader)
      return std::move(reader.error());
    x_reader = std::move(*reader);
  }
  if (x_db != nullptr)
    return caf::none;
  auto db = x_tools.open();
  if (!db)
    return std::move(db.error());
  auto stored = (*db)->journal_positions(x_tools.node);
  if (!stored)
    return std::move(stored.error());
  x_positions.clear();
  for (const auto& x : *stored)
    x_positions[x.journal] = x.last;
  x_db = std::move(*db);
  x_db->on_progress(background_thread::give_way);
  return caf::none;
}

bool drain_state::is_late() const noexcept {
  return waited() >= late_after;
}

std::chrono::microseconds drain_state::waited() const noexcept {
  if (x_is_awaited)
    return std::chrono::microseconds::max();
  return std::max(std::chrono::microseconds{}, now() - x_oldest);
}

template <class F>
auto drain_state::run(F f) {
  const auto age = waited();
  if (age >= eager_until)
    return f();
  std::optional<decltype(f())> result;
  auto& thread = age < calm_until ? x_calm : x_eager;
  thread.run([&] { result.emplace(f()); });
  return std::move(*result);
}

caf::error drain_state::read(int number, size_t max, round& to) {
  portion part{number};
  auto position = x_positions[number];
  size_t count = 0;
  for (;;) {
    const auto want = std::min({x_tools.batch, small_batch, max - count});
    const auto got = run([&] {
      return x_reader->read(
        number, position, want, [&](const journal::entry& x) {
          part.last = x.position;
          part.end = time_of_event(x.what);
          to.oldest = std::min(to.oldest, part.end);
          std::visit(round_builder{to.clicks, to.others, {number, x.position}},
                     x.what);
        });
    });
    if (!got)
      return got.error();
    x_oldest = to.oldest;
    position = std::max(position, part.last);
    count += *got;
    if (*got < want)
      break;
    if (count >= max || to.clicks.text_bytes() >= max_text_bytes) {
      part.more = true;
      break;
    }
  }
  to.portions.push_back(part);
  return caf::none;
}

caf::error drain_state::read(round& to) {
  auto numbers = x_reader->journals();
  if (!numbers)
    return std::move(numbers.error());
  to.oldest = now();
  const auto max = x_tools.round / std::max<size_t>(1, numbers->size());
  for (const auto number : *numbers)
    if (auto err = read(number, std::max(max, x_tools.batch), to))
      return err;
  x_oldest = to.oldest;
  leave_early_conversions(to);
  return caf::none;
}

void drain_state::leave_early_conversions(round& x) {
  std::optional<timestamp> complete_until;
  for (const auto& part : x.portions)
    if (part.more)
      complete_until
        = complete_until ? std::min(*complete_until, part.end) : part.end;
  if (!complete_until)
    return;
  for (auto& part : x.portions) {
    if (part.more)
      continue;
    for (size_t i = 0; i < x.others.conversions.size(); ++i) {
      const auto& place = x.others.conversion_places[i];
      if (place.journal == part.journal
          && x.others.conversions[i].created_at > *complete_until) {
        part.last = place.position - 1;
        x.drop_after(part.journal, part.last);
        break;
      }
    }
  }
}

void drain_state::round::drop_after(int journal, int64_t position) {
  clicks.drop_after(journal, position);
  // Journals are read one after the other, so what goes is in one piece.
  const auto drop = [=](auto& events, auto& places) {
    const auto goes = [=](const storage::event_batch::place& x) {
      return x.journal == journal && x.position > position;
    };
    const auto first = std::find_if(places.begin(), places.end(), goes);
    const auto last = std::find_if_not(first, places.end(), goes);
    events.erase(events.begin() + (first - places.begin()),
                 events.begin() + (last - places.begin()));
    places.erase(first, last);
  };
  drop(others.excluded, others.excluded_places);
  drop(others.conversions, others.conversion_places);
}

void drain_state::show_backlog() {
  if (x_reader == nullptr)
    return;
  int64_t depth = 0;
  auto oldest = timestamp::max();
  for (const auto& [journal, stored] : x_positions) {
    const auto waiting = x_tools.committed(journal) - stored;
    if (waiting <= 0)
      continue;
    depth += waiting;
    oldest = std::min(oldest, first_after(journal, stored));
  }
  x_tools.counters->journal_depth->Set(static_cast<double>(depth));
  x_tools.counters->journal_oldest
    = oldest == timestamp::max() ? 0 : oldest.time_since_epoch().count();
  x_tools.counters->journal_bytes->Set(static_cast<double>(x_reader->bytes()));
}

timestamp drain_state::first_after(int journal, int64_t position) {
  const auto entries = x_reader->read(journal, position, 1);
  return entries && !entries->empty() ? time_of_event(entries->front().what)
                                      : timestamp::max();
}

caf::error drain_state::store(const storage::event_batch& batch) {
  auto& counters = *x_tools.counters;
  const auto start = std::chrono::steady_clock::now();
  auto stored = x_db->store_events(batch);
  if (!stored) {
    // Whether it was stored after all is known by the positions and the ids.
    x_db.reset();
    return std::move(stored.error());
  }
  const auto count = static_cast<double>(
    batch.clicks.size() + batch.excluded.size() + batch.conversions.size());
  const std::chrono::duration<double> took
    = std::chrono::steady_clock::now() - start;
  counters.drain_seconds->Observe(took.count());
  counters.drain_batch_events->Observe(count);
  counters.drain_events->Increment(count);
  counters.drain_orphans->Increment(static_cast<double>(stored->orphans));
  counters.conversions_dropped->Increment(
    static_cast<double>(stored->conversions_dropped));
  x_conversion_waits = stored->is_conversion_waiting;
  if (x_tools.touched)
    x_tools.touched(stored->totals);
  return caf::none;
}

void drain_state::arrange(round& x) const {
  // A conversion belongs to its visitor's newest click before it, so it must
  // not find that a later one is stored already.
  std::unordered_set<int64_t> converting;
  for (const auto& request : x.others.conversions)
    for (const auto visitor : request.visitors)
      if (visitor != 0)
        converting.insert(visitor);
  x.clicks.arrange(converting);
}

caf::error drain_state::store(round& x) {
  x.others.node = x_tools.node;
  for (const auto& part : x.portions)
    if (part.last > x_positions[part.journal])
      x.others.ranges.push_back({part.journal, part.last});
  const auto size = x.clicks.size();
  size_t first = 0;
  storage::event_batch batch;
  batch.is_part = true;
  batch.node = x_tools.node;
  batch.ranges = x.others.ranges;
  for (;;) {
    const auto max = waited() < eager_until
                       ? std::min(x_tools.batch, small_batch)
                       : x_tools.batch;
    if (size - x.clicks.num_last() <= first + max)
      break;
    auto err = run([&] {
      x.clicks.copy(first, first + max, batch);
      return store(batch);
    });
    if (err)
      return err;
    first += max;
  }
  const auto store_last = [&] {
    x.clicks.copy(first, size, x.others);
    return store(x.others);
  };
  // Clicks of visitors who convert may be many, in one transaction.
  return size - first > small_batch ? store_last() : run(store_last);
}

caf::expected<bool> drain_state::move_round() {
  round next;
  if (x_num_clicks > 0)
    run([&] {
      // As large as the last one, or a quarter larger.
      next.clicks.reserve(x_num_clicks + x_num_clicks / 4,
                          x_num_texts + x_num_texts / 4);
      return true;
    });
  auto result = try_round(next);
  x_num_clicks = next.clicks.size();
  x_num_texts = next.clicks.num_texts();
  // A large one takes a while to be forgotten, too.
  return run([&] {
    next = {};
    show_backlog();
    return std::move(result);
  });
}

caf::expected<bool> drain_state::try_round(round& next) {
  if (auto err = connect())
    return err;
  if (auto err = read(next))
    return err;
  if (next.is_empty() && !x_conversion_waits) {
    x_tools.counters->drain_lag_seconds->Set(0);
    return false;
  }
  run([&] {
    arrange(next);
    return true;
  });
  auto err = store(next);
  if (err)
    return err;
  x_tools.counters->drain_lag_seconds->Set(
    std::chrono::duration<double>(now() - next.oldest).count());
  for (const auto& x : next.others.ranges) {
    x_positions[x.journal] = x.last;
    if (auto failed = run([&] { return x_reader->trim(x.journal, x.last); }))
      log::warning("journal not trimmed", {{"error", detail(failed)}});
  }
  return std::any_of(next.portions.begin(), next.portions.end(),
                     [](const portion& x) { return x.more; });
}

caf::error drain_state::move_all() {
  x_is_awaited = true;
  auto result = move_rounds();
  x_is_awaited = false;
  return result;
}

caf::error drain_state::move_rounds() {
  const auto end = std::chrono::steady_clock::now() + max_flush;
  while (std::chrono::steady_clock::now() < end) {
    auto more = move_round();
    if (!more)
      return std::move(more.error());
    if (!*more)
      return caf::none;
  }
  return make_error(ec::unavailable, "The journal is far behind, try again.");
}

// -- behavior -----------------------------------------------------------------

std::chrono::milliseconds rest_after(std::chrono::steady_clock::duration round,
                                     std::chrono::milliseconds interval) {
  using std::chrono::milliseconds;
  const auto longest
    = std::min(std::chrono::ceil<milliseconds>(interval * max_rests), max_rest);
  const auto wanted = std::chrono::ceil<milliseconds>(round) * rest_factor;
  return std::max(interval, std::min(wanted, longest));
}

drain_actor::behavior_type
drain(drain_actor::stateful_pointer<drain_state> self,
      const drain_tools& tools) {
  self->state.init(tools);
  self->send(self, tick_atom::value);
  auto pause = std::make_shared<std::chrono::milliseconds>(tools.interval);
  return {
    [=](tick_atom) {
      const auto start = std::chrono::steady_clock::now();
      auto more = self->state.move_round();
      auto rest = tools.interval;
      if (!more) {
        tools.counters->drain_failures->Increment();
        // The first failure of a row is worth a line.
        if (*pause == tools.interval)
          log::error("events stay in the journal, the store does not take them",
                     {{"error", detail(more.error())}});
        *pause = std::min(*pause * 2, max_pause);
        rest = *pause;
      } else {
        if (*pause != tools.interval)
          log::info("the store takes events again");
        *pause = tools.interval;
        if (*more) {
          self->send(self, tick_atom::value);
          return;
        }
        if (!self->state.is_late())
          rest = rest_after(std::chrono::steady_clock::now() - start,
                            tools.interval);
      }
      self->delayed_send(self, rest, tick_atom::value);
    },
    [=](flush_atom) { return !self->state.move_all(); },
  };
}

} // namespace turnout
