#include "plugins/sql/recommendations.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <type_traits>

namespace turnout::plugins {

namespace {

// A snapshot is lines of fields with a tab behind each, the first field being
// the kind of the line. Labels have no control characters. An absent number is
// "-".
//   evidence alpha required ln_evidence
//   stratum  weight clicks conversions, once for each variant
//   variant  id label weight numbers...

constexpr std::string_view absent = "-";

template <class T>
void put(std::string& out, const T& x) {
  if constexpr (std::is_arithmetic_v<T>) {
    char buf[40];
    const auto end = std::to_chars(buf, buf + sizeof(buf), x).ptr;
    out.append(buf, end);
  } else {
    out += x;
  }
  out += '\t';
}

template <class T>
void put(std::string& out, const std::optional<T>& x) {
  if (x)
    put(out, *x);
  else
    put(out, absent);
}

/// Reads the fields of a line one after the other.
class fields {
public:
  explicit fields(std::string_view line) : x_rest(line) {
    // nop
  }

  bool done() const noexcept {
    return x_rest.empty();
  }

  std::string_view text() {
    const auto end = std::min(x_rest.find('\t'), x_rest.size());
    const auto result = x_rest.substr(0, end);
    x_rest.remove_prefix(std::min(end + 1, x_rest.size()));
    return result;
  }

  template <class T>
  void get(T& x) {
    const auto field = text();
    std::from_chars(field.data(), field.data() + field.size(), x);
  }

  template <class T>
  void get(std::optional<T>& x) {
    const auto field = text();
    x.reset();
    if (field != absent)
      std::from_chars(field.data(), field.data() + field.size(), x.emplace());
  }

private:
  std::string_view x_rest;
};

/// Calls `f` with each number of a variant, in the order of the line.
template <class Numbers, class F>
void each_number(Numbers& x, F f) {
  f(x.clicks);
  f(x.conversions);
  f(x.adjusted_clicks);
  f(x.credible_lower);
  f(x.credible_upper);
  f(x.probability_to_be_best);
  f(x.expected_loss);
  f(x.rival);
  f(x.lift);
  f(x.lift_lower);
  f(x.lift_upper);
  f(x.ln_evidence);
}

std::string encode(const recommendation& x) {
  std::string out;
  put(out, "evidence");
  put(out, x.alpha);
  put(out, x.required);
  put(out, x.ln_evidence);
  for (const auto& y : x.strata) {
    out += '\n';
    put(out, "stratum");
    for (size_t i = 0; i < x.variants.size(); ++i) {
      put(out, y.weights[i]);
      put(out, y.clicks[i]);
      put(out, y.conversions[i]);
    }
  }
  for (const auto& y : x.variants) {
    out += '\n';
    put(out, "variant");
    put(out, y.variant_id.str());
    put(out, y.label);
    put(out, y.weight);
    each_number(y.numbers, [&](const auto& number) { put(out, number); });
    put(out, y.numbers.contender ? 1 : 0);
  }
  return out;
}

void decode_line(fields line, recommendation& x) {
  const auto kind = line.text();
  if (kind == "evidence") {
    line.get(x.alpha);
    line.get(x.required);
    line.get(x.ln_evidence);
  } else if (kind == "stratum") {
    auto& y = x.strata.emplace_back();
    for (size_t i = 0; i < max_compared && !line.done(); ++i) {
      line.get(y.weights[i]);
      line.get(y.clicks[i]);
      line.get(y.conversions[i]);
    }
  } else if (kind == "variant") {
    auto& y = x.variants.emplace_back();
    y.variant_id = uuid::parse(line.text()).value_or(uuid{});
    y.label = line.text();
    line.get(y.weight);
    each_number(y.numbers, [&](auto& number) { line.get(number); });
    auto contender = 0;
    line.get(contender);
    y.numbers.contender = contender != 0;
  }
}

} // namespace

recommendation_row::recommendation_row(const recommendation& x)
  : link_key(x.link_key),
    generation(x.generation),
    variant_id(x.variant_id),
    label(x.label),
    decided_at(to_micros(x.decided_at)),
    cause(static_cast<int>(x.trigger)),
    conversion_id(x.conversion_id),
    method(x.method),
    threshold(x.threshold),
    snapshot(encode(x)) {
  // nop
}

recommendation recommendation_row::get() const {
  recommendation x;
  x.link_key = link_key;
  x.generation = generation;
  x.variant_id = variant_id;
  x.label = label;
  x.decided_at = from_micros(decided_at);
  x.trigger = static_cast<winner_trigger>(cause);
  x.conversion_id = conversion_id;
  x.method = method;
  x.threshold = threshold;
  std::string_view rest{snapshot};
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    decode_line(fields{rest.substr(0, end)}, x);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return x;
}

} // namespace turnout::plugins
