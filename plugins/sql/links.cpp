#include "core/changes.hpp"
#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace turnout::plugins {

using storage::change;

namespace {

row_key add_variant(connection& db, row_key link_key, const variant& x) {
  variant_row row{x};
  row_key key = 0;
  db.first(sql::add_variant, std::tie(key), link_key, row.id, row.label,
           row.destination_url, row.weight, row.is_winner, row.retired,
           row.position, row.created_at);
  return key;
}

void add_stratum(connection& db, row_key link_key, const link& x) {
  auto current = current_stratum(x);
  auto weights = encode_weights(current);
  auto at = to_micros(x.updated_at);
  db.run(sql::add_stratum, link_key, current.number, current.generation,
         weights, at);
}

template <class... Ts>
std::optional<link> find_link(connection& db, const char* query,
                              const Ts&... key) {
  link_row row;
  transaction tx{db, access::read};
  std::optional<link> result;
  if (db.first(query, row.columns(), key...)) {
    result = row.get();
    load_variants(db, *result);
  }
  tx.commit();
  return result;
}

/// Returns all links that are selected, in their order.
std::vector<link_candidate> select_links(connection& db, const uuid& account_id,
                                         const link_selection& which) {
  std::vector<link_candidate> result;
  link_candidate x;
  std::string slug;
  auto add = [&] {
    if (matches(which, x.name, slug))
      result.emplace_back(x);
  };
  switch (which.sort) {
    case link_sort::newest:
    case link_sort::oldest:
    case link_sort::name:
      db.each(sql::links_to_arrange, std::tie(x.key, x.name, slug), add,
              account_id);
      break;
    case link_sort::clicks:
    case link_sort::conversions:
    case link_sort::rate:
      db.each(db.words().links_to_arrange_by_sums,
              std::tie(x.key, x.name, slug, x.clicks, x.conversions), add,
              account_id);
      break;
  }
  arrange(result, which.sort);
  return result;
}

/// Fills in what links were clicked and converted, and which variant is ahead.
void add_sums(connection& db, const std::vector<row_key>& keys,
              std::vector<link_summary>& links) {
  const auto* all_at_once = db.words().sums_of_links;
  if (all_at_once == nullptr) {
    for (size_t i = 0; i < keys.size(); ++i) {
      auto& x = links[i];
      db.first(sql::sums_of_link, std::tie(x.total_clicks, x.total_conversions),
               keys[i]);
      db.first(sql::top_variant, std::tie(x.top_variant), keys[i]);
    }
    return;
  }
  if (keys.empty())
    return;
  std::string array = "[";
  for (const auto key : keys)
    array.append(array.size() > 1 ? "," : "").append(std::to_string(key));
  array += ']';
  row_key key = 0;
  link_summary sums;
  db.each(
    all_at_once,
    std::tie(key, sums.total_clicks, sums.total_conversions, sums.top_variant),
    [&] {
      const auto place = std::find(keys.begin(), keys.end(), key);
      auto& x = links.at(static_cast<size_t>(place - keys.begin()));
      x.total_clicks = sums.total_clicks;
      x.total_conversions = sums.total_conversions;
      x.top_variant = sums.top_variant;
    },
    array);
}

} // namespace

caf::expected<std::optional<link>>
sql_backend::load_link(const std::string& slug) {
  return attempt("load the link", [&](connection& db) {
    return find_link(db, sql::link_by_slug, slug);
  });
}

caf::expected<std::optional<link>> sql_backend::load_link(const uuid& id) {
  return attempt("load the link", [&](connection& db) {
    return find_link(db, sql::link_by_id, id);
  });
}

caf::expected<link> sql_backend::save_link(const link& x) {
  return attempt("store the change of the link", [&](connection& db) {
    auto result = x;
    link_row row{x};
    transaction tx{db, access::write};
    if (!db.first(sql::update_link, std::tie(result.key), row.name,
                  row.is_active, row.is_deleted, row.auto_winner,
                  row.auto_winner_threshold, row.routing, row.geo,
                  row.enable_conversion_tracking, row.conversion_redirect_url,
                  row.updated_at, row.generation, row.stratum, row.id,
                  row.version)) {
      link_row stored;
      if (!db.first(sql::link_by_id, stored.columns(), row.id))
        fail(ec::not_found, "Link not found");
      fail(ec::stale, "The link was changed since it was read.");
    }
    ++result.version;
    for (auto& v : result.variants) {
      if (v.key == 0) {
        v.key = add_variant(db, result.key, v);
        continue;
      }
      variant_row changed{v};
      db.run(sql::update_variant, changed.destination_url, changed.weight,
             changed.is_winner, changed.retired, changed.position, changed.key,
             result.key);
    }
    add_stratum(db, result.key, result);
    add_change(db, change::kind::link, x.id);
    tx.commit();
    return result;
  });
}

caf::expected<std::vector<stratum>> sql_backend::strata(row_key link_key) {
  return attempt("load the weights of the link", [&](connection& db) {
    std::vector<stratum> result;
    auto number = 0;
    auto generation = 0;
    std::string weights;
    db.each(
      sql::strata_of_link, std::tie(number, generation, weights),
      [&] {
        auto& x = result.emplace_back();
        x.number = number;
        x.generation = generation;
        decode_weights(weights, x);
      },
      link_key);
    return result;
  });
}

caf::expected<link_page> sql_backend::list_links(const uuid& account_id,
                                                 int page, int per_page,
                                                 const link_selection& which) {
  return attempt("list the links", [&](connection& db) {
    link_page result;
    transaction tx{db, access::read};
    link_row row;
    auto columns = std::tie(row.key, row.id, row.slug, row.name, row.is_active,
                            row.routing, row.created_at);
    std::vector<row_key> keys;
    auto add_row = [&] {
      auto x = row.get();
      keys.emplace_back(row.key);
      auto& item = result.items.emplace_back();
      item.id = x.id;
      item.slug = x.slug;
      item.name = x.name;
      item.is_active = x.is_active;
      item.routing = x.routing;
      item.created_at = x.created_at;
    };
    auto offset = (int64_t{page} - 1) * per_page;
    if (which.is_plain()) {
      db.first(sql::count_links, std::tie(result.total), account_id);
      db.each(sql::list_links, columns, add_row, account_id, per_page, offset);
    } else {
      auto links = select_links(db, account_id, which);
      result.total = static_cast<int64_t>(links.size());
      const auto end = std::min(offset + per_page, result.total);
      for (auto i = offset; i < end; ++i)
        db.each(sql::listed_link, columns, add_row,
                links[static_cast<size_t>(i)].key);
    }
    add_sums(db, keys, result.items);
    tx.commit();
    return result;
  });
}

caf::expected<std::vector<storage::counted_link>>
sql_backend::links_before(const uuid& account_id,
                          const std::optional<storage::link_place>& before,
                          int limit) {
  return attempt("read the links", [&](connection& db) {
    std::vector<storage::counted_link> result;
    auto created_at = std::numeric_limits<int64_t>::max();
    uuid id;
    if (before) {
      created_at = to_micros(before->created_at);
      id = before->id;
    }
    transaction tx{db, access::read};
    link_row row;
    db.each(
      sql::links_before, row.columns(),
      [&] { result.emplace_back(storage::counted_link{row.get()}); },
      account_id, created_at, id, limit);
    int64_t conversions = 0;
    for (auto& x : result) {
      load_variants(db, x.subject);
      db.first(sql::sums_of_link, std::tie(x.clicks, conversions),
               x.subject.key);
    }
    tx.commit();
    return result;
  });
}

// -- shared -------------------------------------------------------------------

link load_owned_link(connection& db, const uuid& account_id,
                     const uuid& link_id) {
  link_row row;
  if (!db.first(sql::link_by_id, row.columns(), link_id)
      || row.user_id != account_id || row.is_deleted != 0)
    fail(ec::not_found, "Link not found");
  return row.get();
}

void load_variants(connection& db, link& x) {
  variant_row row;
  db.each(
    sql::variants_of_link, row.columns(),
    [&] { x.variants.emplace_back(row.get()); }, x.key);
}

void add_change(connection& db, change::kind what, const uuid& id) {
  auto kind = static_cast<int>(what);
  db.run(db.words().add_change, kind, id);
}

} // namespace turnout::plugins
