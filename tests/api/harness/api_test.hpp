#pragma once

#include "tests/api/harness/eventually.hpp"
#include "tests/api/harness/http_client.hpp"
#include "tests/api/harness/raw_socket.hpp"
#include "tests/api/harness/server.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnout::test {

/// Path of the links operations.
inline const std::string links_path = "/api/v1/public/links";

/// Path of the server call of conversions.
inline const std::string conversions_path = "/api/v1/public/conversions";

/// A user agent that is nobody's crawler.
inline const std::string browser
  = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

/// An id that no link, variant or click has.
inline const std::string unknown_id = "01890000-0000-7000-8000-000000000000";

/// What the three places that count say of one link.
struct counts {
  int64_t list_clicks = 0;
  int64_t list_conversions = 0;
  int64_t analytics_clicks = 0;
  int64_t analytics_conversions = 0;
  int64_t click_list_total = 0;

  bool operator==(const counts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const counts& x);

/// Returns the variants of a link that always goes to `url` (weights 100 and 0,
/// labels a and b).
json::array one_destination(const std::string& url);

/// Returns two variants, labels a and b, to https://a.example/ and
/// https://b.example/.
json::array two_variants(int weight_a = 50, int weight_b = 50);

/// Makes one variant of a request.
json::object variant_body(const std::string& label, const std::string& url,
                          const json::value& weight);

/// Returns the string member `name`.
std::string text(const json::value& x, const std::string& name);

/// Returns the integer member `name`; throws when it is not one.
int64_t number(const json::value& x, const std::string& name);

/// Returns the variant of a link (or row of variant_performance) with a label.
json::object by_label(const json::value& variants, const std::string& label);

/// Returns the id of the variant with a label.
std::string variant_id(const json::value& link, const std::string& label);

/// Returns the days since 1970 as "YYYY-MM-DD", `offset` days from now in UTC.
/// Near midnight it waits until the new day, so that a test sees one day only.
std::string day(int offset = 0);

/// Matches a timestamp of the contract.
MATCHER(is_timestamp, "") {
  return testing::Matches(testing::MatchesRegex(
    "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z"))(arg);
}

/// Matches a UUIDv7.
MATCHER(is_uuid, "") {
  return testing::Matches(testing::MatchesRegex(
    "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"))(
    arg);
}

/// What the sticky cookie of an answer says.
struct sticky {
  std::string name;
  std::string variant_id;
  std::string click_id;

  /// The value of a Cookie header that sends it back.
  std::string header() const {
    return name + "=" + variant_id + "." + click_id;
  }
};

/// Returns the sticky cookie that an answer sets; throws when there is none.
sticky sticky_cookie(const response& x);

/// Starts the service and makes an account with a secret key.
class api_test : public testing::Test {
protected:
  void SetUp() override;

  void TearDown() override;

  /// Settings beside those that suit all tests.
  virtual environment settings() const {
    return {};
  }

  /// Sends a request with the owner's secret key.
  response call(const std::string& method, const std::string& path,
                const header_list& headers = {}, const std::string& body = {});

  response get(const std::string& path) {
    return call("GET", path);
  }

  response post(const std::string& path, const json::value& body,
                const header_list& headers = {});

  response put(const std::string& path, const json::value& body);

  response del(const std::string& path) {
    return call("DELETE", path);
  }

  /// Sends a request with another key.
  response call_as(const std::string& key, const std::string& method,
                   const std::string& path, const json::value& body = {});

  /// Sends a request without a key to the public listener.
  response send(const std::string& method, const std::string& path,
                const header_list& headers = {}, const std::string& body = {});

  /// Creates a link and returns it; throws unless the answer is 201.
  json::value make_link(const json::value& body);

  /// Creates a link of two variants with generated slug and given weights.
  json::value make_split(int weight_a = 50, int weight_b = 50);

  /// Creates a link that always goes to `url`.
  json::value make_single(const std::string& slug,
                          const std::string& url = "https://a.example/");

  /// GET of a short link with a browser's user agent, unless `headers` has
  /// another.
  response visit(const std::string& slug, header_list headers = {});

  /// Visits `n` times without a cookie and returns how often each Location
  /// came. Fails the test when an answer is not 302.
  std::map<std::string, int> visit_many(const std::string& slug, int n,
                                        const header_list& headers = {});

  counts counts_of(const json::value& link);

  /// Checks that within the time for freshness all places count the same, and
  /// that it stays so.
  void expect_counts(const json::value& link, int64_t clicks,
                     int64_t conversions = 0);

  /// Checks that nothing of what happened so far was counted on a link. Visits
  /// another link and waits until that is counted.
  void expect_no_counts(const json::value& link);

  /// Waits until a visit made now is in the store.
  void settle();

  json::value analytics(const json::value& link, const std::string& query = {});

  json::value clicks(const json::value& link, const std::string& query = {});

  /// Checks that days, variants and breakdowns of a link add up to its totals.
  /// @param nameless conversions that name neither click nor variant.
  void expect_sums_agree(const json::value& link, int64_t nameless = 0);

  /// Returns the number of all links of the owner.
  int64_t total_links();

  std::unique_ptr<server> service;
  /// Id, e-mail address and secret key of the account that `call` uses.
  std::string owner_id;
  std::string owner_email = "owner@example.com";
  std::string secret_key;

private:
  http_client& client();

  std::string x_client_origin;
  std::unique_ptr<http_client> x_client;
};

/// Returns the path of a link.
std::string path_of(const json::value& link, const std::string& rest = {});

/// Checks status and form of an error, and that its text mentions `word`.
void expect_error(const response& x, int status, const std::string& word = {});

} // namespace turnout::test
