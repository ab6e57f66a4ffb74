#include "http/conversion_redirect.hpp"

#include "core/visitor.hpp"
#include "http/conversion_source.hpp"
#include "http/pages.hpp"
#include "monitoring/log.hpp"

#include <atomic>
#include <exception>
#include <string>
#include <utility>

namespace turnout {

namespace {

void send_redirect(const exchange_ptr& x, const std::string& location) {
  response result{302};
  result.header("Location", location).header("Cache-Control", "no-store");
  x->send(std::move(result));
}

void answer(site& where, const exchange_ptr& x,
            const caf::expected<link>& target) {
  const auto& in = x->in();
  if (!target && code_of(target.error()) != ec::not_found)
    return x->send(unanswered());
  if (!target || !target->conversion_redirect_url)
    return x->send(not_found_page(in));
  const auto& location = *target->conversion_redirect_url;
  if (in.method == http_method::head
      || is_prefetch({in.sec_purpose, in.purpose, in.x_moz}))
    return send_redirect(x, location);
  where.counters.conversions_by_redirect->Increment();
  where.actors.journal(in.reactor, read_conversion_query(where, in, target->id),
                       [x, &where, location](bool committed) {
                         if (!committed)
                           where.counters.clicks_lost->Increment();
                         send_redirect(x, location);
                       });
}

/// The way back of the link. Dropped, the exchange answers 503 by itself.
class target_port final : public reply_port<link> {
public:
  target_port(site& where, exchange_ptr x)
    : x_where{where}, x_exchange{std::move(x)} {
    // nop
  }

  ~target_port() override {
    release(std::move(x_exchange));
  }

  void deliver(caf::expected<link> result) override {
    if (x_done.exchange(true))
      return;
    auto shared = std::make_shared<caf::expected<link>>(std::move(result));
    x_exchange->dispatch([&where = x_where, x = x_exchange, shared] {
      try {
        answer(where, x, *shared);
      } catch (const std::exception& e) {
        // The exchange answers.
        log::error("exception in a conversion", {{"error", e.what()}});
      }
    });
  }

private:
  site& x_where;
  exchange_ptr x_exchange;
  std::atomic<bool> x_done = false;
};

} // namespace

void answer_conversion_redirect(site& where, const exchange_ptr& x,
                                std::string_view link_id) {
  const auto id = uuid::parse(link_id);
  if (!id || !*id)
    return x->send(not_found_page(x->in()));
  where.actors.find_link(*id, std::make_shared<target_port>(where, x));
}

} // namespace turnout
