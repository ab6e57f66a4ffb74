#pragma once

#include "core/error.hpp"

#include <asio/ip/tcp.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

namespace turnout {

/// An address to listen on.
struct listen_address {
  /// Parses "127.0.0.1:8080", "[::1]:8080", "localhost:8080" or ":8080".
  static caf::expected<listen_address> parse(const std::string& text);

  std::string str() const;

  /// @throws std::system_error when the host is no address.
  asio::ip::tcp::endpoint endpoint() const;

  /// An IP address without brackets.
  std::string host;
  uint16_t port = 0;
};

/// Keeps a port for sockets that share it: found free before they open, so that
/// a second process fails instead of taking half of our connections.
class port_holder {
public:
  static caf::expected<std::unique_ptr<port_holder>>
  open(const listen_address& where);

  virtual ~port_holder() = default;

  /// The address with the port that was found.
  virtual listen_address where() const = 0;
};

/// The error of a socket that could not be opened there.
caf::error cannot_listen(const listen_address& where,
                         const std::system_error& e);

/// Lets several sockets listen on one port.
using reuse_port
  = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

} // namespace turnout
