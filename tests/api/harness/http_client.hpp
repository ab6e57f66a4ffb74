#pragma once

#include <boost/json/value.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace turnout::test {

namespace json = boost::json;

/// Headers of a request, in order.
using header_list = std::vector<std::pair<std::string, std::string>>;

/// An answer.
struct response {
  int status = 0;
  /// By name in lower case.
  std::multimap<std::string, std::string> headers;
  std::string body;

  bool has(const std::string& name) const;

  /// Returns the value of a header (the name in lower case); throws when there
  /// is none or more than one.
  std::string header(const std::string& name) const;

  /// Returns all values of a header.
  std::vector<std::string> all(const std::string& name) const;

  /// Parses the body; throws with the body's start when it is not JSON.
  json::value json() const;

  /// Returns the error text. Throws unless the body is an object with nothing
  /// but a non-empty string `detail`.
  std::string detail() const;
};

/// Sends requests over one kept-alive connection. Follows no redirect, changes
/// no path and keeps no cookie. Not for several threads at once.
class http_client {
public:
  /// @param origin such as "http://127.0.0.1:8080".
  explicit http_client(const std::string& origin);

  http_client(http_client&&) noexcept;
  http_client& operator=(http_client&&) noexcept;

  ~http_client();

  /// Throws when there is no answer. Sends Content-Type application/json with
  /// a body unless `headers` names another.
  response send(const std::string& method, const std::string& path,
                const header_list& headers = {}, const std::string& body = {});

private:
  struct state;
  std::unique_ptr<state> x_state;
};

} // namespace turnout::test
