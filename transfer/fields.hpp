#pragma once

#include "transfer/record.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnout::transfer {

/// Returns a field's name as it is compared: lower case, letters and digits
/// only, so that "Long URL", "long_url" and "longUrl" are one.
std::string fold_field(std::string_view name);

/// Folded names of one field, the best first.
using field_names = std::vector<std::string_view>;

/// The fields of a record by folded name, as text.
class field_map {
public:
  /// Adds a field; the first one of a name counts.
  void add(std::string folded_name, std::string value);

  /// Returns the first of the names that has a value that is not empty, or an
  /// empty text.
  std::string_view first(const field_names& names) const;

  /// Returns the value of a field, or an empty text.
  std::string_view get(std::string_view name) const {
    return first({name});
  }

private:
  std::vector<std::pair<std::string, std::string>> x_fields;
};

/// Takes an object of another service apart: members of members under both
/// names in one, such as "metavaliduntil"; null and arrays are left out.
field_map flatten(const json::object& x);

} // namespace turnout::transfer
