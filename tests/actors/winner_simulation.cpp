#include "tests/actors/winner_simulation.hpp"

#include "actors/winner_watch.hpp"
#include "core/changes.hpp"
#include "core/routing.hpp"
#include "tests/actors/memory_backend.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <random>
#include <stdexcept>
#include <string>

namespace turnout::test {

namespace {

/// A link in a store in memory, with the watch of its node.
class simulated_link {
public:
  simulated_link(const simulation& x, uint64_t seed)
    : x_spec(x), x_random(seed), x_id(make_uuid(now())), x_watch(x_id) {
    link made = make_link("simulated");
    made.id = x_id;
    made.auto_winner = true;
    made.auto_winner_threshold = x.threshold;
    made.variants = make_variants(specs(x.weights), made.created_at);
    auto& evidence = x_store->evidence[made.id];
    x_evidence = &evidence;
    x_totals.link_id = made.id;
    x_totals.auto_winner = true;
    for (const auto& v : made.variants)
      x_totals.variants.push_back({v.id, 0, 0, 0});
    use(std::move(made));
  }

  simulation_end run() {
    simulation_end result;
    for (auto click = int64_t{1}; click <= x_spec.clicks; ++click) {
      if (click == x_spec.change_at)
        change_weights();
      visit(click);
      result.clicks = click;
      if (x_recommended)
        break;
    }
    result.recommended = x_recommended;
    result.evaluations = x_evaluations;
    return result;
  }

private:
  /// A conversion that is still to come.
  struct pending {
    int64_t at;
    size_t row;
    size_t variant;

    bool operator>(const pending& other) const {
      return at > other.at;
    }
  };

  static std::vector<variant_spec> specs(const std::vector<int>& weights) {
    std::vector<variant_spec> result;
    for (size_t i = 0; i < weights.size(); ++i)
      result.push_back({std::string(1, static_cast<char>('A' + i)),
                        "https://example.com/", weights[i]});
    return result;
  }

  /// Uniform in [0, 1), the same on every platform.
  double uniform() {
    return static_cast<double>(x_random() >> 11) * 0x1.0p-53;
  }

  /// Puts a stored state of the link in force.
  void use(link x) {
    x_routes = routing_table{x};
    x_totals.version = x.version;
    x_first_row = x_evidence->counts.size();
    x_evidence->strata.push_back(current_stratum(x));
    for (const auto& v : x.variants)
      x_evidence->counts.push_back({x.stratum, v.id, 0, 0});
    x_evidence->subject = std::move(x);
  }

  void change_weights() {
    auto next = replace_variants(x_evidence->subject,
                                 specs(x_spec.weights_after), now());
    if (!next)
      throw std::runtime_error{detail(next.error())};
    ++next->version;
    use(std::move(*next));
    x_factor = x_spec.factor_after;
    x_watch.note_change();
    evaluate();
  }

  void visit(int64_t click) {
    while (!x_pending.empty() && x_pending.top().at <= click) {
      const auto x = x_pending.top();
      x_pending.pop();
      convert(x.row, x.variant);
    }
    const auto draw = static_cast<uint32_t>(x_random() >> 32);
    const auto i = static_cast<size_t>(x_routes.choose("", {}, draw));
    ++x_totals.variants[i].clicks;
    ++x_evidence->counts[x_first_row + i].clicks;
    x_totals.last_conversion = {};
    note();
    if (uniform() >= x_spec.rates[i] * x_factor)
      return;
    if (x_spec.delay <= 0) {
      convert(x_first_row + i, i);
      return;
    }
    const auto wait = -std::log1p(-uniform()) * x_spec.delay;
    x_pending.push(
      {click + 1 + static_cast<int64_t>(wait), x_first_row + i, i});
  }

  void convert(size_t row, size_t variant) {
    ++x_evidence->counts[row].conversions;
    ++x_totals.variants[variant].conversions;
    ++x_totals.variants[variant].converted;
    x_totals.last_conversion = uuid{1, ++x_conversions};
    note();
  }

  void note() {
    x_watch.note(x_totals);
    evaluate();
  }

  void evaluate() {
    if (x_recommended || !x_watch.is_due())
      return;
    ++x_evaluations;
    const auto check = x_watch.take();
    const auto verdict = evaluate_winner(x_db, check, x_now);
    if (!verdict)
      throw std::runtime_error{detail(verdict.error())};
    x_watch.finish(*verdict);
    if (!verdict->made)
      return;
    const auto& variants = x_totals.variants;
    for (size_t i = 0; i < variants.size(); ++i)
      if (variants[i].variant_id == verdict->made->variant_id)
        x_recommended = i;
  }

  const simulation& x_spec;
  std::mt19937_64 x_random;
  std::shared_ptr<memory_store> x_store = std::make_shared<memory_store>();
  memory_backend x_db{x_store};
  uuid x_id;
  winner_evidence* x_evidence = nullptr;
  storage::link_totals x_totals;
  winner_watch x_watch;
  routing_table x_routes;
  size_t x_first_row = 0;
  double x_factor = 1;
  timestamp x_now = now();
  uint64_t x_conversions = 0;
  int64_t x_evaluations = 0;
  std::optional<size_t> x_recommended;
  std::priority_queue<pending, std::vector<pending>, std::greater<>> x_pending;
};

} // namespace

simulation_end simulate(const simulation& x, uint64_t seed) {
  return simulated_link{x, seed}.run();
}

simulation_summary simulate_many(const simulation& x, int runs, uint64_t seed) {
  simulation_summary result;
  result.runs = runs;
  const auto best = *std::max_element(x.rates.begin(), x.rates.end());
  const auto is_alone = std::count(x.rates.begin(), x.rates.end(), best) == 1;
  std::vector<int64_t> clicks;
  for (int i = 0; i < runs; ++i) {
    const auto end
      = simulate(x, seed + static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15ull);
    result.evaluations += static_cast<double>(end.evaluations) / runs;
    if (!end.recommended)
      continue;
    ++result.recommended;
    if (is_alone && x.rates[*end.recommended] == best)
      clicks.push_back(end.clicks);
    else
      ++result.wrong;
  }
  // Those that end otherwise count as if they took for ever.
  if (const auto half = static_cast<std::ptrdiff_t>(runs / 2);
      static_cast<std::ptrdiff_t>(clicks.size()) > half) {
    const auto middle = clicks.begin() + half;
    std::nth_element(clicks.begin(), middle, clicks.end());
    result.median_clicks = *middle;
  }
  return result;
}

} // namespace turnout::test
