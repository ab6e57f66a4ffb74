#pragma once

#include "core/error.hpp"

#include <string>
#include <string_view>

namespace turnout {

/// An answer. Connection, Content-Length and the empty body of HEAD are added
/// when it is rendered.
struct response {
  explicit response(int status_code) : status(status_code) {
    // nop
  }

  /// Adds a header. Control characters in the value are left out, so that no
  /// value can start a line of its own.
  response& header(std::string_view name, std::string_view value);

  /// Sets body and Content-Type.
  response& content(std::string_view type, std::string text);

  int status;

  /// Rendered header lines.
  std::string fields;

  std::string body;

  /// Whether the connection must not be used for another request.
  bool close = false;
};

/// Makes an answer with a JSON body.
response json_response(int status, std::string body);

/// Makes an answer {"detail": "<detail>"}.
response detail_response(int status, std::string_view detail);

/// Makes the answer of an error as the error table says.
response error_response(const caf::error& err);

/// Makes the answer of an error of the sign-in: as the error table says, but
/// wrong credentials are 400, and with the two fields of OAuth 2 beside the
/// detail.
response sign_in_error_response(const caf::error& err);

/// Returns the head of an answer whose body follows in parts.
/// @param chunked whether the parts are chunks; otherwise the body ends with
///                the connection.
std::string render_head(const response& x, bool keep_alive, bool chunked);

/// Returns a part of a body as a chunk. An empty one is the last.
std::string render_chunk(std::string_view part);

/// Returns the bytes for the wire.
/// @param head whether the request was HEAD: Content-Length, but no body.
std::string render(const response& x, bool head, bool keep_alive);

} // namespace turnout
