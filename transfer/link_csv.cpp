#include "transfer/link_csv.hpp"

#include "core/ascii.hpp"
#include "http/codec/clicks_csv.hpp"
#include "http/codec/json.hpp"
#include "transfer/foreign.hpp"
#include "transfer/link_json.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace turnout::transfer {

namespace {

constexpr int max_variants = 5;

enum class kind : uint8_t { text, boolean, integer, time, structure };

struct column {
  const char* name;
  kind type;
};

constexpr std::array link_columns{
  column{"slug", kind::text},
  column{"name", kind::text},
  column{"is_active", kind::boolean},
  column{"routing_type", kind::text},
  column{"geo_rules", kind::structure},
  column{"auto_winner", kind::boolean},
  column{"auto_winner_threshold", kind::integer},
  column{"enable_conversion_tracking", kind::boolean},
  column{"conversion_redirect_url", kind::text},
};

constexpr std::array variant_columns{
  column{"label", kind::text},
  column{"destination_url", kind::text},
  column{"weight", kind::integer},
  column{"is_winner", kind::boolean},
};

constexpr std::array history_columns{
  column{"total_clicks", kind::integer},
  column{"created_at", kind::time},
  column{"updated_at", kind::time},
  column{"id", kind::text},
  column{"retired_variants", kind::structure},
};

constexpr std::array variant_history_columns{
  column{"id", kind::text},
  column{"created_at", kind::time},
};

/// A column for links with one destination; never written.
constexpr std::string_view short_form = "destination_url";

std::string variant_column(int number, const column& x) {
  return "variant_" + std::to_string(number) + '_' + x.name;
}

/// Returns the names of all columns in order.
const std::vector<std::string>& all_columns() {
  static const auto names = [] {
    std::vector<std::string> result;
    const auto add
      = [&](std::string name) { result.emplace_back(std::move(name)); };
    for (const auto& x : link_columns)
      add(x.name);
    for (int i = 1; i <= max_variants; ++i)
      for (const auto& x : variant_columns)
        add(variant_column(i, x));
    for (const auto& x : history_columns)
      add(x.name);
    for (int i = 1; i <= max_variants; ++i)
      for (const auto& x : variant_history_columns)
        add(variant_column(i, x));
    return result;
  }();
  return names;
}

const std::vector<std::string>& folded_columns() {
  static const auto names = [] {
    std::vector<std::string> result{fold_field(short_form)};
    for (const auto& x : all_columns())
      result.emplace_back(fold_field(x));
    return result;
  }();
  return names;
}

bool is_known(const std::string& folded) {
  const auto& known = folded_columns();
  return std::find(known.begin(), known.end(), folded) != known.end();
}

/// Appends a JSON value as a cell.
void append_cell(std::string& out, const json::value& x) {
  if (x.is_null())
    return;
  if (const auto* text = x.if_string())
    append_csv_field(out, {text->data(), text->size()});
  else
    append_csv_field(out, json::serialize(x));
}

/// Returns what a cell means; a text that is not of the column's kind stays a
/// text, so that the rules tell what it must be.
caf::expected<json::value> read_cell(std::string_view cell,
                                     const column& where) {
  switch (where.type) {
    case kind::boolean:
      // Spreadsheets write TRUE.
      if (equals_folded(cell, "true"))
        return json::value(true);
      if (equals_folded(cell, "false"))
        return json::value(false);
      break;
    case kind::integer:
      return integer_or_text(cell);
    case kind::time:
      return json::value(to_json_string(normal_time(cell)));
    case kind::structure: {
      auto value = parse_json(cell);
      if (!value)
        return must_be(where.name, "JSON");
      return value;
    }
    default:
      break;
  }
  return json::value(to_json_string(cell));
}

/// Reads the cells of some columns into the members of an object.
template <class Columns, class Name>
caf::error read_cells(const field_map& row, const Columns& columns,
                      Name name_of, json::object& out) {
  for (const auto& x : columns) {
    const auto cell = row.get(fold_field(name_of(x)));
    if (cell.empty())
      continue;
    auto value = read_cell(cell, x);
    if (!value)
      return value.error();
    out[x.name] = std::move(*value);
  }
  return {};
}

caf::expected<json::array> read_variants(const field_map& row) {
  json::array result;
  for (int i = 1; i <= max_variants; ++i) {
    const auto name_of = [i](const column& x) { return variant_column(i, x); };
    json::object x;
    if (auto err = read_cells(row, variant_columns, name_of, x))
      return err;
    // A place that only has leftovers of a variant, such as its id, is empty.
    if (x.contains("label") || x.contains("destination_url")
        || x.contains("weight")) {
      if (auto err = read_cells(row, variant_history_columns, name_of, x))
        return err;
      result.push_back(std::move(x));
    }
  }
  return result;
}

} // namespace

const std::string& links_csv_header() {
  static const auto line = [] {
    std::string result;
    for (const auto& x : all_columns()) {
      if (!result.empty())
        result += ',';
      result += x;
    }
    return result + "\r\n";
  }();
  return line;
}

void append_links_csv(std::string& out, const storage::counted_link& x) {
  const auto link = to_json(x);
  const auto& variants = link.at("variants").get_array();
  const auto append_variants = [&](const auto& columns) {
    for (size_t i = 0; i < max_variants; ++i)
      for (const auto& y : columns) {
        out += ',';
        if (i < variants.size())
          append_cell(out, variants[i].get_object().at(y.name));
      }
  };
  auto is_first = true;
  for (const auto& y : link_columns) {
    if (!std::exchange(is_first, false))
      out += ',';
    append_cell(out, link.at(y.name));
  }
  append_variants(variant_columns);
  for (const auto& y : history_columns) {
    out += ',';
    const auto& value = link.at(y.name);
    if (!value.is_array() || !value.get_array().empty())
      append_cell(out, value);
  }
  append_variants(variant_history_columns);
  out += "\r\n";
}

caf::error check_link_columns(const std::vector<std::string>& columns) {
  for (auto i = columns.begin(); i != columns.end(); ++i)
    if (is_known(*i) && std::find(columns.begin(), i, *i) != i)
      return broken_line(1, "the file has the column '" + *i + "' twice");
  for (auto name : {std::string_view{"destinationurl"},
                    std::string_view{"variant1destinationurl"}})
    if (std::find(columns.begin(), columns.end(), name) != columns.end())
      return {};
  return broken_line(1, "the file has no column for the destination "
                        "(variant_1_destination_url or destination_url)");
}

std::vector<std::string>
unknown_link_columns(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const auto& x : names)
    if (!x.empty() && !is_known(fold_field(x)))
      result.emplace_back(x);
  return result;
}

caf::expected<json::object> link_of_row(const field_map& row) {
  const auto own_name = [](const column& x) { return x.name; };
  json::object result;
  if (auto err = read_cells(row, link_columns, own_name, result))
    return err;
  auto variants = read_variants(row);
  if (!variants)
    return std::move(variants.error());
  const auto single = row.get(fold_field(short_form));
  if (!variants->empty()) {
    result["variants"] = std::move(*variants);
  } else if (!single.empty()) {
    result["variants"] = single_destination(single);
    if (!result.contains("name") && result.contains("slug"))
      result["name"] = result["slug"];
  }
  if (auto err = read_cells(row, history_columns, own_name, result))
    return err;
  return result;
}

} // namespace turnout::transfer
