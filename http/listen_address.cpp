#include "http/listen_address.hpp"

#include "core/ascii.hpp"

#include <asio/io_context.hpp>

#include <algorithm>

namespace turnout {

namespace {

using asio::ip::tcp;

class bound_port final : public port_holder {
public:
  explicit bound_port(const listen_address& where)
    : x_where{where}, x_acceptor{x_context} {
    const auto endpoint = where.endpoint();
    if (where.port != 0) {
      // Fails when anybody listens there, even if they would share.
      tcp::acceptor probe{x_context};
      probe.open(endpoint.protocol());
      probe.set_option(tcp::acceptor::reuse_address{true});
      probe.bind(endpoint);
    }
    x_acceptor.open(endpoint.protocol());
    x_acceptor.set_option(tcp::acceptor::reuse_address{true});
    x_acceptor.set_option(reuse_port{true});
    x_acceptor.bind(endpoint);
    x_where.port = x_acceptor.local_endpoint().port();
  }

  listen_address where() const override {
    return x_where;
  }

private:
  listen_address x_where;
  asio::io_context x_context;
  tcp::acceptor x_acceptor;
};

} // namespace

// -- listen_address -----------------------------------------------------------

caf::expected<listen_address> listen_address::parse(const std::string& text) {
  const auto broken = make_error(
    ec::config, "'" + text
                  + "' is not an address and port to listen on, such "
                    "as 127.0.0.1:8080");
  const auto colon = text.rfind(':');
  if (colon == std::string::npos)
    return broken;
  listen_address result;
  result.host = text.substr(0, colon);
  const auto port = text.substr(colon + 1);
  if (port.empty() || port.size() > 5
      || !std::all_of(port.begin(), port.end(), is_digit)
      || std::stoi(port) > 65535)
    return broken;
  result.port = static_cast<uint16_t>(std::stoi(port));
  if (result.host.empty())
    result.host = "0.0.0.0";
  else if (result.host == "localhost")
    result.host = "127.0.0.1";
  else if (result.host.front() == '[' && result.host.back() == ']')
    result.host = result.host.substr(1, result.host.size() - 2);
  asio::error_code err;
  asio::ip::make_address(result.host, err);
  if (err)
    return broken;
  return result;
}

std::string listen_address::str() const {
  const auto is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

tcp::endpoint listen_address::endpoint() const {
  return {asio::ip::make_address(host), port};
}

caf::error cannot_listen(const listen_address& where,
                         const std::system_error& e) {
  return make_error(ec::config, "cannot listen on " + where.str() + ": "
                                  + e.code().message());
}

// -- port_holder --------------------------------------------------------------

caf::expected<std::unique_ptr<port_holder>>
port_holder::open(const listen_address& where) {
  try {
    return std::unique_ptr<port_holder>{std::make_unique<bound_port>(where)};
  } catch (const std::system_error& e) {
    return cannot_listen(where, e);
  }
}

} // namespace turnout
