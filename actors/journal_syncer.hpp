#pragma once

#include "actors/interfaces.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <filesystem>

namespace turnout {

/// Behavior of the JOURNAL SYNCER, which blocks and therefore must be detached.
/// @param interval what a power cut can take at most.
journal_syncer_actor::behavior_type
journal_syncer(journal_syncer_actor::pointer self,
               const std::filesystem::path& dir,
               std::chrono::milliseconds interval);

} // namespace turnout
