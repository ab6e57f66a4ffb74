#include "actors/drain.hpp"

#include "actors/journal_report.hpp"
#include "core/error.hpp"
#include "core/visitor.hpp"
#include "monitoring/log.hpp"

#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace turnout {

namespace {

/// Longest pause between two tries while the store does not answer.
constexpr auto max_pause = std::chrono::milliseconds{5000};

/// How many times as long as a batch took the pause after it is, at most
/// `max_rest`: the more events a batch has, the more of them share pages, so
/// that under load it pays to wait for more.
constexpr int rest_factor = 8;

constexpr auto max_rest = std::chrono::milliseconds{1000};

/// Longest time that a flush may take.
constexpr auto max_flush = std::chrono::seconds{10};

timestamp time_of_event(const journal::event& x) {
  return std::visit([](const auto& event) { return event.created_at; }, x);
}

storage::click_classes classes_of(const click& x) {
  storage::click_classes result;
  auto agent = classify_agent(x.user_agent);
  const auto put = [&](dimension d, std::string value) {
    result.values[static_cast<size_t>(d)] = std::move(value);
  };
  put(dimension::country, x.country.empty() ? "unknown" : x.country);
  put(dimension::referrer, referrer_class(x.referrer));
  put(dimension::browser, std::move(agent.browser));
  put(dimension::device, std::move(agent.device));
  put(dimension::system, std::move(agent.system));
  return result;
}

/// Adds events to a batch, each to its kind.
struct batch_builder {
  storage::event_batch& batch;
  storage::event_batch::place place;

  void operator()(click& x) {
    batch.classes.push_back(classes_of(x));
    batch.clicks.push_back(std::move(x));
    batch.click_places.push_back(place);
  }

  void operator()(excluded_visit& x) {
    batch.excluded.push_back(x);
    batch.excluded_places.push_back(place);
  }

  void operator()(conversion_request& x) {
    batch.conversions.push_back(std::move(x));
    batch.conversion_places.push_back(place);
  }
};

} // namespace

// -- state --------------------------------------------------------------------

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
  return caf::none;
}

caf::expected<std::vector<drain_state::portion>> drain_state::read() {
  auto numbers = x_reader->journals();
  if (!numbers)
    return std::move(numbers.error());
  std::vector<portion> result;
  for (const auto number : *numbers) {
    auto entries = x_reader->read(number, x_positions[number], x_tools.batch);
    if (!entries)
      return std::move(entries.error());
    const auto more = entries->size() >= x_tools.batch;
    result.push_back({number, std::move(*entries), more});
  }
  return result;
}

void drain_state::show_backlog() {
  int64_t depth = 0;
  for (const auto& [journal, stored] : x_positions)
    depth += std::max<int64_t>(0, x_tools.committed(journal) - stored);
  x_tools.counters->journal_depth->Set(static_cast<double>(depth));
  x_tools.counters->journal_bytes->Set(static_cast<double>(x_reader->bytes()));
}

caf::expected<bool> drain_state::move_batch() {
  if (auto err = connect())
    return err;
  auto portions = read();
  if (!portions)
    return std::move(portions.error());
  // A conversion may name a click of another journal. Where a journal has more
  // than was read, conversions made after the end of what was read wait.
  std::optional<timestamp> complete_until;
  auto more = false;
  for (const auto& x : *portions) {
    if (!x.more)
      continue;
    more = true;
    const auto end = time_of_event(x.entries.back().what);
    complete_until = complete_until ? std::min(*complete_until, end) : end;
  }
  storage::event_batch batch;
  batch.node = x_tools.node;
  int64_t count = 0;
  auto oldest = now();
  for (auto& x : *portions) {
    int64_t last = 0;
    for (auto& entry : x.entries) {
      if (complete_until && !x.more
          && std::holds_alternative<conversion_request>(entry.what)
          && time_of_event(entry.what) > *complete_until)
        break;
      oldest = std::min(oldest, time_of_event(entry.what));
      last = entry.position;
      std::visit(batch_builder{batch, {x.journal, last}}, entry.what);
      ++count;
    }
    if (last > 0)
      batch.ranges.push_back({x.journal, last});
  }
  auto& counters = *x_tools.counters;
  if (count == 0 && !x_conversion_waits) {
    counters.drain_lag_seconds->Set(0);
    show_backlog();
    return false;
  }
  const auto start = std::chrono::steady_clock::now();
  auto stored = x_db->store_events(batch);
  if (!stored) {
    // Whether it was stored after all is known by the positions.
    x_db.reset();
    return std::move(stored.error());
  }
  x_conversion_waits = stored->is_conversion_waiting;
  const std::chrono::duration<double> took
    = std::chrono::steady_clock::now() - start;
  counters.drain_seconds->Observe(took.count());
  counters.drain_batch_events->Observe(static_cast<double>(count));
  counters.drain_events->Increment(static_cast<double>(count));
  counters.drain_orphans->Increment(static_cast<double>(stored->orphans));
  counters.conversions_dropped->Increment(
    static_cast<double>(stored->conversions_dropped));
  counters.drain_lag_seconds->Set(
    std::chrono::duration<double>(now() - oldest).count());
  if (x_tools.touched)
    x_tools.touched(stored->totals);
  for (const auto& x : batch.ranges) {
    x_positions[x.journal] = x.last;
    if (auto err = x_reader->trim(x.journal, x.last))
      log::warning("journal not trimmed", {{"error", detail(err)}});
  }
  show_backlog();
  return more;
}

caf::error drain_state::move_all() {
  const auto end = std::chrono::steady_clock::now() + max_flush;
  while (std::chrono::steady_clock::now() < end) {
    auto more = move_batch();
    if (!more)
      return std::move(more.error());
    if (!*more)
      return caf::none;
  }
  return make_error(ec::unavailable, "The journal is far behind, try again.");
}

// -- behavior -----------------------------------------------------------------

drain_actor::behavior_type
drain(drain_actor::stateful_pointer<drain_state> self,
      const drain_tools& tools) {
  self->state.init(tools);
  self->send(self, tick_atom::value);
  auto pause = std::make_shared<std::chrono::milliseconds>(tools.interval);
  return {
    [=](tick_atom) {
      const auto start = std::chrono::steady_clock::now();
      auto more = self->state.move_batch();
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
        const auto took = std::chrono::ceil<std::chrono::milliseconds>(
          std::chrono::steady_clock::now() - start);
        rest = std::max(tools.interval, std::min(took * rest_factor, max_rest));
      }
      self->delayed_send(self, rest, tick_atom::value);
    },
    [=](flush_atom) { return !self->state.move_all(); },
  };
}

} // namespace turnout
