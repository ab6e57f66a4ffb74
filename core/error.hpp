#pragma once

#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/sec.hpp>

#include <cstdint>
#include <string>

namespace turnout {

/// Every way in which an operation of Turnout can fail. The table in
/// http/error_table.cpp maps each to an HTTP status.
enum class ec : uint8_t {
  /// No error.
  none = 0,
  /// A path or query value cannot be parsed (400).
  bad_request,
  /// No API key, or an unknown or revoked one (401).
  unauthorized,
  /// No session token, or an invalid one (401 with WWW-Authenticate).
  no_session,
  /// The credential is valid but may not do this (403).
  forbidden,
  /// The thing does not exist or belongs to somebody else (404).
  not_found,
  /// The path is known but not with this method (405).
  method_not_allowed,
  /// A value that must be unique is taken (409).
  conflict,
  /// The same request is still running (409 with Retry-After).
  in_progress,
  /// The body is larger than the limit (413).
  too_large,
  /// The body has a type that is not JSON (415).
  unsupported_type,
  /// A well-formed value breaks a rule (422).
  invalid,
  /// The rate limit of the account or address is used up (429).
  rate_limited,
  /// The request's headers are larger than the limit (431).
  headers_too_large,
  /// A bug or an impossible state (500).
  internal,
  /// The store does not answer, or is busy beyond its bound (503).
  unavailable,
  /// The row was changed by another node since it was read; read again.
  stale,
  /// The store's schema is newer than this binary; the process must not start.
  schema_too_new,
  /// The store's schema is older than this binary; run `turnout migrate`.
  schema_too_old,
  /// A storage plugin cannot be loaded; the process must not start.
  plugin,
  /// A setting is missing or out of range; the process must not start.
  config,
  /// The local journal cannot be opened, read or written.
  journal,
};

/// Returns the name of a code as it stands in logs, such as "not_found".
const char* to_string(ec code) noexcept;

/// Makes an error that carries the sentence its reader gets to see.
caf::error make_error(ec code, std::string detail);

/// Returns the sentence given to `make_error`, or a rendering of a foreign
/// error. Empty for no error.
std::string detail(const caf::error& err);

/// Returns the code of `err`; `ec::internal` for errors of other categories
/// (but `ec::unavailable` for requests that CAF could not deliver).
ec code_of(const caf::error& err) noexcept;

} // namespace turnout

CAF_BEGIN_TYPE_ID_BLOCK(turnout_core, caf::first_custom_type_id)

  CAF_ADD_TYPE_ID(turnout_core, (turnout::ec))

CAF_END_TYPE_ID_BLOCK(turnout_core)

// The second argument names the category; an atom takes 10 characters at most.
CAF_ERROR_CODE_ENUM(turnout::ec, "turnout")
