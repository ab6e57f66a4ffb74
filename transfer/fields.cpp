#include "transfer/fields.hpp"

#include "core/ascii.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <utility>

namespace turnout::transfer {

namespace {

void flatten_into(const json::object& x, const std::string& prefix,
                  field_map& out) {
  for (const auto& member : x) {
    auto name = prefix + fold_field({member.key().data(), member.key().size()});
    const auto& value = member.value();
    if (const auto* object = value.if_object())
      flatten_into(*object, name, out);
    else if (const auto* text = value.if_string())
      out.add(std::move(name), std::string{text->data(), text->size()});
    else if (!value.is_null() && !value.is_array())
      out.add(std::move(name), json::serialize(value));
  }
}

} // namespace

std::string fold_field(std::string_view name) {
  std::string result;
  for (auto c : lowered(name))
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      result += c;
  return result;
}

void field_map::add(std::string folded_name, std::string value) {
  x_fields.emplace_back(std::move(folded_name), std::move(value));
}

std::string_view field_map::first(const field_names& names) const {
  for (auto name : names)
    for (const auto& [known, value] : x_fields)
      if (known == name) {
        if (!value.empty())
          return value;
        break;
      }
  return {};
}

field_map flatten(const json::object& x) {
  field_map result;
  flatten_into(x, {}, result);
  return result;
}

} // namespace turnout::transfer
