#pragma once

#include "tests/api/harness/raw_socket.hpp"
#include "tests/api/harness/response.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnout::test {

/// Headers of a request, in order.
using header_list = std::vector<std::pair<std::string, std::string>>;

/// Sends requests over one kept-alive connection. Follows no redirect, changes
/// no byte of paths and headers, adds none but Host and those of the body, and
/// keeps no cookie. Not for several threads at once.
class http_client {
public:
  /// @param origin such as "http://127.0.0.1:8080".
  explicit http_client(const std::string& origin);

  /// Throws when there is no answer. Sends Content-Type application/json with
  /// a body unless `headers` names another.
  response send(const std::string& method, const std::string& path,
                const header_list& headers = {}, const std::string& body = {});

private:
  uint16_t x_port;
  std::optional<raw_socket> x_socket;
};

} // namespace turnout::test
