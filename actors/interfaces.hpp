#pragma once

#include "actors/messages.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace turnout {

// The catalogue of typed actors. Comments call actors in CAPITALS.

/// A STORE WORKER owns a connection and a thread.
using store_worker_actor = caf::typed_actor<
  // Runs a job and answers its result; the answer of a job that throws is an
  // error and the end of the worker.
  caf::replies_to<store_job>::with<store_outcome>>;

/// The STORE POOL hands jobs to a fixed number of STORE WORKERS.
using store_pool_actor = caf::typed_actor<
  // Runs a job when a worker is idle; answers `ec::unavailable` when too many
  // jobs wait already.
  caf::replies_to<store_job>::with<store_outcome>,
  // INTERNAL: replaces workers that died.
  caf::reacts_to<tick_atom>>;

/// A LINK owns the state of one short link.
using link_actor = caf::typed_actor<
  // Chooses a variant and answers the visit.
  caf::reacts_to<visit_ptr>,
  // Reads or changes the link; changes are stored first, one after the other.
  caf::reacts_to<link_call_ptr>,
  // Reads the link from the store again, because another node changed it.
  caf::reacts_to<reload_atom>,
  // Ends the actor, after what is under way.
  caf::reacts_to<leave_atom>>;

/// The LINK SUPERVISOR creates, loads and passivates LINKs.
using link_supervisor_actor = caf::typed_actor<
  // Passes a visit to its LINK, loading it once for all that ask meanwhile.
  caf::reacts_to<visit_ptr>,
  // Passes a call to its LINK, loading it if necessary.
  caf::reacts_to<link_call_ptr>,
  // Stores a new link, makes its LINK, and answers when every reactor knows it.
  caf::reacts_to<creation_call_ptr>,
  // Another process changed the link of this id.
  caf::reacts_to<reload_atom, uuid>,
  // INTERNAL: looks for idle LINKs.
  caf::reacts_to<tick_atom>,
  // INTERNAL: no reactor sends visits to this link any more.
  caf::reacts_to<left_atom, uuid>>;

/// The KEY MANAGER keeps the snapshot of keys that authentication reads.
using key_manager_actor = caf::typed_actor<
  // Reads keys and accounts from the store again.
  caf::reacts_to<reload_atom>,
  // Changes the store, then the snapshot, then answers.
  caf::reacts_to<key_call_ptr>,
  // INTERNAL: stores when keys were used last.
  caf::reacts_to<tick_atom>>;

/// The JWKS KEEPER fetches the keys of an external identity provider.
using jwks_keeper_actor = caf::typed_actor<
  // Answers whom a session token with an unknown key speaks for, after fetching
  // the keys once for all that ask meanwhile.
  caf::reacts_to<session_call_ptr>,
  // INTERNAL: fetches for those who wait.
  caf::reacts_to<tick_atom>,
  // INTERNAL: fetches because it is time.
  caf::reacts_to<reload_atom>>;

/// The SIGN-IN DESK checks passwords and issues session tokens, on a thread of
/// its own.
using sign_in_desk_actor = caf::typed_actor<
  // Checks a password or rotates a refresh token, and answers tokens.
  caf::reacts_to<sign_in_call_ptr>>;

/// The RATE LIMITER counts API requests of accounts by the UTC hour, in the
/// store.
using rate_limiter_actor = caf::typed_actor<
  // Counts one request and answers whether it may pass, or only tells the
  // numbers of the account.
  caf::reacts_to<admission_call_ptr>>;

/// The WINNER JUDGE evaluates links whose evidence changed, and has a
/// recommendation stored when one is due.
using winner_judge_actor = caf::typed_actor<
  // The store has new totals of these links.
  caf::reacts_to<touched_links_ptr>,
  // A link was changed.
  caf::reacts_to<reload_atom, uuid>,
  // A reader saw that the recommendation of a link is due. Evaluates the link
  // after a while, in which those who stored its events have it evaluated.
  caf::reacts_to<overdue_atom, uuid>,
  // INTERNAL: that while is over.
  caf::reacts_to<tick_atom, uuid>,
  // INTERNAL: goes on after a failure of the store.
  caf::reacts_to<tick_atom>>;

/// The DRAIN moves events from the journals into the store.
using drain_actor = caf::typed_actor<
  // INTERNAL: moves what there is.
  caf::reacts_to<tick_atom>,
  // Moves all that was journaled before this message, then answers whether
  // that succeeded.
  caf::replies_to<flush_atom>::with<bool>>;

/// The CONVERSION RECORDER stores conversions of the server call.
using conversion_recorder_actor = caf::typed_actor<
  // Records a conversion; when its click is not found, lets the DRAIN catch up
  // and tries once more.
  caf::reacts_to<conversion_call_ptr>>;

/// The CHANGE FEED tells the others what other processes changed.
using change_feed_actor = caf::typed_actor<
  // INTERNAL: reads the changes since the last ones.
  caf::reacts_to<tick_atom>>;

/// The SECRET KEEPER fetches the secrets of visitor keys ahead of their day.
using secret_keeper_actor = caf::typed_actor<
  // INTERNAL: fetches.
  caf::reacts_to<tick_atom>>;

/// The JOURNAL SYNCER forces commits of the journals to the disk.
using journal_syncer_actor = caf::typed_actor<
  // INTERNAL: syncs.
  caf::reacts_to<tick_atom>>;

} // namespace turnout
