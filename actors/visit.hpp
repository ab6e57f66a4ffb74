#pragma once

#include "core/event.hpp"
#include "journal/journal.hpp"

#include <memory>
#include <optional>
#include <string>

namespace turnout {

/// What a LINK needs to know of a visit, read from the request once.
struct visit_request {
  std::string slug;
  /// Raw query without the question mark.
  std::string query;
  /// Raw Cookie header; the LINK looks for its own cookie.
  std::string cookies;
  /// Already cut and made valid UTF-8.
  std::string user_agent;
  /// Already cut; own host and junk are empty.
  std::string referrer;
  /// Upper-case ISO code; empty means unknown.
  std::string country;
  /// Anonymised address.
  std::string ip_address;
  /// Keyed hash of the full address and the user agent.
  int64_t visitor = 0;
  std::optional<exclusion> excluded;
  timestamp at;
};

/// What a LINK decided for a visit.
struct redirect_answer {
  std::string location;
  /// Name and value of the sticky cookie, such as "svc_v_<link>=<value>";
  /// empty when none is to be set.
  std::string cookie;
  /// To be journaled before the answer leaves.
  journal::event record;
};

/// A visit under way: the request, and the port through which it is answered,
/// once, from any thread. Destroyed unanswered it answers 503.
class visit {
public:
  virtual ~visit() = default;

  /// Who answers may take the texts out of it.
  virtual visit_request& request() noexcept = 0;

  /// Answers 302 after the record is journaled.
  virtual void redirect(redirect_answer answer) = 0;

  /// Answers 404.
  virtual void not_found() = 0;

  /// Answers 503.
  virtual void unavailable() = 0;
};

using visit_ptr = std::shared_ptr<visit>;

} // namespace turnout
