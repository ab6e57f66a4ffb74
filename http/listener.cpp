#include "http/listener.hpp"

#include "http/request_head.hpp"
#include "http/tracked_socket.hpp"
#include "monitoring/log.hpp"
#include "monitoring/metrics.hpp"

#include <http_parser.h>

namespace turnout {

/// Stands in for the parser's function of that name.
static size_t execute_parser(http_parser* parser,
                             const http_parser_settings* settings,
                             const char* data, size_t length);

} // namespace turnout

#define http_parser_execute ::turnout::execute_parser

// The only file that includes the HTTP library.
#include <restinio/all.hpp>

#undef http_parser_execute

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

namespace turnout {

// What the library asks of sockets that are not its own, and looks for beside
// their type.

template <class Connection, class Start, class Fail>
static void prepare_connection_and_start_read(tracked_socket&, Connection&,
                                              Start start, Fail) {
  start();
}

static restinio::tls_socket_t*
make_tls_socket_pointer_for_state_listener(tracked_socket&) noexcept {
  return nullptr;
}

namespace {

namespace ri = restinio::impl;

using asio::ip::tcp;

/// A key of 1 MiB still gets the answer of a wrong key.
constexpr size_t max_field_bytes = 1280 * 1024;

constexpr size_t max_parser_header_bytes = max_field_bytes + 128 * 1024;

/// A body up to this is read to its end (and forgotten beyond
/// `max_body_bytes`), so that the client is there for the answer.
constexpr uint64_t max_drained_bytes = 64 * 1024 * 1024;

/// Pause after the system had no descriptor or memory for a connection.
constexpr auto accept_pause = std::chrono::milliseconds{100};

// -- requests -----------------------------------------------------------------

/// What connections and requests share, for as long as any of them lives.
struct shared_state {
  shared_state(asio::io_context& context, listener_options options,
               listener::handler f)
    : context{context}, options{std::move(options)}, handle{std::move(f)} {
    // nop
  }

  asio::io_context& context;
  const listener_options options;
  const listener::handler handle;
  std::atomic<size_t> in_flight{0};
  std::atomic<bool> stopping{false};
};

using shared_state_ptr = std::shared_ptr<shared_state>;

http_method method_of(const restinio::http_request_header_t& x) {
  const auto method = x.method();
  if (method == restinio::http_method_get())
    return http_method::get;
  if (method == restinio::http_method_head())
    return http_method::head;
  if (method == restinio::http_method_post())
    return http_method::post;
  if (method == restinio::http_method_put())
    return http_method::put;
  if (method == restinio::http_method_delete())
    return http_method::del;
  if (method == restinio::http_method_options())
    return http_method::options;
  return http_method::other;
}

ip_address to_address(const asio::ip::address& x) {
  if (x.is_v6() && x.to_v6().is_v4_mapped())
    return to_address(
      asio::ip::make_address_v4(asio::ip::v4_mapped, x.to_v6()));
  ip_address result;
  result.is_v4 = x.is_v4();
  if (x.is_v4()) {
    const auto bytes = x.to_v4().to_bytes();
    std::copy(bytes.begin(), bytes.end(), result.bytes.begin());
  } else {
    const auto bytes = x.to_v6().to_bytes();
    std::copy(bytes.begin(), bytes.end(), result.bytes.begin());
  }
  return result;
}

class connection_exchange final : public exchange {
public:
  connection_exchange(shared_state_ptr state, restinio::request_handle_t handle)
    : x_state{std::move(state)}, x_handle{std::move(handle)} {
    const auto& header = x_handle->header();
    x_in.method = method_of(header);
    x_in.set_target(header.request_target());
    x_in.body = x_handle->body();
    x_in.peer = to_address(x_handle->remote_endpoint().address());
    x_in.reactor = x_state->options.reactor;
    header.for_each_field([this](const restinio::http_header_field_t& all) {
      for_each_field(
        all.value(), [this](std::string_view name, std::string_view value) {
          x_in.add_header(name, value, x_state->options.country_header);
        });
    });
    x_in.load = x_state->in_flight.fetch_add(1, std::memory_order_relaxed) + 1;
    if (auto* counters = x_state->options.counters)
      counters->in_flight->Increment();
  }

  ~connection_exchange() override {
    try {
      if (!x_sent)
        send(unanswered());
      else if (x_streams)
        finish(false);
    } catch (...) {
      // The time limit of the HTTP library closes the connection.
    }
  }

  void send(response x) override {
    if (std::exchange(x_sent, true))
      return;
    if (x_in_handler)
      x_held_back = std::move(x);
    else
      write(x);
  }

  void start(response head) override {
    if (std::exchange(x_sent, true))
      return;
    x_streams = true;
    // HTTP/1.0 knows no chunks: there the connection's end is the body's.
    const auto& in = x_handle->header();
    x_chunked = in.http_major() > 1 || in.http_minor() > 0;
    x_keep_alive = x_chunked && !head.close && in.should_keep_alive();
    write_part(render_head(head, x_keep_alive, x_chunked), {});
  }

  void send_part(std::string part, std::function<void(bool)> then) override {
    if (!x_streams || part.empty()) {
      post([then = std::move(then), ok = x_streams] { then(ok); });
      return;
    }
    write_part(x_chunked ? render_chunk(part) : std::move(part),
               [context = &x_state->context,
                then = std::move(then)](const asio::error_code& err) {
                 // Later, as the library is in the middle of its writing.
                 asio::post(*context, [then, ok = !err] { then(ok); });
               });
  }

  void finish(bool complete) override {
    if (!std::exchange(x_streams, false))
      return;
    request_ends();
    restinio::writable_items_container_t items;
    if (complete && x_chunked)
      items.emplace_back(render_chunk({}));
    // Without items the connection closes all the same.
    write_group(restinio::write_group_t{std::move(items)},
                restinio::response_parts_attr_t::final_parts,
                complete && x_keep_alive && !x_state->stopping);
  }

  /// Ends the time in which answers are held back. The library must not get an
  /// answer while it hands the request over: it would read the next request
  /// twice, and lose pipelined ones.
  /// @returns whether `write_held_back` is to be called, later.
  bool leave_handler() noexcept {
    x_in_handler = false;
    return x_held_back.has_value();
  }

  void write_held_back() {
    write(*x_held_back);
    x_held_back.reset();
  }

  bool is_sent() const noexcept {
    return x_sent;
  }

  bool is_here() const noexcept override {
    return x_state->context.get_executor().running_in_this_thread();
  }

  void post(std::function<void()> f) override {
    asio::post(x_state->context, std::move(f));
  }

private:
  void request_ends() {
    x_state->in_flight.fetch_sub(1, std::memory_order_relaxed);
    if (auto* counters = x_state->options.counters)
      counters->in_flight->Decrement();
  }

  void write_group(restinio::write_group_t group,
                   restinio::response_parts_attr_t parts, bool keep_alive) {
    using attr = restinio::response_connection_attr_t;
    const restinio::response_output_flags_t flags{
      parts, keep_alive ? attr::connection_keepalive : attr::connection_close};
    ri::access_req_connection(*x_handle)->write_response_parts(
      x_handle->request_id(), flags, std::move(group));
  }

  void write_part(std::string bytes, restinio::write_status_cb_t then) {
    restinio::writable_items_container_t items;
    items.emplace_back(std::move(bytes));
    restinio::write_group_t group{std::move(items)};
    if (then)
      group.after_write_notificator(std::move(then));
    write_group(std::move(group),
                restinio::response_parts_attr_t::not_final_parts, true);
  }

  void write(const response& x) {
    request_ends();
    const auto keep_alive = !x.close && x_handle->header().should_keep_alive()
                            && !x_state->stopping;
    restinio::writable_items_container_t items;
    items.emplace_back(render(x, x_in.method == http_method::head, keep_alive));
    write_group(restinio::write_group_t{std::move(items)},
                restinio::response_parts_attr_t::final_parts, keep_alive);
  }

  shared_state_ptr x_state;
  restinio::request_handle_t x_handle;
  bool x_sent = false;
  bool x_in_handler = true;
  /// Whether a body in parts is under way.
  bool x_streams = false;
  bool x_chunked = false;
  bool x_keep_alive = false;
  std::optional<response> x_held_back;
};

struct request_handler {
  shared_state_ptr state;

  restinio::request_handling_status_t
  operator()(restinio::request_handle_t handle) const {
    auto x = std::make_shared<connection_exchange>(state, std::move(handle));
    state->handle(x);
    // Forgotten already, so it would answer by itself here and now.
    if (x.use_count() == 1 && !x->is_sent())
      x->send(unanswered());
    if (x->leave_handler())
      asio::post(state->context, [x] { x->write_held_back(); });
    return restinio::request_accepted();
  }
};

struct server_traits
  : restinio::traits_t<restinio::asio_timer_manager_t, restinio::null_logger_t,
                       request_handler, reactor_executor, tracked_socket> {};

using connection_settings = ri::connection_settings_t<server_traits>;

using connection = ri::connection_t<server_traits>;

// -- parser -------------------------------------------------------------------

ri::http_parser_ctx_t& context_of(http_parser* parser) {
  return *static_cast<ri::http_parser_ctx_t*>(parser->data);
}

/// Keeps all headers in one field, for `turnout::for_each_field`: a field for
/// each header would be two strings and a look into the library's list of
/// names.
void add_fields(ri::http_parser_ctx_t& ctx, std::string lines) {
  // Nobody asks for the name.
  ctx.m_header.add_field(restinio::http_field_t::cookie, std::move(lines));
}

void append_to_fields(ri::http_parser_ctx_t& ctx, std::string_view text) {
  if (ctx.m_header.fields_count() == 0)
    add_fields(ctx, {});
  ri::append_last_field_accessor(ctx.m_header, text);
}

/// Takes a part of a name or value, with what stands before its first part;
/// returns -1 beyond `max_bytes` of all parts. Trailers are forgotten.
int take_part(ri::http_parser_ctx_t& ctx, bool is_first,
              std::string_view separator, std::string_view part,
              size_t max_bytes) {
  if (is_first) {
    ctx.m_last_value_total_size = 0;
    if (!ctx.m_leading_headers_completed && ctx.m_header.fields_count() > 0)
      append_to_fields(ctx, separator);
  }
  ctx.m_last_value_total_size += part.size();
  if (ctx.m_last_value_total_size > max_bytes)
    return -1;
  if (!ctx.m_leading_headers_completed)
    append_to_fields(ctx, part);
  return 0;
}

/// Like the library's, for part of a name.
int on_header_field(http_parser* parser, const char* at, size_t length) {
  auto& ctx = context_of(parser);
  const auto is_first = std::exchange(ctx.m_last_was_value, false);
  if (is_first && ctx.m_total_field_count++ == ctx.m_limits.max_field_count())
    return -1;
  try {
    return take_part(ctx, is_first, "\n", {at, length},
                     ctx.m_limits.max_field_name_size());
  } catch (...) {
    return -1;
  }
}

/// Like the library's, for part of a value.
int on_header_value(http_parser* parser, const char* at, size_t length) {
  auto& ctx = context_of(parser);
  const auto is_first = !std::exchange(ctx.m_last_was_value, true);
  try {
    return take_part(ctx, is_first, ":", {at, length},
                     ctx.m_limits.max_field_value_size() - 1);
  } catch (...) {
    return -1;
  }
}

/// Like the library's, but does not give up on a body that is too long.
int on_headers_complete(http_parser* parser) {
  auto& ctx = context_of(parser);
  ctx.m_leading_headers_completed = true;
  // The library leaves them at 1.1.
  ctx.m_header.http_major(parser->http_major);
  ctx.m_header.http_minor(parser->http_minor);
  const auto length = parser->content_length;
  if (length == ULLONG_MAX || length == 0)
    return 0;
  try {
    if (length > max_drained_bytes) {
      // Answer without reading it.
      ctx.m_body.assign(max_body_bytes + 1, ' ');
      return 1;
    }
    ctx.m_body.reserve(
      std::min<size_t>(static_cast<size_t>(length), max_body_bytes + 1));
  } catch (...) {
    return -1;
  }
  return 0;
}

/// Like the library's, but forgets what is beyond the limit.
int on_body(http_parser* parser, const char* at, size_t length) {
  auto& body = context_of(parser).m_body;
  try {
    body.append(at, std::min(length, max_body_bytes + 1 - body.size()));
  } catch (...) {
    return -1;
  }
  return 0;
}

/// The library keeps a record of each chunk, however small; nobody needs it.
int on_chunk_header(http_parser*) {
  return 0;
}

http_parser_settings parser_settings() {
  // Global to the process; the library offers no other way.
  http_parser_set_max_header_size(max_parser_header_bytes);
  auto result
    = ri::create_parser_settings<server_traits::http_methods_mapper_t>();
  result.on_header_field = on_header_field;
  result.on_header_value = on_header_value;
  result.on_headers_complete = on_headers_complete;
  result.on_body = on_body;
  result.on_chunk_header = on_chunk_header;
  return result;
}

std::shared_ptr<connection_settings>
make_settings(const shared_state_ptr& state) {
  const std::chrono::seconds timeout{state->options.read_timeout_seconds};
  restinio::server_settings_t<server_traits> options;
  options.request_handler(request_handler{state});
  options.read_next_http_message_timelimit(timeout);
  options.write_http_response_timelimit(timeout);
  // Conversions may wait for the drain; the actors answer long before.
  options.handle_request_timeout(std::chrono::seconds{60});
  options.max_pipelined_requests(1);
  restinio::incoming_http_msg_limits_t limits;
  limits.max_url_size(max_field_bytes);
  limits.max_field_name_size(max_header_bytes);
  limits.max_field_value_size(max_field_bytes);
  // As many as fit into the limit of all headers.
  limits.max_field_count(max_header_bytes / 4);
  options.incoming_http_msg_limits(limits);
  auto timers = options.timer_factory()->create(state->context);
  return std::make_shared<connection_settings>(options, parser_settings(),
                                               std::move(timers));
}

} // namespace

/// Stands before the parser and takes what nearly all requests are, in a
/// quarter of its time.
size_t execute_parser(http_parser* parser, const http_parser_settings* settings,
                      const char* data, size_t length) {
  static const auto fresh_state = [] {
    http_parser fresh;
    http_parser_init(&fresh, HTTP_REQUEST);
    return fresh.state;
  }();
  const auto is_fresh = parser->state == fresh_state && parser->nread == 0;
  const auto head = is_fresh ? scan_request_head({data, length}) : std::nullopt;
  if (!head)
    return http_parser_execute(parser, settings, data, length);
  // What the parser would have left behind.
  parser->method = head->is_head ? HTTP_HEAD : HTTP_GET;
  parser->http_major = 1;
  parser->http_minor = 1;
  parser->content_length = ULLONG_MAX;
  if (head->keep_alive)
    parser->flags |= F_CONNECTION_KEEP_ALIVE;
  auto& ctx = context_of(parser);
  try {
    ctx.m_header.append_request_target(head->target.data(),
                                       head->target.size());
    add_fields(ctx, head->sized_fields());
  } catch (...) {
    parser->http_errno = HPE_CB_header_value;
    return 0;
  }
  // These cannot fail without a body.
  settings->on_headers_complete(parser);
  settings->on_message_complete(parser);
  return head->size;
}

// -- listener -----------------------------------------------------------------

/// Accepts connections. The HTTP library's own acceptor stops for good when the
/// system is out of descriptors once, and loses a place of its limit with each
/// client that is gone before it looks.
class listener::impl : public std::enable_shared_from_this<impl> {
public:
  impl(asio::io_context& context, listener_options options, handler f)
    : x_state{std::make_shared<shared_state>(context, std::move(options),
                                             std::move(f))},
      x_sockets{std::make_shared<socket_set>(
        x_state->options.counters ? x_state->options.counters->connections_open
                                  : nullptr)},
      x_acceptor{context},
      x_pause{context},
      x_settings{make_settings(x_state)},
      x_max_connections{x_state->options.max_connections} {
    // nop
  }

  caf::error open(const listen_address& where, bool share_port) {
    try {
      const auto endpoint = where.endpoint();
      x_acceptor.open(endpoint.protocol());
      x_acceptor.set_option(tcp::acceptor::reuse_address{true});
      if (share_port)
        x_acceptor.set_option(reuse_port{true});
      x_acceptor.bind(endpoint);
      x_acceptor.listen();
      x_where = where;
      x_where.port = x_acceptor.local_endpoint().port();
    } catch (const std::system_error& e) {
      asio::error_code ignored;
      x_acceptor.close(ignored);
      return cannot_listen(where, e);
    }
    x_sockets->on_erase([weak = weak_from_this()] {
      if (auto self = weak.lock())
        self->connection_ended();
    });
    accept_next();
    return {};
  }

  const listen_address& where() const noexcept {
    return x_where;
  }

  void set_max_connections(size_t n) {
    x_max_connections = n;
    if (std::exchange(x_is_full, false))
      accept_next();
  }

  void stop_accepting() {
    x_state->stopping = true;
    asio::error_code ignored;
    x_acceptor.close(ignored);
    x_pause.cancel();
  }

  void close() {
    stop_accepting();
    x_sockets->on_erase({});
    x_sockets->close_all();
  }

  size_t in_flight() const noexcept {
    return x_state->in_flight.load(std::memory_order_relaxed);
  }

private:
  void accept_next() {
    if (!x_acceptor.is_open())
      return;
    if (x_sockets->size() >= x_max_connections) {
      x_is_full = true;
      if (auto* counters = x_state->options.counters)
        counters->accept_pauses_limit->Increment();
      return;
    }
    x_acceptor.async_accept(
      [self = shared_from_this()](asio::error_code err, tcp_socket x) {
        self->accepted(err, std::move(x));
      });
  }

  void accepted(const asio::error_code& err, tcp_socket x) {
    if (!x_acceptor.is_open())
      return;
    if (!err) {
      serve(std::move(x));
      accept_next();
      return;
    }
    if (err == asio::error::connection_aborted || err == asio::error::try_again
        || err == asio::error::interrupted) {
      accept_next();
      return;
    }
    if (auto* counters = x_state->options.counters)
      counters->accept_pauses_error->Increment();
    log::warning("cannot accept connections, trying again",
                 {{"error", err.message()}});
    x_pause.expires_after(accept_pause);
    x_pause.async_wait([self = shared_from_this()](asio::error_code err) {
      if (!err)
        self->accept_next();
    });
  }

  void serve(tcp_socket x) {
    asio::error_code err;
    auto peer = x.remote_endpoint(err);
    if (err)
      return; // gone already
    if (auto* counters = x_state->options.counters)
      counters->connections_accepted->Increment();
    try {
      x.set_option(tcp::no_delay{true});
      std::make_shared<connection>(
        ++x_last_id, tracked_socket{std::move(x), x_sockets}, x_settings,
        std::move(peer), connection::lifetime_monitor_t{nullptr})
        ->init();
    } catch (const std::exception& e) {
      log::warning("cannot serve a connection", {{"error", e.what()}});
    }
  }

  void connection_ended() {
    asio::post(x_state->context, [self = shared_from_this()] {
      if (std::exchange(self->x_is_full, false))
        self->accept_next();
    });
  }

  shared_state_ptr x_state;
  std::shared_ptr<socket_set> x_sockets;
  tcp_acceptor x_acceptor;
  asio::steady_timer x_pause;
  std::shared_ptr<connection_settings> x_settings;
  restinio::connection_id_t x_last_id = 0;
  listen_address x_where;
  /// As `set_max_connections` left it.
  size_t x_max_connections;
  bool x_is_full = false;
};

listener::listener(asio::io_context& context, listener_options options,
                   handler f)
  : x_impl{std::make_shared<impl>(context, std::move(options), std::move(f))} {
  // nop
}

listener::~listener() {
  // nop
}

caf::error listener::open(const listen_address& where, bool share_port) {
  return x_impl->open(where, share_port);
}

listen_address listener::where() const {
  return x_impl->where();
}

void listener::set_max_connections(size_t n) {
  x_impl->set_max_connections(n);
}

void listener::stop_accepting() {
  x_impl->stop_accepting();
}

void listener::close() {
  x_impl->close();
}

size_t listener::in_flight() const noexcept {
  return x_impl->in_flight();
}

} // namespace turnout
