#pragma once

#include "http/request.hpp"
#include "http/response.hpp"

#include <string>
#include <string_view>

namespace turnout {

/// What the page of the dashboard must know of the service.
struct dashboard_addresses {
  /// Path of the API, such as "/api/v1".
  std::string_view api;
  /// Full address below which short links are.
  std::string_view short_base;
  /// Below which there is /auth/v1/token; empty when nobody said so of an
  /// external identity provider.
  std::string_view sign_in;
  /// What the sign-in wants as `apikey`; empty for anything.
  std::string_view anon_key;
};

/// The page of the dashboard, with the addresses of this service.
class dashboard_page {
public:
  dashboard_page() = default;

  explicit dashboard_page(const dashboard_addresses& x);

  /// Answers with the page, under a policy that lets it load and ask nothing
  /// that is not ours.
  response answer(const request& in) const;

private:
  std::string x_text;
  /// Quotes included.
  std::string x_etag;
  std::string x_policy;
};

/// Answers a request below /assets: a file that the page consists of.
response dashboard_asset(const request& in);

} // namespace turnout
