#pragma once

#include "tests/api/harness/http_client.hpp"

#include <cstdint>
#include <string>

namespace turnout::test {

/// Writes an exchange down for check-exchanges.mjs, which compares it with the
/// description of the API after the tests; does nothing unless the environment
/// variable TURNOUT_TEST_RECORD_DIR names a directory. Each process writes to
/// a file of its own, in a directory named after its parent, so that runs
/// beside each other do not mix. Bounded: beyond 20 exchanges of the same
/// request and status, and beyond 16 MiB, nothing more is written.
void record_exchange(uint16_t port, const std::string& method,
                     const std::string& path, const std::string& request_body,
                     const response& answer);

/// Leaves a port out, because something else than the public listener answers
/// there.
void record_nothing_of(uint16_t port);

} // namespace turnout::test
