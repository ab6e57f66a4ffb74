#include "plugins/sql/link_batch.hpp"

#include "core/changes.hpp"
#include "plugins/sql/rows.hpp"
#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace turnout::plugins {

using storage::creation;
using storage::new_link;

namespace {

constexpr auto idempotency_lifetime = std::chrono::hours{24};

/// Returns the indexes of a batch in the order of `key(link)`, equal ones in
/// the order of the batch.
template <class F>
std::vector<size_t> sorted_by(const std::vector<new_link>& batch, F key) {
  std::vector<size_t> result(batch.size());
  std::iota(result.begin(), result.end(), size_t{0});
  std::stable_sort(result.begin(), result.end(), [&](size_t a, size_t b) {
    return key(batch[a]) < key(batch[b]);
  });
  return result;
}

} // namespace

link_batch::link_batch(connection& db, const std::vector<new_link>& batch)
  : x_db(db), x_batch(batch), x_results(batch.size()) {
  // nop
}

void link_batch::store() {
  take_keys();
  add_links();
  add_parts();
}

std::vector<link_batch::result> link_batch::take() {
  std::vector<result> xs;
  xs.reserve(x_results.size());
  for (auto& x : x_results)
    xs.emplace_back(std::move(*x));
  return xs;
}

// -- idempotency keys ---------------------------------------------------------

void link_batch::take_keys() {
  std::optional<timestamp> newest;
  for (const auto& x : x_batch)
    if (x.once)
      newest
        = std::max(newest.value_or(x.draft.created_at), x.draft.created_at);
  if (!newest)
    return;
  x_db.run(sql::expire_idempotency, to_micros(*newest));
  // First, as a request with the same key waits here for the end of this one.
  const auto order = sorted_by(x_batch, [](const new_link& x) {
    return std::pair{x.draft.user_id, x.once ? std::string_view{x.once->key}
                                             : std::string_view{}};
  });
  for (auto i : order)
    if (x_batch[i].once && !remember_answer(x_batch[i]))
      x_results[i] = former_answer(x_batch[i]);
}

bool link_batch::remember_answer(const new_link& x) {
  const auto& once = *x.once;
  const auto expires_at = to_micros(x.draft.created_at + idempotency_lifetime);
  return x_db.run(sql::add_idempotency, x.draft.user_id, once.key,
                  once.body_hash, once.response, expires_at)
         == 1;
}

link_batch::result link_batch::former_answer(const new_link& x) {
  std::string body_hash;
  std::string response;
  const auto at = to_micros(x.draft.created_at);
  if (!x_db.first(sql::find_idempotency, std::tie(body_hash, response),
                  x.draft.user_id, x.once->key, at))
    return make_error(ec::unavailable,
                      "The answer of the former request with this "
                      "Idempotency-Key is gone. Try again.");
  if (body_hash != x.once->body_hash)
    return make_error(ec::conflict, "idempotency");
  creation result;
  result.replayed = true;
  result.response = std::move(response);
  return result;
}

// -- links --------------------------------------------------------------------

void link_batch::add_links() {
  bound_query<std::tuple<row_key>, uuid, uuid, std::string, std::string, int,
              int, int, int, int, std::string, int, std::string, int64_t,
              int64_t, int, int, int64_t, int64_t>
    add{x_db, sql::add_link};
  const auto order = sorted_by(
    x_batch, [](const new_link& x) { return std::string_view{x.draft.slug}; });
  for (auto i : order) {
    if (x_results[i])
      continue;
    const auto& [draft, once] = x_batch[i];
    creation made;
    made.created = draft;
    made.created.version = 1;
    const link_row row{made.created};
    add.each(row.id, row.user_id, row.slug, row.name, row.is_active,
             row.is_deleted, row.auto_winner, row.auto_winner_threshold,
             row.routing, row.geo, row.enable_conversion_tracking,
             row.conversion_redirect_url, row.created_at, row.updated_at,
             row.generation, row.stratum, row.version, row.imported_clicks,
             [&](row_key key) { made.created.key = key; });
    if (made.created.key != 0) {
      x_results[i] = std::move(made);
      continue;
    }
    // Such a request does not occupy its key.
    if (once)
      x_db.run(sql::forget_idempotency, draft.user_id, once->key);
    x_results[i] = make_error(ec::conflict, "slug");
  }
}

void link_batch::add_parts() {
  std::vector<link*> made;
  for (auto& x : x_results)
    if (*x && !(*x)->replayed)
      made.emplace_back(&(*x)->created);
  {
    bound_query<std::tuple<row_key>, row_key, uuid, std::string, std::string,
                int, int, int, int, int64_t>
      add{x_db, sql::add_variant};
    for (auto* x : made)
      for (auto& v : x->variants) {
        const variant_row row{v};
        add.each(x->key, row.id, row.label, row.destination_url, row.weight,
                 row.is_winner, row.retired, row.position, row.created_at,
                 [&](row_key key) { v.key = key; });
      }
  }
  {
    bound_statement<row_key, int, int, std::string, int64_t> add{
      x_db, sql::add_stratum};
    for (const auto* x : made) {
      const auto current = current_stratum(*x);
      add(x->key, current.number, current.generation, encode_weights(current),
          to_micros(x->updated_at));
    }
  }
  bound_statement<int, uuid> add{x_db, x_db.words().add_change};
  for (const auto* x : made)
    add(static_cast<int>(storage::change::kind::link), x->id);
}

// -- backend ------------------------------------------------------------------

caf::expected<creation>
sql_backend::create_link(const link& x,
                         const std::optional<storage::idempotency>& once) {
  return std::move(create_links({{x, once}}).front());
}

std::vector<caf::expected<creation>>
sql_backend::create_links(const std::vector<new_link>& batch) {
  auto made = attempt("store the link", [&](connection& db) {
    transaction tx{db, access::write};
    link_batch work{db, batch};
    work.store();
    tx.commit();
    return work.take();
  });
  if (made)
    return std::move(*made);
  std::vector<caf::expected<creation>> result;
  if (batch.size() == 1 || code_of(made.error()) == ec::unavailable) {
    result.assign(batch.size(), made.error());
    return result;
  }
  // One of them cannot be stored for a reason of its own.
  for (const auto& x : batch)
    result.emplace_back(create_link(x.draft, x.once));
  return result;
}

} // namespace turnout::plugins
