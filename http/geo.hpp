#pragma once

#include "core/error.hpp"
#include "core/privacy.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace turnout {

/// Looks countries up by address in a file of the MaxMind DB format, with the
/// layout of MaxMind (`country.iso_code`) or of ip-location-db
/// (`country_code`). A missing or broken file is a warning in the log and no
/// country; a changed file is picked up by `refresh`. The file is read into
/// memory, so overwriting it in place does no harm.
class geo_lookup {
public:
  /// Loads the file.
  /// @param file may be empty: no look-up at all.
  explicit geo_lookup(std::filesystem::path file);

  ~geo_lookup();

  geo_lookup(const geo_lookup&) = delete;
  geo_lookup& operator=(const geo_lookup&) = delete;

  /// Returns the upper-case ISO code of an address; empty when it is unknown,
  /// private or reserved. From any thread, without a shared lock.
  std::string country(const ip_address& x) const;

  /// Takes countries from another file (empty: from none). Fails, and changes
  /// nothing, when it cannot be read. For the thread that calls `refresh`.
  caf::error use(std::filesystem::path file);

  /// Returns when the database in use was built, in seconds of Unix time;
  /// nullopt without one. For the thread that calls `refresh`.
  std::optional<int64_t> built() const;

  /// Loads the file again if it changed since the last call; to be called every
  /// few seconds, by one thread at a time that may block.
  void refresh();

private:
  class database;

  /// What tells two states of the file apart.
  struct stamp {
    int64_t modified = 0;
    int64_t size = -1;
    uint64_t inode = 0;

    bool operator==(const stamp&) const = default;
  };

  stamp current_stamp() const;

  struct cached;

  cached& current() const;

  void publish(std::shared_ptr<const database> next);

  std::filesystem::path x_file;
  /// Tells this object from others that lived at the same address.
  const uint64_t x_id;
  stamp x_seen;
  bool x_warned_missing = false;
  std::atomic<uint64_t> x_generation{0};
  mutable std::mutex x_mtx;
  std::shared_ptr<const database> x_database;
};

} // namespace turnout
