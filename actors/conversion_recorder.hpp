#pragma once

#include "actors/interfaces.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>

namespace turnout {

/// Behavior of the CONVERSION RECORDER.
/// @param current_drain returns the DRAIN, which may have been restarted.
/// @param touched called with the new totals after each new conversion; may be
///                empty.
conversion_recorder_actor::behavior_type
conversion_recorder(conversion_recorder_actor::pointer self,
                    const store_pool_actor& pool,
                    std::function<drain_actor()> current_drain,
                    std::function<void(const storage::link_totals&)> touched);

} // namespace turnout
