#pragma once

#include "actors/service.hpp"

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace turnout::test {

/// A service without actors: answers at once, on the calling thread, from maps
/// that a test fills.
class fake_service : public service {
public:
  static constexpr auto secret_key = "svc_sk_0123456789abcdefghijklmnopqrstuv";
  static constexpr auto publishable_key
    = "svc_pk_0123456789abcdefghijklmnopqrstuv";
  static constexpr auto closed_key = "svc_sk_closed6789abcdefghijklmnopqrstuv";

  fake_service() {
    owner = *uuid::parse("00000000-0000-7000-8000-000000000001");
    principal x;
    x.account_id = owner;
    keys[secret_key] = x;
    x.api_access = false;
    keys[closed_key] = x;
    x.api_access = true;
    x.type = key_type::publishable;
    keys[publishable_key] = x;
    rate_now.limit = 1000;
    rate_now.remaining = 999;
    rate_now.reset_at = timestamp{std::chrono::hours{500000}};
    session mine;
    mine.who.account_id = owner;
    mine.email = "owner@example.com";
    sessions["token"] = mine;
    mine.who.api_access = false;
    sessions["closed"] = mine;
  }

  void resolve(visit_ptr x) override {
    ++visits;
    last_visit = x->request();
    if (on_resolve)
      on_resolve(std::move(x));
    else
      x->not_found();
  }

  void create(creation_request x, reply_ptr<creation_answer> reply) override {
    created.push_back(x);
    auto made = x.draft;
    if (made.slug.empty())
      made.slug = "made4me";
    for (const auto& [id, other] : links)
      if (other.slug == made.slug) {
        reply->deliver(make_error(ec::conflict,
                                  "Slug '" + made.slug + "' is already taken"));
        return;
      }
    links[made.id] = made;
    reply->deliver(creation_answer{x.render(made)});
  }

  void with_link(const uuid& account_id, const uuid& link_id,
                 link_change change, reply_ptr<link> reply) override {
    ++link_calls;
    if (store_is_down)
      return reply->deliver(
        make_error(ec::unavailable, "SELECT failed in /var/lib/x.db"));
    if (throw_in_with_link)
      throw std::runtime_error("secret stack text");
    if (drop_replies)
      return;
    auto i = links.find(link_id);
    if (i == links.end() || i->second.user_id != account_id
        || i->second.is_deleted)
      return reply->deliver(make_error(ec::not_found, "Link not found"));
    if (change) {
      auto changed = change(i->second, at);
      if (!changed)
        return reply->deliver(std::move(changed.error()));
      i->second = std::move(*changed);
    }
    reply->deliver(i->second);
  }

  void list_links(const uuid&, int page, int per_page, link_selection which,
                  reply_ptr<link_page> reply) override {
    paging = {page, per_page};
    selection = std::move(which);
    reply->deliver(page_of_links);
  }

  void analytics(const uuid&, const uuid& link_id,
                 std::optional<day_number> from, std::optional<day_number> to,
                 reply_ptr<analytics_report> reply) override {
    days = {from, to};
    if (!links.count(link_id))
      return reply->deliver(make_error(ec::not_found, "Link not found"));
    reply->deliver(report);
  }

  void clicks(const uuid&, const uuid& link_id, storage::click_range x,
              int page, int per_page, reply_ptr<click_page> reply) override {
    range = x;
    paging = {page, per_page};
    if (!links.count(link_id))
      return reply->deliver(make_error(ec::not_found, "Link not found"));
    reply->deliver(page_of_clicks);
  }

  void winner(const uuid& account_id, const uuid& link_id,
              reply_ptr<winner_report> reply) override {
    auto i = links.find(link_id);
    if (i == links.end() || i->second.user_id != account_id)
      return reply->deliver(make_error(ec::not_found, "Link not found"));
    reply->deliver(report_of_winner);
  }

  void clicks_before(const uuid&, const uuid& link_id, storage::click_range x,
                     const uuid& before, int limit,
                     reply_ptr<std::vector<click_row>> reply) override {
    range = x;
    before_ids.push_back(before);
    if (clicks_error && before_ids.size() > pages_before_error)
      return reply->deliver(clicks_error);
    if (!links.count(link_id))
      return reply->deliver(make_error(ec::not_found, "Link not found"));
    std::vector<click_row> rows;
    for (const auto& y : all_clicks)
      if ((!before || y.id < before) && static_cast<int>(rows.size()) < limit)
        rows.push_back(y);
    reply->deliver(std::move(rows));
  }

  void find_link(const uuid& link_id, reply_ptr<link> reply) override {
    if (store_is_down)
      return reply->deliver(make_error(ec::unavailable, "down"));
    if (drop_replies)
      return;
    auto i = links.find(link_id);
    if (i == links.end() || i->second.is_deleted)
      return reply->deliver(make_error(ec::not_found, "Link not found"));
    reply->deliver(i->second);
  }

  void convert(const uuid&, conversion_request x,
               reply_ptr<storage::conversion_result> reply) override {
    conversions.push_back(x);
    if (convert_error)
      return reply->deliver(convert_error);
    storage::conversion_result result;
    result.recorded.id = x.id;
    result.recorded.link_id = x.link_id;
    result.recorded.click_id = x.click_id;
    result.recorded.variant_id = x.variant_id;
    result.recorded.event_id = x.event_id;
    result.recorded.value = x.value;
    result.recorded.currency = x.currency;
    result.recorded.created_at = x.created_at;
    result.created = conversion_is_new;
    reply->deliver(std::move(result));
  }

  void journal(size_t reactor, const journal::event& x,
               std::function<void(bool)> then) override {
    journaled.emplace_back(reactor, x);
    if (hold_journal)
      held.push_back(std::move(then));
    else
      then(journal_works);
  }

  void is_slug_free(std::string slug, reply_ptr<bool> reply) override {
    if (store_is_down)
      return reply->deliver(make_error(ec::unavailable, "down"));
    for (const auto& [id, x] : links)
      if (x.slug == slug)
        return reply->deliver(false);
    reply->deliver(true);
  }

  std::optional<principal> authenticate(std::string_view key) override {
    ++authentications;
    auto i = keys.find(key);
    if (i == keys.end())
      return std::nullopt;
    return i->second;
  }

  void admit(const principal&, reply_ptr<rate_status> reply) override {
    ++admissions;
    if (admit_error)
      return reply->deliver(admit_error);
    reply->deliver(rate_now);
  }

  void rate(const uuid&, int limit, reply_ptr<rate_status> reply) override {
    ++peeks;
    if (admit_error)
      return reply->deliver(admit_error);
    auto result = rate_now;
    result.limit = limit;
    reply->deliver(result);
  }

  void open_session(std::string token, bool may_wait,
                    reply_ptr<session> reply) override {
    waits_allowed.push_back(may_wait);
    if (session_error)
      return reply->deliver(session_error);
    auto i = sessions.find(token);
    if (i == sessions.end())
      return reply->deliver(
        make_error(ec::no_session, "Missing or invalid session token."));
    reply->deliver(i->second);
  }

  void begin_web_session(const session& owner, const uuid& family,
                         reply_ptr<begun_session> reply) override {
    const auto text = "cookie-" + std::to_string(++begun_sessions);
    last_family = family;
    auto mine = owner;
    mine.who.type = key_type::secret;
    web_sessions[text] = mine;
    reply->deliver(begun_session{text, std::chrono::seconds{3600}});
  }

  void open_web_session(std::string text, bool may_wait,
                        reply_ptr<session> reply) override {
    waits_allowed.push_back(may_wait);
    auto i = web_sessions.find(text);
    if (i == web_sessions.end())
      return reply->deliver(
        make_error(ec::no_session, "Missing or invalid session token."));
    reply->deliver(i->second);
  }

  void end_web_session(std::string text, reply_ptr<bool> reply) override {
    reply->deliver(web_sessions.erase(text) > 0);
  }

  void create_key(const session& owner, std::string name, key_type type,
                  reply_ptr<created_key> reply) override {
    if (drop_replies)
      return;
    created_key x;
    x.text = type == key_type::secret ? secret_key : publishable_key;
    x.stored.id = *uuid::parse("00000000-0000-7000-8000-00000000000a");
    x.stored.account_id = owner.who.account_id;
    x.stored.name = std::move(name);
    x.stored.type = type;
    x.stored.prefix = x.text.substr(0, 11);
    x.stored.created_at = at;
    created_keys.push_back(x.stored);
    reply->deliver(std::move(x));
  }

  void list_keys(const uuid& account_id,
                 reply_ptr<std::vector<api_key>> reply) override {
    std::vector<api_key> result;
    for (const auto& x : created_keys)
      if (x.account_id == account_id)
        result.push_back(x);
    reply->deliver(std::move(result));
  }

  void revoke_key(const uuid& account_id, const uuid& key_id,
                  reply_ptr<uuid> reply) override {
    const auto n = std::erase_if(created_keys, [&](const api_key& x) {
      return x.account_id == account_id && x.id == key_id;
    });
    if (n == 0)
      return reply->deliver(make_error(ec::not_found, "API key not found"));
    reply->deliver(key_id);
  }

  void sign_in(std::string email, std::string password,
               reply_ptr<sign_in_answer> reply) override {
    ++sign_ins;
    last_email = email;
    if (hold_sign_ins) {
      held_sign_ins.push_back(std::move(reply));
      return;
    }
    if (sign_in_error)
      return reply->deliver(sign_in_error);
    if (password != "right")
      return reply->deliver(
        make_error(ec::unauthorized, "Invalid login credentials"));
    sign_in_answer x;
    x.account_id = owner;
    x.email = std::move(email);
    x.access_token = "header.payload.signature";
    x.lifetime = std::chrono::seconds{3600};
    x.refresh_token = "refresh-1";
    reply->deliver(std::move(x));
  }

  void refresh_session(std::string token,
                       reply_ptr<sign_in_answer> reply) override {
    ++refreshes;
    if (token != "refresh-1")
      return reply->deliver(
        make_error(ec::unauthorized, "Invalid refresh token"));
    sign_in_answer x;
    x.account_id = owner;
    x.email = "owner@example.com";
    x.refresh_token = "refresh-2";
    reply->deliver(std::move(x));
  }

  std::array<std::array<uint8_t, 32>, 2> visitor_secrets(timestamp) override {
    std::array<std::array<uint8_t, 32>, 2> result{};
    result[0].fill(1);
    result[1].fill(2);
    return result;
  }

  std::string not_ready() override {
    return reason;
  }

  uuid owner;
  std::map<std::string, principal, std::less<>> keys;
  std::map<std::string, session, std::less<>> sessions;
  std::map<std::string, session, std::less<>> web_sessions;
  int begun_sessions = 0;
  uuid last_family;
  std::vector<api_key> created_keys;
  std::map<uuid, link> links;
  rate_status rate_now;
  timestamp at{std::chrono::hours{490000}};
  link_page page_of_links;
  link_selection selection;
  click_page page_of_clicks;
  /// Newest first.
  std::vector<click_row> all_clicks;
  /// Comes after so many pages of `all_clicks`.
  caf::error clicks_error;
  size_t pages_before_error = 0;
  analytics_report report;
  winner_report report_of_winner;
  std::function<void(visit_ptr)> on_resolve;
  bool store_is_down = false;
  bool throw_in_with_link = false;
  bool drop_replies = false;
  bool journal_works = true;
  bool hold_journal = false;
  bool conversion_is_new = true;
  caf::error convert_error;
  caf::error admit_error;
  caf::error session_error;
  caf::error sign_in_error;
  bool hold_sign_ins = false;
  std::string reason;

  // -- what was asked ---------------------------------------------------------
  int visits = 0;
  visit_request last_visit;
  int link_calls = 0;
  int authentications = 0;
  int admissions = 0;
  int peeks = 0;
  int sign_ins = 0;
  int refreshes = 0;
  std::string last_email;
  std::vector<bool> waits_allowed;
  std::deque<reply_ptr<sign_in_answer>> held_sign_ins;
  std::vector<creation_request> created;
  std::vector<conversion_request> conversions;
  std::vector<std::pair<size_t, journal::event>> journaled;
  std::deque<std::function<void(bool)>> held;
  std::pair<int, int> paging;
  std::pair<std::optional<day_number>, std::optional<day_number>> days;
  storage::click_range range;
  std::vector<uuid> before_ids;
};

} // namespace turnout::test
