#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// How several values share one column of SQLite, as each column of each row
/// costs it as much as all of this does.
namespace turnout::sqlite {

/// Appends a number in groups of 7 bits, lowest first; small ones are short.
void append_number(uint64_t x, std::string& to);

/// Appends a number in 8 bytes, lowest first.
void append_fixed(uint64_t x, std::string& to);

/// Appends a text after its length.
void append_text(std::string_view x, std::string& to);

/// Reads what was appended. Where the bytes are damaged, it ends.
class byte_reader {
public:
  /// @param bytes must outlive the texts that are read.
  explicit byte_reader(std::string_view bytes) noexcept : x_rest(bytes) {
    // nop
  }

  bool is_end() const noexcept {
    return x_rest.empty() || x_is_damaged;
  }

  /// Returns whether something was not what it should be.
  bool is_damaged() const noexcept {
    return x_is_damaged;
  }

  void set_damaged() noexcept {
    x_is_damaged = true;
  }

  uint8_t byte() noexcept;

  uint64_t number() noexcept;

  uint64_t fixed() noexcept;

  std::string_view text() noexcept;

private:
  std::string_view x_rest;
  bool x_is_damaged = false;
};

} // namespace turnout::sqlite
