#pragma once

#include "actors/reply.hpp"
#include "actors/service.hpp"
#include "actors/visit.hpp"
#include "core/model.hpp"
#include "storage/backend.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace turnout {

class key_ring;

// The messages between actors. None ever leaves the process, so none can be
// serialised. Large payloads travel as shared pointers.

/// The result of a store job.
struct store_outcome {
  /// An `expected<T>` that only the sender of the job looks into (see
  /// store_call.hpp).
  std::shared_ptr<void> value;
  /// Whether the store did what it was asked, if only to say that something is
  /// not there.
  bool answered = true;
};

/// A piece of work for a store worker.
struct store_job {
  /// What it does, for metrics: the name of the backend's function.
  const char* name = "";
  /// Runs on a worker's thread.
  std::function<store_outcome(storage::backend&)> run;
};

/// Reads or changes a link of an account.
struct link_call {
  uuid account_id;
  uuid link_id;
  /// Empty for reading.
  link_change change;
  reply_ptr<link> reply;
  /// Whether the link may belong to any account; `account_id` means nothing
  /// then.
  bool any_owner = false;
};

/// Creates a link.
struct creation_call {
  creation_request request;
  reply_ptr<creation_answer> reply;
};

/// Records a conversion of the server call.
struct conversion_call {
  uuid account_id;
  conversion_request request;
  reply_ptr<storage::conversion_result> reply;
};

/// Counts an API request of an account, or only asks for its numbers.
struct admission_call {
  uuid account_id;
  /// Requests per hour.
  int limit = 0;
  /// Whether the request counts; otherwise only the numbers are asked for.
  bool counts = true;
  reply_ptr<rate_status> reply;
};

/// Changes what authentication reads.
struct key_call {
  /// What it does, for metrics.
  const char* name = "";
  /// Changes the store, on a worker's thread.
  std::function<caf::error(storage::backend&)> store;
  /// Changes the snapshot in the same way, after the store did.
  std::function<void(key_ring&)> apply;
  /// Answers. Must hold a reply that answers when this is dropped.
  std::function<void(caf::error)> done;
};

/// Asks whom a session token speaks for whose key is not known.
struct session_call {
  std::string token;
  reply_ptr<session> reply;
};

/// Signs in, with a password or, if there is one, a refresh token.
struct sign_in_call {
  std::string email;
  std::string password;
  std::string refresh_token;
  reply_ptr<sign_in_answer> reply;
  /// A place among those that may be under way.
  std::shared_ptr<void> ticket;
};

/// New totals of links that ask for a recommendation.
using touched_links_ptr
  = std::shared_ptr<const std::vector<storage::link_totals>>;

using link_call_ptr = std::shared_ptr<link_call>;
using creation_call_ptr = std::shared_ptr<creation_call>;
using conversion_call_ptr = std::shared_ptr<conversion_call>;
using admission_call_ptr = std::shared_ptr<admission_call>;
using key_call_ptr = std::shared_ptr<key_call>;
using session_call_ptr = std::shared_ptr<session_call>;
using sign_in_call_ptr = std::shared_ptr<sign_in_call>;

// -- atoms --------------------------------------------------------------------

/// INTERNAL: something that an actor does from time to time.
using tick_atom = caf::atom_constant<caf::atom("tick")>;

/// Read again what the store says.
using reload_atom = caf::atom_constant<caf::atom("reload")>;

/// What should have happened has perhaps not.
using overdue_atom = caf::atom_constant<caf::atom("overdue")>;

/// Do now what would be done later.
using flush_atom = caf::atom_constant<caf::atom("flush")>;

/// Leave: end after the messages that came before.
using leave_atom = caf::atom_constant<caf::atom("leave")>;

/// A link is known no longer by any reactor.
using left_atom = caf::atom_constant<caf::atom("left")>;

} // namespace turnout

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::store_job)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::store_outcome)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::uuid)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::visit_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::touched_links_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::link_call_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::creation_call_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::conversion_call_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::admission_call_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::key_call_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::session_call_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(turnout::sign_in_call_ptr)
