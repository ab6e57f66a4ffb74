#include "http/codec/report.hpp"

#include "http/codec/conversion.hpp"
#include "http/codec/json.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace turnout {

namespace {

/// By `dimension`.
constexpr std::array<const char*, num_dimensions> breakdown_names = {
  "top_countries", "top_referrers",         "top_browsers",
  "top_devices",   "top_operating_systems",
};

double rate(int64_t converted, int64_t clicks) {
  return clicks > 0
           ? static_cast<double>(converted) / static_cast<double>(clicks)
           : 0.0;
}

json::array daily_stats(const analytics_report& x) {
  json::array result;
  auto i = x.days.begin();
  for (auto day = x.from; day <= x.to; ++day) {
    i = std::find_if(i, x.days.end(),
                     [day](const day_row& y) { return y.day >= day; });
    const auto has_row = i != x.days.end() && i->day == day;
    json::object entry;
    entry["date"] = to_json_string(to_iso_date(day));
    entry["clicks"] = has_row ? i->clicks : int64_t{0};
    entry["conversions"] = has_row ? i->conversions : int64_t{0};
    result.push_back(std::move(entry));
  }
  return result;
}

json::array variant_performance(const analytics_report& x) {
  json::array result;
  for (const auto& v : x.subject.variants) {
    const auto i = std::find_if(
      x.variants.begin(), x.variants.end(),
      [&](const variant_totals& y) { return y.variant_id == v.id; });
    const auto totals = i != x.variants.end() ? *i : variant_totals{};
    json::object entry;
    entry["variant_id"] = to_json_string(v.id.str());
    entry["label"] = to_json_string(v.label);
    entry["destination_url"] = to_json_string(v.destination_url);
    entry["weight"] = v.weight;
    entry["is_winner"] = v.is_winner;
    entry["retired"] = v.retired;
    entry["clicks"] = totals.clicks;
    entry["conversions"] = totals.conversions;
    entry["conversion_rate"] = rate(totals.converted, totals.clicks);
    result.push_back(std::move(entry));
  }
  return result;
}

} // namespace

json::object to_json(const click_row& x, std::string_view link_id) {
  json::object result;
  result["id"] = to_json_string(x.id.str());
  result["link_id"] = to_json_string(link_id);
  result["variant_id"] = to_json_string(x.variant_id.str());
  result["ip_address"] = to_json_string(x.ip_address);
  result["user_agent"] = to_json_string(x.user_agent);
  result["referrer"] = text_or_null(x.referrer);
  result["country"] = text_or_null(x.country);
  result["is_conversion"] = x.is_conversion;
  result["created_at"] = to_json_string(to_iso8601(x.created_at));
  return result;
}

std::string clicks_body(const uuid& link_id, const click_page& x,
                        const paging& where) {
  const auto link_text = link_id.str();
  json::array items;
  for (const auto& y : x.items)
    items.push_back(to_json(y, link_text));
  json::object result;
  result["items"] = std::move(items);
  result["total"] = x.total;
  result["page"] = where.page;
  result["per_page"] = where.per_page;
  return json::serialize(result);
}

std::string analytics_body(const analytics_report& x) {
  variant_totals total;
  for (const auto& y : x.variants) {
    total.clicks += y.clicks;
    total.conversions += y.conversions;
    total.converted += y.converted;
  }
  json::object result;
  result["link_id"] = to_json_string(x.subject.id.str());
  result["from_date"] = to_json_string(to_iso_date(x.from));
  result["to_date"] = to_json_string(to_iso_date(x.to));
  result["total_clicks"] = total.clicks;
  result["total_conversions"] = total.conversions;
  result["unattributed_conversions"] = x.unattributed_conversions;
  result["conversion_rate"] = rate(total.converted, total.clicks);
  result["unique_visitors"] = x.unique_visitors;
  result["daily_stats"] = daily_stats(x);
  result["variant_performance"] = variant_performance(x);
  json::array conversions;
  for (const auto& y : x.conversions) {
    auto entry = to_json(y);
    entry["variant_label"] = text_or_null(y.variant_label);
    conversions.push_back(std::move(entry));
  }
  result["conversion_events"] = std::move(conversions);
  for (size_t i = 0; i < num_dimensions; ++i) {
    json::array rows;
    for (const auto& y : x.top[i]) {
      json::object row;
      row["value"] = to_json_string(y.value);
      row["clicks"] = y.clicks;
      row["conversions"] = y.conversions;
      rows.push_back(std::move(row));
    }
    result[breakdown_names[i]] = std::move(rows);
  }
  json::object excluded;
  for (size_t i = 0; i < num_exclusions; ++i)
    excluded[to_string(static_cast<exclusion>(i))] = x.excluded[i];
  result["excluded"] = std::move(excluded);
  return json::serialize(result);
}

} // namespace turnout
