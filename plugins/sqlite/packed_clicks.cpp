#include "plugins/sqlite/packed_clicks.hpp"

#include "core/identifiers.hpp"
#include "core/time.hpp"

#include <cstddef>

namespace turnout::sqlite {

namespace {

constexpr uint8_t is_repeat = 1;
constexpr uint8_t has_country_value = 2;

constexpr auto country_dimension = static_cast<size_t>(dimension::country);
constexpr auto referrer_dimension = static_cast<size_t>(dimension::referrer);

/// The dimensions that are of a user agent.
constexpr std::array agent_dimensions{static_cast<size_t>(dimension::browser),
                                      static_cast<size_t>(dimension::device),
                                      static_cast<size_t>(dimension::system)};

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
                    - static_cast<uint64_t>(to_micros(time_of(click.id)));
  append_number((time << 1) ^ (0 - (time >> 63)), to);
  append_number(static_cast<uint64_t>(click.variant_key), to);
  append_number(static_cast<uint64_t>(click.stratum), to);
  append_number(static_cast<uint64_t>(click.agent), to);
  append_text(click.ip_address, to);
  append_text(click.referrer, to);
  append_text(click.values[referrer_dimension], to);
  append_text(click.country, to);
  if ((flags & has_country_value) != 0)
    append_text(country_value, to);
  if (click.agent != 0)
    return;
  append_text(click.user_agent, to);
  for (auto i : agent_dimensions)
    append_text(click.values[i], to);
}

bool unpack(byte_reader& from, packed_click& click) noexcept {
  if (from.is_end())
    return false;
  const auto flags = from.byte();
  if ((flags & ~(is_repeat | has_country_value)) != 0)
    from.set_damaged();
  click.is_repeat = (flags & is_repeat) != 0;
  click.id.hi = from.fixed();
  click.id.lo = from.fixed();
  click.visitor = static_cast<int64_t>(from.fixed());
  const auto time = from.number();
  click.created_at
    = static_cast<int64_t>(static_cast<uint64_t>(to_micros(time_of(click.id)))
                           + ((time >> 1) ^ (0 - (time & 1))));
  click.variant_key = static_cast<row_key>(from.number());
  click.stratum = static_cast<int>(from.number());
  click.agent = static_cast<int64_t>(from.number());
  click.ip_address = from.text();
  click.referrer = from.text();
  click.values[referrer_dimension] = from.text();
  click.country = from.text();
  click.values[country_dimension]
    = (flags & has_country_value) != 0 ? from.text() : click.country;
  const auto has_agent = click.agent == 0;
  click.user_agent = has_agent ? from.text() : std::string_view{};
  for (auto i : agent_dimensions)
    click.values[i] = has_agent ? from.text() : std::string_view{};
  return !from.is_damaged();
}

} // namespace turnout::sqlite
