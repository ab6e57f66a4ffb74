#include "journal/event_codec.hpp"

#include "journal/fault.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace turnout::journal {

// The format is that of the machines Debian builds Turnout for.
static_assert(std::endian::native == std::endian::little);

namespace {

// -- fields -------------------------------------------------------------------

// The fields of each kind in the order of the format: the one place that
// writing and reading share. A change is a new `segment_format`.

template <class T, class F>
void each_field(T& x,
                F& f) requires std::is_same_v<std::remove_const_t<T>, click> {
  f(x.id.hi);
  f(x.id.lo);
  f(x.link_key);
  f(x.variant_key);
  f(x.stratum);
  f(x.is_repeat);
  f(x.created_at);
  f(x.visitor);
  f(x.ip_address);
  f(x.user_agent);
  f(x.referrer);
  f(x.country);
}

template <class T, class F>
void each_field(
  T& x, F& f) requires std::is_same_v<std::remove_const_t<T>, excluded_visit> {
  f(x.link_key);
  f(x.reason);
  f(x.created_at);
}

template <class T, class F>
void each_field(T& x, F& f) requires
  std::is_same_v<std::remove_const_t<T>, conversion_request> {
  f(x.id.hi);
  f(x.id.lo);
  f(x.link_id.hi);
  f(x.link_id.lo);
  f(x.click_id.hi);
  f(x.click_id.lo);
  f(x.variant_id.hi);
  f(x.variant_id.lo);
  f(x.visitors[0]);
  f(x.visitors[1]);
  f(x.event_id);
  f(x.value);
  f(x.currency);
  f(x.occurred_at);
  f(x.created_at);
  f(x.may_be_unattributed);
}

using text_size = uint32_t;

// -- writing ------------------------------------------------------------------

/// Counts the most bytes that fields take.
struct room {
  size_t bytes = 0;

  template <class T>
  void operator()(const T&) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes += sizeof(T);
  }

  void operator()(const std::string& x) {
    bytes += sizeof(text_size) + x.size();
  }
};

/// Writes fields where there is room for them.
struct field_writer {
  char* to;

  template <class T>
  void operator()(const T& x) {
    std::memcpy(to, &x, sizeof(T));
    to += sizeof(T);
  }

  void operator()(const std::string& x) {
    // SQL ends a text at NUL, or refuses it.
    const auto nuls = x.find('\0') == std::string::npos
                        ? 0
                        : std::count(x.begin(), x.end(), '\0');
    const auto size = x.size() - static_cast<size_t>(nuls);
    (*this)(static_cast<text_size>(size));
    if (nuls == 0)
      std::memcpy(to, x.data(), size);
    else
      std::remove_copy(x.begin(), x.end(), to, '\0');
    to += size;
  }
};

// -- reading ------------------------------------------------------------------

struct field_reader {
  std::string_view& from;

  std::string_view take(size_t bytes) {
    if (from.size() < bytes)
      throw segment_error{fault::damaged, "an event is cut off"};
    const auto result = from.substr(0, bytes);
    from.remove_prefix(bytes);
    return result;
  }

  template <class T>
  void operator()(T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&x, take(sizeof(T)).data(), sizeof(T));
  }

  void operator()(bool& x) {
    x = take(1).front() != 0;
  }

  void operator()(exclusion& x) {
    const auto value = static_cast<unsigned char>(take(1).front());
    if (value >= num_exclusions)
      throw segment_error{fault::damaged, "an exclusion without a reason"};
    x = static_cast<exclusion>(value);
  }

  void operator()(std::string& x) {
    text_size size = 0;
    (*this)(size);
    x = take(size);
  }
};

template <class T>
void decode_as(std::string_view& from, event& to) {
  auto* x = std::get_if<T>(&to);
  if (x == nullptr)
    x = &to.emplace<T>();
  field_reader fields{from};
  each_field(*x, fields);
}

} // namespace

void encode(const event& x, std::string& to) {
  std::visit(
    [&](const auto& what) {
      room needed{1};
      each_field(what, needed);
      const auto before = to.size();
      to.resize(before + needed.bytes);
      field_writer fields{to.data() + before};
      // The kinds by their place in `event`.
      fields(static_cast<char>(x.index()));
      each_field(what, fields);
      to.resize(static_cast<size_t>(fields.to - to.data()));
    },
    x);
}

void decode(std::string_view& from, event& to) {
  char kind = 0;
  field_reader{from}(kind);
  switch (kind) {
    case 0:
      return decode_as<click>(from, to);
    case 1:
      return decode_as<excluded_visit>(from, to);
    case 2:
      return decode_as<conversion_request>(from, to);
    default:
      throw segment_error{fault::damaged,
                          "kind " + std::to_string(kind) + " of event"};
  }
}

} // namespace turnout::journal
