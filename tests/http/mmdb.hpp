#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace turnout::test {

/// Writes small files of the MaxMind DB format for IPv4.
class mmdb_file {
public:
  /// When each of them was built, in seconds of Unix time.
  static constexpr int64_t build_epoch = 1'790'000'000;

  /// Lays a country over a /8 network.
  void add(uint8_t network, const std::string& country) {
    x_countries[network] = country;
  }

  /// @param nested whether to write country.iso_code instead of country_code.
  std::string render(bool nested) const {
    // A tree of 8 levels: all 255 inner nodes, whether needed or not.
    constexpr uint32_t nodes = 255;
    std::string data;
    std::map<std::string, uint32_t> offsets;
    for (const auto& [network, country] : x_countries)
      if (offsets.emplace(country, static_cast<uint32_t>(data.size())).second) {
        if (nested)
          data += map(1) + text("country") + map(1) + text("iso_code")
                  + text(country);
        else
          data += map(1) + text("country_code") + text(country);
      }
    std::string tree;
    for (uint32_t node = 0; node < nodes; ++node)
      for (uint32_t bit = 0; bit < 2; ++bit) {
        const auto child = 2 * node + 1 + bit;
        if (child < nodes) {
          tree += number(child, 3);
          continue;
        }
        const auto found
          = x_countries.find(static_cast<uint8_t>(child - nodes));
        tree += number(found == x_countries.end()
                         ? nodes
                         : nodes + 16 + offsets[found->second],
                       3);
      }
    auto result = tree + std::string(16, '\0') + data;
    result += "\xab\xcd\xefMaxMind.com";
    result += map(9);
    result += text("binary_format_major_version") + uint16(2);
    result += text("binary_format_minor_version") + uint16(0);
    result += text("build_epoch") + uint64(build_epoch);
    result += text("database_type") + text("test");
    result += text("description") + map(0);
    result += text("ip_version") + uint16(4);
    result += text("languages") + std::string("\x00\x04", 2);
    result += text("node_count") + uint32(nodes);
    result += text("record_size") + uint16(24);
    return result;
  }

private:
  static std::string number(uint64_t x, int bytes) {
    std::string result;
    for (auto i = bytes - 1; i >= 0; --i)
      result += static_cast<char>(x >> (8 * i) & 0xff);
    return result;
  }

  static std::string map(int size) {
    return {static_cast<char>(0xe0 | size)};
  }

  static std::string text(const std::string& x) {
    return static_cast<char>(0x40 | x.size()) + x;
  }

  static std::string uint16(uint64_t x) {
    return "\xa2" + number(x, 2);
  }

  static std::string uint32(uint64_t x) {
    return "\xc4" + number(x, 4);
  }

  static std::string uint64(uint64_t x) {
    return "\x08\x02" + number(x, 8);
  }

  std::map<uint8_t, std::string> x_countries;
};

} // namespace turnout::test
