#include "transfer/importer.hpp"

#include "core/identifiers.hpp"
#include "http/codec/json.hpp"

#include <boost/json/serialize.hpp>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace turnout::transfer {

namespace {

using namespace std::chrono_literals;

/// How often a call is made when the store is busy, and the pause between.
constexpr int max_tries = 5;
constexpr auto pause = 200ms;

/// Slugs that are tried before they get longer, and before it is given up.
constexpr int tries_per_length = 8;
constexpr int max_slug_tries = 64;

/// Makes a call again while a running service keeps the store busy.
template <class F>
auto patiently(F call) {
  auto result = call();
  for (int i = 1;
       i < max_tries && !result && code_of(result.error()) == ec::unavailable;
       ++i) {
    std::this_thread::sleep_for(pause);
    result = call();
  }
  return result;
}

caf::error slug_taken(const std::string& slug) {
  return make_error(ec::conflict, "Slug '" + slug + "' is already taken");
}

caf::error id_taken(const uuid& id, const std::string& slug) {
  return make_error(
    ec::conflict,
    "id '" + id.str() + "' belongs to "
      + (slug.empty() ? "another row" : "the link with slug '" + slug + "'")
      + " already");
}

/// Returns 64 bits of the hash of a text, enough to tell millions apart.
uint64_t fingerprint(std::string_view text) {
  return std::stoull(sha256_hex(text).substr(0, 16), nullptr, 16);
}

/// Returns the id of a link that brings neither id nor slug: the same for the
/// n-th record with the same content of the same owner, so that it is found
/// when the import is repeated. In the form of version 7, as all ids are, but
/// with a time that means nothing.
uuid derived_id(const uuid& owner, const std::string& content, int n) {
  auto hex
    = sha256_hex(owner.str() + '\n' + content + '\n' + std::to_string(n));
  auto id = uuid::parse(hex.substr(0, 8) + '-' + hex.substr(8, 4) + "-7"
                        + hex.substr(13, 3) + "-a" + hex.substr(17, 3) + '-'
                        + hex.substr(20, 12));
  return *id;
}

} // namespace

bool is_refusal(const caf::error& err) noexcept {
  const auto code = code_of(err);
  return code == ec::invalid || code == ec::conflict;
}

importer::importer(storage::backend& db, const import_options& options)
  : x_db{db}, x_options{options} {
  // nop
}

caf::error importer::take(const record& x) {
  const auto attempt = [&]() -> caf::error {
    if (!x.body)
      return x.body.error();
    auto draft = read_link(*x.body, x_options.own, x_options.owner, now());
    if (!draft)
      return std::move(draft.error());
    auto& link = draft->subject;
    const auto has_slug = !link.slug.empty();
    if (!has_slug && !draft->has_id) {
      const auto content = canonical_json(json::value(*x.body));
      const auto n = x_nameless[fingerprint(content)]++;
      link.id = derived_id(x_options.owner, content, n);
    }
    auto found = has_slug ? find_by_slug(link) : caf::expected{place::free};
    if (!found)
      return std::move(found.error());
    if (*found == place::free && (!has_slug || draft->has_id))
      found = find_by_id(*draft);
    if (!found)
      return std::move(found.error());
    if (*found == place::present) {
      ++x_counts.present;
      return {};
    }
    if (auto err = check_count())
      return err;
    const auto clicks = link.imported_clicks;
    if (!x_options.dry_run)
      if (auto err = store(std::move(link), !has_slug))
        return err;
    ++x_counts.imported;
    x_counts.clicks += clicks;
    return {};
  };
  auto err = attempt();
  if (err && is_refusal(err))
    ++x_counts.refused;
  return err;
}

caf::expected<importer::place> importer::find_by_slug(const link& x) {
  auto stored = patiently([&] { return x_db.load_link(x.slug); });
  if (!stored)
    return std::move(stored.error());
  if (*stored) {
    if (is_same_link(**stored, x))
      return place::present;
    return slug_taken(x.slug);
  }
  if (x_options.dry_run) {
    auto content = to_json({x, 0});
    for (auto history :
         {"id", "created_at", "updated_at", "total_clicks", "retired_variants"})
      content.erase(history);
    for (auto& v : content["variants"].get_array())
      for (auto history : {"id", "created_at"})
        v.get_object().erase(history);
    const auto print = fingerprint(canonical_json(json::value(content)));
    const auto [seen, is_new] = x_seen.emplace(fingerprint(x.slug), print);
    if (!is_new) {
      if (seen->second == print)
        return place::present;
      return slug_taken(x.slug);
    }
  }
  return place::free;
}

caf::expected<importer::place> importer::find_by_id(const link_draft& x) {
  const auto& id = x.subject.id;
  auto stored = patiently([&] { return x_db.load_link(id); });
  if (!stored)
    return std::move(stored.error());
  if (!*stored)
    return is_new_id(x) ? caf::expected{place::free} : id_taken(id, {});
  const auto& known = **stored;
  if (!x.subject.slug.empty())
    return id_taken(id, known.slug);
  if (known.is_deleted)
    return make_error(ec::conflict, "this row was imported before, and its "
                                    "link was deleted since");
  auto same = x.subject;
  same.slug = known.slug;
  // An id that was derived from the content belongs to it, whatever was changed
  // since.
  if (x.has_id && !is_same_link(known, same))
    return id_taken(id, known.slug);
  return place::present;
}

bool importer::is_new_id(const link_draft& x) {
  if (!x_options.dry_run)
    return true;
  return x_seen.emplace(fingerprint(x.subject.id.str()), 0).second;
}

caf::error importer::check_count() {
  if (x_options.per_account == 0)
    return {};
  auto owned
    = patiently([&] { return x_db.list_links(x_options.owner, 1, 1); });
  if (!owned)
    return std::move(owned.error());
  const auto planned = x_options.dry_run ? x_counts.imported : 0;
  return check_link_count(owned->total + planned, x_options.per_account);
}

caf::error importer::store(link x, bool make_slug) {
  for (int i = 0; i < (make_slug ? max_slug_tries : 1); ++i) {
    if (make_slug)
      x.slug = turnout::make_slug(
        static_cast<size_t>(x_options.slug_length + i / tries_per_length));
    auto made = patiently([&] { return x_db.create_link(x, std::nullopt); });
    if (made)
      return {};
    if (code_of(made.error()) != ec::conflict)
      return std::move(made.error());
    // Perhaps it was stored when the answer was lost.
    auto stored = patiently([&] { return x_db.load_link(x.slug); });
    if (stored && *stored && (*stored)->id == x.id)
      return {};
  }
  // Somebody took it a moment ago.
  return slug_taken(x.slug);
}

} // namespace turnout::transfer
