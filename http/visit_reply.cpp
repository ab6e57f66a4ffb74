#include "http/visit_reply.hpp"

#include "core/visitor.hpp"
#include "http/pages.hpp"

#include <utility>

namespace turnout {

namespace {

std::optional<exclusion> exclusion_of(const request& in) {
  if (in.method == http_method::head)
    return exclusion::head;
  if (is_prefetch({in.sec_purpose, in.purpose, in.x_moz}))
    return exclusion::prefetch;
  return classify_bot(in.user_agent);
}

} // namespace

visit_reply::visit_reply(site& where, exchange_ptr x)
  : x_site{where},
    x_exchange{std::move(x)},
    x_start{std::chrono::steady_clock::now()} {
  // nop
}

visit_reply::~visit_reply() {
  if (!x_sent) {
    // The exchange answers 503 when it goes.
    x_site.counters.redirects_unavailable->Increment();
  }
  release(std::move(x_exchange));
}

void visit_reply::redirect(redirect_answer answer) {
  if (!decide())
    return;
  x_location = std::move(answer.location);
  x_cookie = std::move(answer.cookie);
  if (x_exchange->is_here())
    journal_then_send(answer.record);
  else
    x_exchange->post(
      [self = shared_from_this(), record = std::move(answer.record)] {
        self->journal_then_send(record);
      });
}

void visit_reply::not_found() {
  if (!decide())
    return;
  x_exchange->dispatch([self = shared_from_this()] {
    self->x_site.counters.redirects_not_found->Increment();
    self->send(not_found_page(self->x_exchange->in()));
  });
}

void visit_reply::unavailable() {
  if (!decide())
    return;
  x_exchange->dispatch([self = shared_from_this()] {
    self->x_site.counters.redirects_unavailable->Increment();
    self->send(unanswered());
  });
}

void visit_reply::journal_then_send(const journal::event& record) {
  x_site.actors.journal(x_exchange->in().reactor, record,
                        [self = shared_from_this()](bool committed) {
                          self->journaled(committed);
                        });
}

void visit_reply::journaled(bool committed) {
  auto& counters = x_site.counters;
  if (x_request.excluded)
    counters.excluded[static_cast<size_t>(*x_request.excluded)]->Increment();
  else if (!committed)
    counters.clicks_lost->Increment();
  counters.redirects_found->Increment();
  response result{302};
  result.fields.reserve(x_location.size() + x_cookie.size() + 220);
  result.header("Location", x_location);
  result.fields += "Cache-Control: no-store\r\n"
                   "Referrer-Policy: no-referrer-when-downgrade\r\n";
  if (!x_cookie.empty())
    result.header("Set-Cookie", x_cookie.append(x_site.cookie_attributes));
  send(std::move(result));
}

void visit_reply::send(response x) {
  x_sent = true;
  x_exchange->send(std::move(x));
  auto& lane = *x_site.lanes[x_exchange->in().reactor % x_site.lanes.size()];
  lane.redirect_seconds.observe(
    std::chrono::duration<double>(std::chrono::steady_clock::now() - x_start)
      .count());
  // One hand-over to the shared histogram for all visits of a turn.
  if (!std::exchange(lane.flush_is_due, true))
    x_exchange->post([&lane] {
      lane.flush_is_due = false;
      lane.redirect_seconds.flush();
    });
}

void start_visit(site& where, const exchange_ptr& x, std::string slug) {
  where.actors.expect_visit(slug);
  const auto& in = x->in();
  auto result = std::make_shared<visit_reply>(where, x);
  auto& v = result->request();
  v.at = now();
  v.slug = std::move(slug);
  v.query = in.query;
  v.cookies = in.cookies;
  v.user_agent = clean_text(in.user_agent, max_user_agent);
  if (!in.referer.empty())
    v.referrer = clean_referrer(in.referer, where.own_host);
  const auto& clients = where.rules().clients;
  const auto address = clients.address(in);
  v.country = clients.country(in);
  if (v.country.empty())
    v.country = where.geo.country(address);
  v.ip_address = address.anonymised().str();
  v.visitor
    = visitor_key(where.actors.visitor_secrets(v.at)[0], address, v.user_agent);
  v.excluded = exclusion_of(in);
  where.actors.resolve(std::move(result));
}

} // namespace turnout
