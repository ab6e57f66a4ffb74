#include "http/codec/conversion.hpp"

#include "core/ascii.hpp"
#include "core/identifiers.hpp"
#include "core/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <utility>

namespace turnout {

namespace {

/// How far a client's clock may be ahead.
constexpr auto max_skew = std::chrono::minutes{5};

// ISO 4217, active codes, sorted.
constexpr std::string_view currencies[] = {
  "AED", "AFN", "ALL", "AMD", "ANG", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM",
  "BBD", "BDT", "BGN", "BHD", "BIF", "BMD", "BND", "BOB", "BOV", "BRL", "BSD",
  "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHE", "CHF", "CHW", "CLF", "CLP",
  "CNY", "COP", "COU", "CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD",
  "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD",
  "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD",
  "IRR", "ISK", "JMD", "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW",
  "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD", "MDL",
  "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MXV",
  "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN",
  "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR",
  "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN",
  "SVC", "SYP", "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD",
  "TZS", "UAH", "UGX", "USD", "USN", "UYI", "UYU", "UYW", "UZS", "VED", "VES",
  "VND", "VUV", "WST", "XAD", "XAF", "XAG", "XAU", "XBA", "XBB", "XBC", "XBD",
  "XCD", "XCG", "XDR", "XOF", "XPD", "XPF", "XPT", "XSU", "XTS", "XUA", "XXX",
  "YER", "ZAR", "ZMW", "ZWG",
};

static_assert(std::is_sorted(std::begin(currencies), std::end(currencies)));

/// Returns the text of a JSON string or number; empty for other values.
std::string number_text(const json::value& x) {
  if (const auto* text = x.if_string())
    return {text->data(), text->size()};
  if (const auto* value = x.if_int64())
    return std::to_string(*value);
  if (const auto* value = x.if_uint64())
    return std::to_string(*value);
  if (const auto* value = x.if_double()) {
    char buf[512];
    const auto [end, err]
      = std::to_chars(buf, buf + sizeof(buf), *value, std::chars_format::fixed);
    if (err == std::errc{})
      return {buf, end};
  }
  return {};
}

/// Reads an optional UUID; null counts as absent.
caf::error read_id(const json::object& body, std::string_view name,
                   uuid& result) {
  const auto* x = find_member(body, name);
  if (!x || x->is_null())
    return {};
  auto id = as_uuid(*x, name);
  if (!id)
    return std::move(id.error());
  if (!*id)
    return must_be(name, "a UUID");
  result = *id;
  return {};
}

} // namespace

bool is_event_id(std::string_view text) noexcept {
  size_t n = 0;
  while (!text.empty()) {
    const auto [code, size] = first_char(text);
    if (size == 0 || is_control(code))
      return false;
    text.remove_prefix(size);
    ++n;
  }
  return n >= 1 && n <= 255;
}

bool is_amount(std::string_view text) noexcept {
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  if (whole.empty() || whole.size() > 18
      || (whole.size() > 1 && whole.front() == '0')
      || !std::all_of(whole.begin(), whole.end(), is_digit))
    return false;
  if (point == std::string_view::npos)
    return true;
  const auto fraction = text.substr(point + 1);
  return !fraction.empty() && fraction.size() <= 9
         && std::all_of(fraction.begin(), fraction.end(), is_digit);
}

bool is_currency(std::string_view text) noexcept {
  return std::binary_search(std::begin(currencies), std::end(currencies), text);
}

caf::expected<conversion_request> read_conversion(const json::value& body,
                                                  timestamp now) {
  auto object = as_object(body, "request body");
  if (!object)
    return std::move(object.error());
  const auto& fields = **object;
  const auto is_given = [&](std::string_view name) {
    const auto* x = find_member(fields, name);
    return x && !x->is_null();
  };
  if (!is_given("click_id") && !is_given("link_id"))
    return make_error(ec::invalid, "field required: click_id or link_id");
  conversion_request result;
  if (auto err = read_id(fields, "click_id", result.click_id))
    return err;
  if (auto err = read_id(fields, "link_id", result.link_id))
    return err;
  if (auto err = read_id(fields, "variant_id", result.variant_id))
    return err;
  if (is_given("event_id")) {
    auto text = as_string(*find_member(fields, "event_id"), "event_id");
    if (!text)
      return std::move(text.error());
    if (!is_event_id(*text))
      return must_be("event_id", "1 to 255 characters without control "
                                 "characters");
    result.event_id = *text;
  }
  if (is_given("value")) {
    result.value = number_text(*find_member(fields, "value"));
    if (!is_amount(result.value))
      return must_be("value", "a decimal number of at least 0, with at most 18 "
                              "digits before and 9 after the point");
  }
  if (is_given("currency")) {
    auto text = as_string(*find_member(fields, "currency"), "currency");
    if (!text)
      return std::move(text.error());
    if (!is_currency(*text))
      return must_be("currency", "an upper-case ISO 4217 code");
    result.currency = *text;
  }
  result.occurred_at = now;
  if (is_given("occurred_at")) {
    auto text = as_string(*find_member(fields, "occurred_at"), "occurred_at");
    if (!text)
      return std::move(text.error());
    const auto at = parse_date_or_time(*text);
    if (!at)
      return must_be("occurred_at", "an ISO 8601 date-time");
    if (at->at > now + max_skew)
      return make_error(ec::invalid, "occurred_at must not be in the future");
    result.occurred_at = at->at;
  }
  result.id = make_uuid(now);
  result.created_at = now;
  result.may_be_unattributed = !result.click_id;
  return result;
}

json::object to_json(const conversion& x) {
  const auto id_or_null = [](const uuid& id) -> json::value {
    if (!id)
      return nullptr;
    return to_json_string(id.str());
  };
  json::object result;
  result["id"] = to_json_string(x.id.str());
  result["link_id"] = to_json_string(x.link_id.str());
  result["variant_id"] = id_or_null(x.variant_id);
  result["click_id"] = id_or_null(x.click_id);
  result["event_id"] = text_or_null(x.event_id);
  result["value"] = text_or_null(x.value);
  result["currency"] = text_or_null(x.currency);
  result["created_at"] = to_json_string(to_iso8601(x.created_at));
  return result;
}

} // namespace turnout
