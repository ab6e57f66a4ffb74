#include "plugins/sqlite/packed_clicks.hpp"

#include "core/model.hpp"

#include <bit>
#include <cstring>

namespace turnout::sqlite {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint8_t is_repeat = 1;
constexpr uint8_t has_country_value = 2;

constexpr auto country_dimension = static_cast<size_t>(dimension::country);
constexpr auto referrer_dimension = static_cast<size_t>(dimension::referrer);

/// The dimensions that are of a user agent.
constexpr std::array agent_dimensions{static_cast<size_t>(dimension::browser),
                                      static_cast<size_t>(dimension::device),
                                      static_cast<size_t>(dimension::system)};

/// Returns the time of an id in microseconds; its milliseconds come first.
int64_t time_of_id(const uuid& id) noexcept {
  return static_cast<int64_t>(id.hi >> 16) * 1000;
}

void append_fixed(uint64_t x, std::string& to) {
  char bytes[sizeof(x)];
  std::memcpy(bytes, &x, sizeof(x));
  to.append(bytes, sizeof(x));
}

void append(uint64_t x, std::string& to) {
  for (; x >= 0x80; x >>= 7)
    to += static_cast<char>(x | 0x80);
  to += static_cast<char>(x);
}

void append(std::string_view x, std::string& to) {
  append(x.size(), to);
  to += x;
}

} // namespace

void pack(const packed_click& click, std::string& to) {
  const auto& country_value = click.values[country_dimension];
  uint8_t flags = 0;
  if (click.is_repeat)
    flags |= is_repeat;
  if (country_value != click.country)
    flags |= has_country_value;
  to += static_cast<char>(flags);
  append_fixed(click.id.hi, to);
  append_fixed(click.id.lo, to);
  append_fixed(static_cast<uint64_t>(click.visitor), to);
  const auto time = static_cast<uint64_t>(click.created_at)
                    - static_cast<uint64_t>(time_of_id(click.id));
  append((time << 1) ^ (0 - (time >> 63)), to);
  append(static_cast<uint64_t>(click.variant_key), to);
  append(static_cast<uint64_t>(click.stratum), to);
  append(static_cast<uint64_t>(click.agent), to);
  append(click.ip_address, to);
  append(click.referrer, to);
  append(click.values[referrer_dimension], to);
  append(click.country, to);
  if ((flags & has_country_value) != 0)
    append(country_value, to);
  if (click.agent != 0)
    return;
  append(click.user_agent, to);
  for (auto i : agent_dimensions)
    append(click.values[i], to);
}

bool click_unpacker::next(packed_click& click) noexcept {
  if (x_rest.empty() || x_is_damaged)
    return false;
  const auto flags = static_cast<uint8_t>(x_rest.front());
  x_rest.remove_prefix(1);
  if ((flags & ~(is_repeat | has_country_value)) != 0)
    x_is_damaged = true;
  click.is_repeat = (flags & is_repeat) != 0;
  click.id.hi = fixed_number();
  click.id.lo = fixed_number();
  click.visitor = static_cast<int64_t>(fixed_number());
  const auto time = number();
  click.created_at
    = static_cast<int64_t>(static_cast<uint64_t>(time_of_id(click.id))
                           + ((time >> 1) ^ (0 - (time & 1))));
  click.variant_key = static_cast<row_key>(number());
  click.stratum = static_cast<int>(number());
  click.agent = static_cast<int64_t>(number());
  click.ip_address = text();
  click.referrer = text();
  click.values[referrer_dimension] = text();
  click.country = text();
  click.values[country_dimension]
    = (flags & has_country_value) != 0 ? text() : click.country;
  const auto has_agent = click.agent == 0;
  click.user_agent = has_agent ? text() : std::string_view{};
  for (auto i : agent_dimensions)
    click.values[i] = has_agent ? text() : std::string_view{};
  return !x_is_damaged;
}

uint64_t click_unpacker::number() noexcept {
  uint64_t result = 0;
  for (auto shift = 0; shift < 64 && !x_rest.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(x_rest.front());
    x_rest.remove_prefix(1);
    result |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80)
      return result;
  }
  x_is_damaged = true;
  return 0;
}

uint64_t click_unpacker::fixed_number() noexcept {
  uint64_t result = 0;
  if (x_rest.size() < sizeof(result)) {
    x_is_damaged = true;
    return 0;
  }
  std::memcpy(&result, x_rest.data(), sizeof(result));
  x_rest.remove_prefix(sizeof(result));
  return result;
}

std::string_view click_unpacker::text() noexcept {
  const auto size = number();
  if (size > x_rest.size()) {
    x_is_damaged = true;
    return {};
  }
  const auto result = x_rest.substr(0, size);
  x_rest.remove_prefix(size);
  return result;
}

} // namespace turnout::sqlite
