#include "core/beta.hpp"

#include <boost/math/special_functions/beta.hpp>

#include <cmath>

namespace turnout {

namespace {

namespace policies = boost::math::policies;

// Errors come back as the nearest value instead of an exception; plain doubles
// are exact enough.
using quiet = policies::policy<
  policies::promote_double<false>,
  policies::domain_error<policies::ignore_error>,
  policies::pole_error<policies::ignore_error>,
  policies::overflow_error<policies::ignore_error>,
  policies::underflow_error<policies::ignore_error>,
  policies::denorm_error<policies::ignore_error>,
  policies::rounding_error<policies::ignore_error>,
  policies::evaluation_error<policies::ignore_error>,
  policies::indeterminate_result_error<policies::ignore_error>>;

} // namespace

double beta_distribution::deviation() const noexcept {
  const auto n = a + b;
  return std::sqrt(a * b / (n * n * (n + 1)));
}

double beta_distribution::density(double x) const noexcept {
  return boost::math::ibeta_derivative(a, b, x, quiet{});
}

double beta_distribution::below(double x) const noexcept {
  return boost::math::ibeta(a, b, x, quiet{});
}

double beta_distribution::above(double x) const noexcept {
  return boost::math::ibetac(a, b, x, quiet{});
}

double beta_distribution::quantile(double p) const noexcept {
  return boost::math::ibeta_inv(a, b, p, quiet{});
}

} // namespace turnout
