#pragma once

#include "actors/interfaces.hpp"
#include "monitoring/metrics.hpp"
#include "reactor/reactor_pool.hpp"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace turnout {

/// Knows the LINK of each slug that was visited lately, and the slugs that no
/// link has. Every reactor has a part of its own, so that a visit takes no
/// lock; the LINK SUPERVISOR tells all of them what changes.
class link_directory {
public:
  /// @param max_unknown unknown slugs that a reactor remembers at most.
  /// @param unknown_lifetime how long at most it remembers them.
  link_directory(reactor_pool& pool, size_t max_unknown,
                 std::chrono::seconds unknown_lifetime, metrics& counters);

  /// What is known of a slug.
  struct result {
    /// The LINK; null when it has to be loaded or does not exist.
    link_actor handle;
    /// Whether no link has the slug.
    bool is_unknown = false;
  };

  /// Has the processor fetch what `find` will read of a slug, while the caller
  /// still has other things to do: of many links it is in no cache.
  void prefetch(std::string_view slug) const;

  /// Looks a slug up in the part of the calling reactor.
  result find(std::string_view slug);

  /// Lets every reactor know the LINK of a slug, then calls `done` on one of
  /// them.
  void publish(const std::string& slug, const link_actor& handle,
               std::function<void()> done = {});

  /// Lets every reactor forget a slug, then calls `done` on one of them.
  void forget(const std::string& slug, std::function<void()> done = {});

  /// Lets every reactor remember that no link has the slug.
  void publish_unknown(const std::string& slug);

  /// Forgets everything and waits until every reactor did.
  void clear();

private:
  /// The part of one reactor. Unknown slugs live in two generations: when the
  /// younger is full or old enough, it becomes the older one.
  struct part {
    absl::flat_hash_map<std::string, link_actor> links;
    absl::flat_hash_set<std::string> unknown;
    absl::flat_hash_set<std::string> unknown_before;
    std::chrono::steady_clock::time_point rotated;
  };

  void on_every_reactor(std::function<void(part&)> change,
                        std::function<void()> done);

  void rotate_if_due(part& x);

  reactor_pool& x_pool;
  size_t x_max_unknown;
  std::chrono::steady_clock::duration x_unknown_lifetime;
  metrics& x_counters;
  std::vector<std::unique_ptr<part>> x_parts;
};

} // namespace turnout
