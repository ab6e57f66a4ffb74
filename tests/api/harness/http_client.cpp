#include "tests/api/harness/http_client.hpp"

#include "tests/api/harness/recorder.hpp"

#include <stdexcept>

namespace turnout::test {

http_client::http_client(const std::string& origin)
  : x_port(
    static_cast<uint16_t>(std::stoi(origin.substr(origin.rfind(':') + 1)))) {
  // nop
}

response http_client::send(const std::string& method, const std::string& path,
                           const header_list& headers,
                           const std::string& body) {
  auto bytes = method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:"
               + std::to_string(x_port) + "\r\n";
  bool has_type = body.empty();
  for (auto& [name, value] : headers) {
    bytes += name + ": " + value + "\r\n";
    has_type = has_type || name == "Content-Type";
  }
  if (!has_type)
    bytes += "Content-Type: application/json\r\n";
  if (!body.empty() || method == "POST" || method == "PUT")
    bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  bytes += "\r\n" + body;
  // The service may close a connection that was idle.
  if (!x_socket || !x_socket->idle())
    x_socket.emplace(x_port);
  x_socket->send(bytes);
  auto answer = x_socket->receive(method == "HEAD", std::chrono::seconds{60});
  if (!answer) {
    x_socket.reset();
    throw std::runtime_error("no answer to " + method + " "
                             + path.substr(0, 100));
  }
  record_exchange(x_port, method, path, body, *answer);
  // Whether the end is here already does not matter.
  if (answer->has("connection") && answer->header("connection") == "close")
    x_socket.reset();
  return std::move(*answer);
}

} // namespace turnout::test
