#include "http/codec/clicks_csv.hpp"
#include "http/codec/query.hpp"
#include "http/handlers.hpp"
#include "monitoring/log.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace turnout {

namespace {

/// Rows that are in memory at a time for one export.
constexpr int rows_per_part = 500;

/// Exports at a time: each may hold a part for a client that reads slowly.
constexpr int max_exports = 64;

/// Counts an export for as long as it is under way.
class export_place {
public:
  explicit export_place(site& where) : x_where{where} {
    x_is_free = x_where.exports.fetch_add(1) < max_exports;
    if (x_is_free)
      x_where.counters.exports_running->Increment();
    else
      x_where.counters.exports_refused->Increment();
  }

  ~export_place() {
    x_where.exports.fetch_sub(1);
    if (x_is_free)
      x_where.counters.exports_running->Decrement();
  }

  export_place(const export_place&) = delete;
  export_place& operator=(const export_place&) = delete;

  bool is_free() const noexcept {
    return x_is_free;
  }

private:
  site& x_where;
  bool x_is_free;
};

/// Streams the clicks of a link, part by part: the next one is read from the
/// store when the client has taken the last one. Given up, it lets the body end
/// incomplete.
class clicks_export : public std::enable_shared_from_this<clicks_export> {
public:
  clicks_export(api_call_ptr call, const uuid& link_id,
                storage::click_range range)
    : x_place{call->where()},
      x_call{std::move(call)},
      x_link_id{link_id},
      x_link_text{link_id.str()},
      x_range{range} {
    // nop
  }

  bool has_place() const noexcept {
    return x_place.is_free();
  }

  void start() {
    x_call->guarded([this] { read_next(); });
  }

private:
  void read_next() {
    auto port = x_call->receive<std::vector<click_row>>(
      [self = shared_from_this()](
        api_call&, const caf::expected<std::vector<click_row>>& rows) {
        self->received(rows);
      });
    x_call->where().actors.clicks_before(x_call->who.account_id, x_link_id,
                                         x_range, x_last, rows_per_part,
                                         std::move(port));
  }

  void received(const caf::expected<std::vector<click_row>>& rows) {
    if (!rows) {
      if (!x_started)
        return x_call->fail(rows.error());
      log::warning("an export ended early, the store does not answer",
                   {{"error", detail(rows.error())}});
      return x_call->channel().finish(false);
    }
    std::string part;
    if (!std::exchange(x_started, true)) {
      response head{200};
      head.header("Content-Type", "text/csv; charset=utf-8")
        .header("Content-Disposition",
                "attachment; filename=\"clicks-" + x_link_text + ".csv\"")
        .header("Cache-Control", "no-store");
      x_call->start(std::move(head));
      part = clicks_csv_header();
    }
    for (const auto& row : *rows)
      append_clicks_csv(part, x_link_text, row);
    const auto is_last = rows->size() < static_cast<size_t>(rows_per_part);
    if (!rows->empty())
      x_last = rows->back().id;
    if (part.empty())
      return x_call->channel().finish(true);
    x_call->channel().send_part(
      std::move(part), [self = shared_from_this(), is_last](bool taken) {
        self->x_call->guarded([&] { self->went(taken, is_last); });
      });
  }

  void went(bool taken, bool is_last) {
    if (!taken || is_last)
      x_call->channel().finish(taken);
    else
      read_next();
  }

  export_place x_place;
  api_call_ptr x_call;
  uuid x_link_id;
  std::string x_link_text;
  storage::click_range x_range;
  /// The last click sent.
  uuid x_last;
  bool x_started = false;
};

} // namespace

void export_clicks(const api_call_ptr& call) {
  auto id = call->path_id();
  if (!id)
    return call->fail(id.error());
  auto range = read_click_range(query_params{call->in().query}, now(),
                                range_length::any);
  if (!range)
    return call->fail(range.error());
  auto state = std::make_shared<clicks_export>(call, *id, *range);
  if (!state->has_place())
    return call->fail(ec::unavailable, "too many exports under way");
  // A body in parts must not begin within the handler of the connection.
  call->channel().post([state] { state->start(); });
}

} // namespace turnout
