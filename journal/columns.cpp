#include "journal/columns.hpp"

#include "journal/connection.hpp"

#include <string>
#include <utility>

namespace turnout::journal {

using soci::use;

namespace {

// SQLite's functions and its shell end a text at NUL, other stores refuse it.
void push_text(texts& column, std::string&& x) {
  if (x.find('\0') != std::string::npos)
    std::erase(x, '\0');
  column.push_back(std::move(x));
}

template <class... Ts>
void clear_all(Ts&... columns) {
  (columns.clear(), ...);
}

} // namespace

void uuid_column::push(const uuid& x) {
  hi.push_back(static_cast<long long>(x.hi));
  lo.push_back(static_cast<long long>(x.lo));
}

void uuid_column::clear() {
  hi.clear();
  lo.clear();
}

void click_columns::push(int64_t at, click&& x) {
  position.push_back(at);
  created_at.push_back(to_micros(x.created_at));
  id.push(x.id);
  link_key.push_back(x.link_key);
  variant_key.push_back(x.variant_key);
  stratum.push_back(x.stratum);
  is_repeat.push_back(x.is_repeat ? 1 : 0);
  visitor.push_back(x.visitor);
  push_text(ip_address, std::move(x.ip_address));
  push_text(user_agent, std::move(x.user_agent));
  push_text(referrer, std::move(x.referrer));
  push_text(country, std::move(x.country));
}

void click_columns::clear() {
  clear_all(position, created_at, id, link_key, variant_key, stratum, is_repeat,
            visitor, ip_address, user_agent, referrer, country);
}

soci::statement click_columns::insert_into(soci::session& sql) {
  return (sql.prepare
            << "INSERT INTO events (position, kind, created_at, id_hi, id_lo,"
               " link_key, variant_key, stratum, is_repeat, visitor,"
               " ip_address, user_agent, referrer, country) VALUES"
               " (:position, 'click', :created_at, :id_hi, :id_lo, :link_key,"
               " :variant_key, :stratum, :is_repeat, :visitor, :ip_address,"
               " :user_agent, :referrer, :country)",
          use(position), use(created_at), use(id.hi), use(id.lo), use(link_key),
          use(variant_key), use(stratum), use(is_repeat), use(visitor),
          use(ip_address), use(user_agent), use(referrer), use(country));
}

void excluded_columns::push(int64_t at, const excluded_visit& x) {
  position.push_back(at);
  created_at.push_back(to_micros(x.created_at));
  link_key.push_back(x.link_key);
  reason.push_back(to_string(x.reason));
}

void excluded_columns::clear() {
  clear_all(position, created_at, link_key, reason);
}

soci::statement excluded_columns::insert_into(soci::session& sql) {
  return (
    sql.prepare << "INSERT INTO events (position, kind, created_at, link_key,"
                   " reason) VALUES (:position, 'excluded', :created_at,"
                   " :link_key, :reason)",
    use(position), use(created_at), use(link_key), use(reason));
}

void conversion_columns::push(int64_t at, conversion_request&& x) {
  position.push_back(at);
  created_at.push_back(to_micros(x.created_at));
  id.push(x.id);
  link_id.push(x.link_id);
  click_id.push(x.click_id);
  variant_id.push(x.variant_id);
  visitor.push_back(x.visitors[0]);
  visitor_before.push_back(x.visitors[1]);
  push_text(event_id, std::move(x.event_id));
  push_text(value, std::move(x.value));
  push_text(currency, std::move(x.currency));
  occurred_at.push_back(to_micros(x.occurred_at));
  may_be_unattributed.push_back(x.may_be_unattributed ? 1 : 0);
}

void conversion_columns::clear() {
  clear_all(position, created_at, id, link_id, click_id, variant_id, visitor,
            visitor_before, event_id, value, currency, occurred_at,
            may_be_unattributed);
}

soci::statement conversion_columns::insert_into(soci::session& sql) {
  return (sql.prepare
            << "INSERT INTO events (position, kind, created_at, id_hi, id_lo,"
               " link_id_hi, link_id_lo, click_id_hi, click_id_lo,"
               " variant_id_hi, variant_id_lo, visitor, visitor_before,"
               " event_id, value, currency, occurred_at, may_be_unattributed)"
               " VALUES (:position, 'conversion', :created_at, :id_hi, :id_lo,"
               " :link_id_hi, :link_id_lo, :click_id_hi, :click_id_lo,"
               " :variant_id_hi, :variant_id_lo, :visitor, :visitor_before,"
               " :event_id, :value, :currency, :occurred_at,"
               " :may_be_unattributed)",
          use(position), use(created_at), use(id.hi), use(id.lo),
          use(link_id.hi), use(link_id.lo), use(click_id.hi), use(click_id.lo),
          use(variant_id.hi), use(variant_id.lo), use(visitor),
          use(visitor_before), use(event_id), use(value), use(currency),
          use(occurred_at), use(may_be_unattributed));
}

} // namespace turnout::journal
