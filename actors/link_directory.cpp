#include "actors/link_directory.hpp"

#include <atomic>
#include <future>
#include <utility>

namespace turnout {

namespace {

absl::string_view key_of(std::string_view slug) {
  return {slug.data(), slug.size()};
}

} // namespace

link_directory::link_directory(reactor_pool& pool, size_t max_unknown,
                               std::chrono::seconds unknown_lifetime,
                               metrics& counters)
  : x_pool(pool),
    x_max_unknown(max_unknown),
    x_unknown_lifetime(unknown_lifetime),
    x_counters(counters) {
  for (size_t i = 0; i < pool.size(); ++i) {
    x_parts.push_back(std::make_unique<part>());
    x_parts.back()->rotated = std::chrono::steady_clock::now();
  }
}

void link_directory::prefetch(std::string_view slug) const {
  x_parts[x_pool.current()]->links.prefetch(key_of(slug));
}

link_directory::result link_directory::find(std::string_view slug) {
  auto& mine = *x_parts[x_pool.current()];
  if (auto i = mine.links.find(key_of(slug)); i != mine.links.end()) {
    x_counters.directory_hits->Increment();
    return {i->second, false};
  }
  if (!mine.unknown.empty() || !mine.unknown_before.empty()) {
    rotate_if_due(mine);
    if (mine.unknown.contains(key_of(slug))
        || mine.unknown_before.contains(key_of(slug))) {
      x_counters.directory_unknown.increment();
      return {{}, true};
    }
  }
  x_counters.directory_misses->Increment();
  return {};
}

void link_directory::publish(const std::string& slug, const link_actor& handle,
                             std::function<void()> done) {
  on_every_reactor(
    [=](part& x) {
      x.links.insert_or_assign(slug, handle);
      x.unknown.erase(slug);
      x.unknown_before.erase(slug);
    },
    std::move(done));
}

void link_directory::forget(const std::string& slug,
                            std::function<void()> done) {
  on_every_reactor(
    [=](part& x) {
      x.links.erase(slug);
      x.unknown.erase(slug);
      x.unknown_before.erase(slug);
    },
    std::move(done));
}

void link_directory::publish_unknown(const std::string& slug) {
  on_every_reactor(
    [=, this](part& x) {
      if (x.links.contains(slug))
        return;
      rotate_if_due(x);
      x.unknown.insert(slug);
      if (&x == x_parts.front().get())
        x_counters.unknown_slugs->Set(
          static_cast<double>(x.unknown.size() + x.unknown_before.size()));
    },
    {});
}

void link_directory::clear() {
  std::promise<void> done;
  on_every_reactor(
    [](part& x) {
      x.links.clear();
      x.unknown.clear();
      x.unknown_before.clear();
    },
    [&] { done.set_value(); });
  done.get_future().wait();
}

void link_directory::on_every_reactor(std::function<void(part&)> change,
                                      std::function<void()> done) {
  auto left = std::make_shared<std::atomic<size_t>>(x_parts.size());
  for (size_t i = 0; i < x_parts.size(); ++i)
    x_pool.post(i, [=, this] {
      change(*x_parts[i]);
      if (left->fetch_sub(1) == 1 && done)
        done();
    });
}

void link_directory::rotate_if_due(part& x) {
  const auto t = std::chrono::steady_clock::now();
  if (x.unknown.size() < x_max_unknown / 2
      && t - x.rotated < x_unknown_lifetime / 2)
    return;
  // After a long silence the older generation is as old as the younger.
  if (t - x.rotated >= x_unknown_lifetime)
    x.unknown.clear();
  x.unknown_before = std::exchange(x.unknown, {});
  x.rotated = t;
}

} // namespace turnout
