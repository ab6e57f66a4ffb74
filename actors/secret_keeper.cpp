#include "actors/secret_keeper.hpp"

#include "actors/store_call.hpp"
#include "core/identifiers.hpp"
#include "monitoring/log.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstring>

namespace turnout {

namespace {

/// Tomorrow's secret is there hours before it is needed.
constexpr auto fetch_interval = std::chrono::minutes{10};

} // namespace

secret_box::secret_box() : x_secrets(std::make_shared<const snapshot>()) {
  random_bytes(x_fallback);
}

secret_box::secret secret_box::of(day_number day) const {
  const auto secrets = x_secrets.load();
  if (auto i = secrets->find(day); i != secrets->end())
    return i->second;
  auto result = x_fallback;
  for (size_t i = 0; i < sizeof(day); ++i)
    result[i] ^= static_cast<uint8_t>(static_cast<uint32_t>(day) >> (8 * i));
  return result;
}

void secret_box::replace(const std::vector<storage::day_secret>& secrets) {
  auto next = std::make_shared<snapshot>();
  for (const auto& x : secrets)
    next->emplace(x.day, x.secret);
  x_secrets.store(std::move(next));
}

std::vector<day_number> secret_days(timestamp at) {
  const auto today = day_of(at);
  return {today - 1, today, today + 1};
}

secret_keeper_actor::behavior_type
secret_keeper(secret_keeper_actor::pointer self, secret_box* box,
              const store_pool_actor& pool) {
  using secrets = std::vector<storage::day_secret>;
  self->send(self, tick_atom::value);
  return {
    [=](tick_atom) {
      self->delayed_send(self, fetch_interval, tick_atom::value);
      store_call<secrets>(
        self, pool, "day_secrets",
        [](storage::backend& db) { return db.day_secrets(secret_days(now())); },
        [=](caf::expected<secrets>& result) {
          if (result)
            box->replace(*result);
          else
            log::warning("secrets of visitor keys not read, trying again",
                         {{"error", detail(result.error())}});
        });
    },
  };
}

} // namespace turnout
