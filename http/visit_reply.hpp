#pragma once

#include "actors/visit.hpp"
#include "http/exchange.hpp"
#include "http/site.hpp"

#include <atomic>
#include <chrono>
#include <memory>

namespace turnout {

/// A visit under way: journals what is decided, then answers, on the reactor of
/// its connection.
class visit_reply final : public visit,
                          public std::enable_shared_from_this<visit_reply> {
public:
  /// The request is to be filled in.
  visit_reply(site& where, exchange_ptr x);

  ~visit_reply() override;

  visit_request& request() noexcept override {
    return x_request;
  }

  void redirect(redirect_answer answer) override;

  void not_found() override;

  void unavailable() override;

private:
  /// Returns whether the caller is the first to decide.
  bool decide() noexcept {
    return !x_decided.exchange(true);
  }

  void journal_then_send(const journal::event& record);

  void journaled(bool committed);

  /// Answers and takes the time. On the own reactor only.
  void send(response x);

  site& x_site;
  exchange_ptr x_exchange;
  visit_request x_request;
  std::string x_location;
  std::string x_cookie;
  std::chrono::steady_clock::time_point x_start;
  std::atomic<bool> x_decided = false;
  bool x_sent = false;
};

/// Reads a visit from its request and has it resolved.
void start_visit(site& where, const exchange_ptr& x, std::string slug);

} // namespace turnout
