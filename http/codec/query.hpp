#pragma once

#include "core/error.hpp"
#include "core/link_selection.hpp"
#include "storage/backend.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace turnout {

/// The parameters of a query.
class query_params {
public:
  /// @param raw query without the question mark; must outlive this object.
  explicit query_params(std::string_view raw) : x_raw{raw} {
    // nop
  }

  /// Returns the decoded value; nullopt when absent. Fails with
  /// `ec::bad_request` when it cannot be decoded and with `ec::invalid` when
  /// the parameter is given more than once.
  caf::expected<std::optional<std::string>> get(std::string_view name) const;

private:
  std::string_view x_raw;
};

/// Reads an integer; `fallback` when it is absent. Fails with
/// `ec::bad_request` for what is no integer and with `ec::invalid` for what is
/// out of range.
caf::expected<int> read_integer(const query_params& query,
                                std::string_view name, int fallback, int min,
                                int max);

/// A page of a list.
struct paging {
  int page = 1;
  int per_page = 20;
};

/// Reads `page` and `per_page`.
caf::expected<paging> read_paging(const query_params& query,
                                  int default_per_page);

/// Reads `search` and `sort` of the list of links. Fails with
/// `ec::bad_request` for an unknown order and for what is no UTF-8, and with
/// `ec::invalid` when more than 200 characters are searched for.
caf::expected<link_selection> read_link_selection(const query_params& query);

/// How long a range of clicks may be.
enum class range_length { at_most_90_days, any };

/// Reads `start_date` and `end_date` of the click list. Of any length, an end
/// alone begins with the first click.
caf::expected<storage::click_range>
read_click_range(const query_params& query, timestamp now,
                 range_length length = range_length::at_most_90_days);

/// UTC days, both ends included.
struct day_range {
  std::optional<day_number> from;
  std::optional<day_number> to;
};

/// Reads `from_date` and `to_date` of the analytics.
caf::expected<day_range> read_day_range(const query_params& query,
                                        timestamp now);

} // namespace turnout
