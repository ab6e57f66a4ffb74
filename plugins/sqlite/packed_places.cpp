#include "plugins/sqlite/packed_places.hpp"

namespace turnout::sqlite {

void pack(const packed_place& place, std::string& to) {
  to += static_cast<char>(place.mark);
  append_number(static_cast<uint64_t>(place.link_key), to);
  append_number(static_cast<uint64_t>(place.run), to);
}

bool unpack(byte_reader& from, packed_place& place) noexcept {
  if (from.is_end())
    return false;
  place.mark = from.byte();
  place.link_key = static_cast<row_key>(from.number());
  place.run = static_cast<int64_t>(from.number());
  return !from.is_damaged();
}

} // namespace turnout::sqlite
