#pragma once

#include "core/changes.hpp"
#include "core/model.hpp"
#include "core/report.hpp"
#include "core/rules.hpp"
#include "http/codec/json.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace turnout {

/// Reads the body of a create: the draft of a link with ids, owner and times;
/// an empty slug means that none was given. Fails with the first broken rule.
caf::expected<link> read_new_link(const json::value& body, const own_hosts& own,
                                  const uuid& owner, timestamp now);

/// Reads the writable fields of an update.
caf::expected<link_patch> read_link_patch(const json::value& body,
                                          const own_hosts& own);

/// Fails, naming the field, when the body of an update has a read-only field
/// with another value than the link has.
caf::error check_read_only(const json::object& body, const link& current);

/// Reads the array of a new set of variants.
caf::expected<std::vector<variant_spec>>
read_variant_array(const json::value& body, const own_hosts& own);

/// Reads the body of a promotion.
caf::expected<uuid> read_promotion(const json::value& body);

/// Returns a link as the API shows it, with the variants in force.
json::object to_json(const link& x);

/// Returns a link as text.
std::string link_body(const link& x);

/// Returns the answer of a create: the link and its address.
std::string created_body(const link& x, std::string_view short_base);

/// Returns the answer of the list operation.
std::string list_body(const link_page& x);

} // namespace turnout
