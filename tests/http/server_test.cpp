#include "http/server.hpp"

#include "http/operator_server.hpp"
#include "tests/http/fake_service.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace turnout;
using namespace turnout::test;

namespace {

/// A blocking TCP connection that gives up after 20 s.
class raw_client {
public:
  explicit raw_client(int port) : x_fd{::socket(AF_INET, SOCK_STREAM, 0)} {
    timeval limit{20, 0};
    ::setsockopt(x_fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    ::setsockopt(x_fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    sockaddr_in addr{};
    addr.sin_family = AF_INET;
    addr.sin_port = htons(static_cast<uint16_t>(port));
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected
      = ::connect(x_fd, reinterpret_cast<sockaddr*>(&addr), sizeof(addr)) == 0;
  }

  ~raw_client() {
    ::close(x_fd);
  }

  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  bool send(std::string_view text) {
    while (!text.empty()) {
      const auto n = ::send(x_fd, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0)
        return false;
      text.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }

  /// Reads one answer: head, then as many bytes of body as it announces.
  std::string answer(bool head = false) {
    while (x_buffer.find("\r\n\r\n") == std::string::npos)
      if (!more())
        return std::exchange(x_buffer, {});
    const auto end = x_buffer.find("\r\n\r\n") + 4;
    auto size = end;
    const auto pos = x_buffer.find("Content-Length: ");
    if (!head && pos < end)
      size += std::stoul(x_buffer.substr(pos + 16));
    while (x_buffer.size() < size)
      if (!more())
        break;
    auto result = x_buffer.substr(0, size);
    x_buffer.erase(0, size);
    return result;
  }

  /// Reads until the other end closes and returns what came.
  std::string everything() {
    while (more()) {}
    return std::exchange(x_buffer, {});
  }

  /// Reads until the other end closes; false when it does not.
  bool is_closed() {
    for (;;) {
      char buf[4096];
      const auto n = ::recv(x_fd, buf, sizeof(buf), 0);
      if (n == 0)
        return true;
      if (n < 0)
        return errno == ECONNRESET;
    }
  }

  bool connected = false;

private:
  bool more() {
    char buf[4096];
    const auto n = ::recv(x_fd, buf, sizeof(buf), 0);
    if (n <= 0)
      return false;
    x_buffer.append(buf, static_cast<size_t>(n));
    return true;
  }

  int x_fd;
  std::string x_buffer;
};

size_t count(const std::string& text, const std::string& what) {
  size_t result = 0;
  for (auto pos = text.find(what); pos != std::string::npos;
       pos = text.find(what, pos + 1))
    ++result;
  return result;
}

/// The fake with a lock, and answers of visits from a foreign thread.
class threaded_service final : public fake_service {
public:
  void resolve(visit_ptr x) override {
    std::unique_lock guard{mtx};
    if (from_elsewhere) {
      threads.emplace_back([x = std::move(x)]() mutable {
        answer(*x);
        x.reset();
      });
      return;
    }
    if (forget)
      return;
    if (keep) {
      kept.push_back(std::move(x));
      return;
    }
    guard.unlock();
    answer(*x);
  }

  void journal(size_t reactor, const journal::event& x,
               std::function<void(bool)> then) override {
    {
      std::lock_guard guard{mtx};
      if (pool->current() != reactor)
        ++wrong_threads;
      reactors.insert(reactor);
    }
    (void)x;
    then(true);
  }

  static void answer(visit& x) {
    if (x.request().slug == "nobody")
      return x.not_found();
    redirect_answer result;
    result.location = "https://a.example/" + x.request().slug;
    result.record = click{};
    x.redirect(std::move(result));
  }

  ~threaded_service() override {
    join();
  }

  void join() {
    for (auto& x : threads)
      x.join();
    threads.clear();
  }

  /// Waits for a visit that was kept and takes it.
  visit_ptr take_kept() {
    for (auto i = 0; i < 2000; ++i) {
      {
        std::lock_guard guard{mtx};
        if (!kept.empty()) {
          auto x = std::move(kept.back());
          kept.pop_back();
          return x;
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    throw std::runtime_error{"no visit came"};
  }

  reactor_pool* pool = nullptr;
  std::mutex mtx;
  bool from_elsewhere = false;
  bool keep = false;
  bool forget = false;
  std::vector<visit_ptr> kept;
  std::vector<std::thread> threads;
  std::set<size_t> reactors;
  int wrong_threads = 0;
};

class server : public ::testing::Test {
public:
  server() {
    actors.pool = &pool;
    options.http.listen = "127.0.0.1:0";
    options.http.operator_listen = "127.0.0.1:0";
    options.http.base_url.clear();
    options.http.short_base.clear();
    options.http.max_connections = 1000;
    options.http.max_in_flight = 1000;
    options.http.read_timeout_seconds = 10;
    pool.start();
  }

  ~server() override {
    if (public_end)
      public_end->close();
    actors.join();
    actors.kept.clear();
    pool.stop();
  }

  void start() {
    public_end
      = std::make_unique<public_server>(pool, actors, options, counters, geo);
    auto bound = public_end->start();
    ASSERT_TRUE(bound) << detail(bound.error());
    address = *bound;
    port = std::stoi(address.substr(address.rfind(':') + 1));
    ASSERT_NE(port, 0);
  }

  httplib::Client client() const {
    return httplib::Client{"127.0.0.1", port};
  }

  /// Makes a link with clicks whose user agents have so many bytes; returns its
  /// id.
  std::string make_export(int clicks, size_t bytes) {
    turnout::link x;
    x.id = *uuid::parse("00000000-0000-7000-8000-000000000101");
    x.user_id = actors.owner;
    actors.links[x.id] = x;
    for (auto i = clicks; i > 0; --i) {
      click_row row;
      row.id = uuid{static_cast<uint64_t>(i), 1};
      row.user_agent = std::string(bytes, 'u');
      actors.all_clicks.push_back(std::move(row));
    }
    return x.id.str();
  }

  static std::string export_request(const std::string& id) {
    return "GET /api/v1/public/links/" + id
           + "/clicks.csv HTTP/1.1\r\nHost: x\r\nX-API-Key: "
           + fake_service::secret_key + "\r\n\r\n";
  }

  /// Waits until no request is under way.
  bool ends_all() const {
    for (auto i = 0; i < 4000 && public_end->in_flight() > 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    return public_end->in_flight() == 0;
  }

  reactor_pool pool{2};
  threaded_service actors;
  settings options;
  metrics counters;
  geo_lookup geo{""};
  std::unique_ptr<public_server> public_end;
  std::string address;
  int port = 0;
};

const std::string host = " HTTP/1.1\r\nHost: x\r\n";

} // namespace

TEST_F(server, head_then_get_on_one_connection) {
  start();
  raw_client x{port};
  for (auto i = 0; i < 3; ++i) {
    ASSERT_TRUE(x.send("HEAD /promo-24" + host + "\r\n"));
    auto head = x.answer(true);
    EXPECT_TRUE(head.starts_with("HTTP/1.1 302 Found\r\n")) << head;
    EXPECT_EQ(count(head, "Content-Length: "), 1u);
    EXPECT_NE(head.find("Connection: keep-alive"), std::string::npos);
    ASSERT_TRUE(x.send("HEAD /nobody" + host + "\r\n"));
    head = x.answer(true);
    EXPECT_TRUE(head.starts_with("HTTP/1.1 404 Not Found\r\n")) << head;
    EXPECT_TRUE(head.ends_with("\r\n\r\n"));
    ASSERT_TRUE(x.send("GET /promo-24" + host + "\r\n"));
    const auto answer = x.answer();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 302 Found\r\n")) << answer;
    EXPECT_NE(answer.find("\r\nLocation: https://a.example/promo-24\r\n"),
              std::string::npos);
    EXPECT_NE(answer.find("\r\nContent-Length: 0\r\n"), std::string::npos);
    EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
    EXPECT_EQ(answer.find("Server:"), std::string::npos);
  }
  EXPECT_EQ(actors.wrong_threads, 0);
}

TEST_F(server, pipelined_requests_are_answered_in_order) {
  start();
  raw_client x{port};
  std::string all;
  for (auto i = 0; i < 20; ++i)
    all += "GET /slug-" + std::to_string(i) + host + "\r\n";
  ASSERT_TRUE(x.send(all));
  for (auto i = 0; i < 20; ++i)
    EXPECT_NE(x.answer().find("a.example/slug-" + std::to_string(i) + "\r\n"),
              std::string::npos)
      << i;
}

TEST_F(server, a_request_may_come_in_pieces) {
  start();
  raw_client x{port};
  // The key is read from every one, whatever the pieces are.
  const auto text
    = "GET /api/v1/public/links" + host
      + "Cookie: a=b\r\nX-Folded: a\r\n  b\r\nX-Empty:\r\nX-API-Key: "
      + fake_service::secret_key + "\r\n\r\n";
  for (size_t size : {1, 7, 50, 1000}) {
    for (size_t pos = 0; pos < text.size(); pos += size)
      ASSERT_TRUE(x.send(std::string_view{text}.substr(pos, size)));
    EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 200 ")) << size;
  }
}

TEST_F(server, a_body_is_not_taken_for_the_next_request) {
  start();
  raw_client x{port};
  const std::string body{"GET /promo-24" + host + "\r\n"};
  const auto head = "POST /promo-24" + host + "Content-Length: "
                    + std::to_string(body.size()) + "\r\n\r\n";
  ASSERT_TRUE(x.send(head));
  // Into another packet.
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
  ASSERT_TRUE(x.send(body));
  EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 405 "));
  ASSERT_TRUE(x.send("GET /other" + host + "\r\n"));
  EXPECT_NE(x.answer().find("a.example/other\r\n"), std::string::npos);
}

TEST_F(server, pipelining_does_not_depend_on_how_fast_an_answer_is) {
  start();
  // Answered within the handler, after the journal, by another thread, and by
  // nobody at all.
  for (auto target : {"/robots.txt", "/promo-24", "/nobody", "/x/y/z"}) {
    for (auto elsewhere : {false, true}) {
      {
        std::lock_guard guard{actors.mtx};
        actors.from_elsewhere = elsewhere;
      }
      raw_client x{port};
      std::string all;
      for (auto i = 0; i < 20; ++i)
        all += "GET " + std::string{target} + host + "\r\n";
      ASSERT_TRUE(x.send(all));
      for (auto i = 0; i < 20; ++i)
        EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 ")) << target << i;
    }
  }
  actors.join();
}

TEST_F(server, forgotten_requests_are_503_one_after_the_other) {
  actors.forget = true;
  start();
  raw_client x{port};
  std::string all;
  for (auto i = 0; i < 5; ++i)
    all += "GET /promo-24" + host + "\r\n";
  ASSERT_TRUE(x.send(all));
  for (auto i = 0; i < 5; ++i)
    EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 503 "));
}

TEST_F(server, requests_that_arrive_in_pieces_beside_an_answer_are_read) {
  start();
  raw_client x{port};
  for (auto i = 0; i < 50; ++i) {
    ASSERT_TRUE(x.send("GET /robots.txt" + host + "\r\nGET /pro"));
    EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 200 "));
    ASSERT_TRUE(x.send("mo-24" + host + "\r\n"));
    EXPECT_NE(x.answer().find("a.example/promo-24"), std::string::npos) << i;
  }
}

TEST_F(server, answers_from_other_threads_are_written_by_the_own_reactor) {
  actors.from_elsewhere = true;
  start();
  std::vector<std::thread> clients;
  std::atomic<int> good{0};
  for (auto i = 0; i < 8; ++i)
    clients.emplace_back([&] {
      raw_client x{port};
      for (auto j = 0; j < 25; ++j) {
        x.send("GET /promo-24" + host + "\r\n");
        if (x.answer().starts_with("HTTP/1.1 302"))
          ++good;
      }
    });
  for (auto& x : clients)
    x.join();
  EXPECT_EQ(good, 200);
  actors.join();
  EXPECT_EQ(actors.wrong_threads, 0);
  EXPECT_EQ(public_end->in_flight(), 0u);
}

TEST_F(server, addresses_are_derived_from_the_port) {
  start();
  EXPECT_EQ(public_end->short_base(), "http://" + address);
  EXPECT_EQ(public_end->base_url(), "http://" + address + "/api/v1");
  auto x = client();
  httplib::Headers headers{{"X-API-Key", fake_service::secret_key}};
  auto out = x.Post("/api/v1/public/links", headers,
                    R"({"name":"n","slug":"abc","variants":[
   {"label":"a","destination_url":"https://a.example/","weight":60},
   {"label":"b","destination_url":"https://b.example/","weight":40}]})",
                    "application/json");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->status, 201);
  EXPECT_NE(out->body.find("\"short_url\":\"http://" + address + "/abc\""),
            std::string::npos)
    << out->body;
}

TEST_F(server, a_second_server_on_the_port_fails) {
  start();
  options.http.listen = address;
  public_server second{pool, actors, options, counters, geo};
  auto bound = second.start();
  ASSERT_FALSE(bound);
  EXPECT_EQ(code_of(bound.error()), ec::config);
  EXPECT_NE(detail(bound.error()).find(address), std::string::npos);
  options.http.listen = "nonsense";
  public_server third{pool, actors, options, counters, geo};
  EXPECT_FALSE(third.start());
}

TEST_F(server, the_port_is_free_again_after_closing) {
  start();
  const auto first = address;
  raw_client x{port};
  x.send("GET /promo-24" + host + "\r\n");
  x.answer();
  public_end->close();
  options.http.listen = first;
  start();
  EXPECT_EQ(address, first);
}

TEST_F(server, pages_and_methods) {
  start();
  auto x = client();
  EXPECT_EQ(x.Get("/robots.txt")->status, 200);
  EXPECT_EQ(x.Get("/favicon.ico")->status, 204);
  EXPECT_EQ(x.Get("/")->status, 302);
  EXPECT_EQ(x.Get("/nobody")->status, 404);
  auto page = x.Get("/nobody", httplib::Headers{{"Accept", "text/html"}});
  EXPECT_NE(page->body.find("<h1>"), std::string::npos);
  const auto expect_405 = [](const httplib::Result& out) {
    ASSERT_TRUE(out);
    EXPECT_EQ(out->status, 405);
    EXPECT_EQ(out->get_header_value("Allow"), "GET, HEAD");
  };
  expect_405(x.Post("/promo-24"));
  expect_405(x.Put("/promo-24", "", "text/plain"));
  expect_405(x.Delete("/promo-24"));
  expect_405(x.Options("/promo-24"));
  expect_405(x.Patch("/promo-24", "", "text/plain"));
  auto out = x.Options("/api/v1/public/links");
  EXPECT_EQ(out->status, 204);
  EXPECT_FALSE(out->has_header("Content-Length"));
}

TEST_F(server, bodies_that_are_too_large_get_an_answer) {
  start();
  const httplib::Headers headers{{"X-API-Key", fake_service::secret_key}};
  for (size_t size : {max_body_bytes + 1, 5 * max_body_bytes}) {
    auto x = client();
    auto out = x.Post("/api/v1/public/links", headers, std::string(size, ' '),
                      "application/json");
    ASSERT_TRUE(out) << size;
    EXPECT_EQ(out->status, 413) << size;
    EXPECT_EQ(out->get_header_value("Access-Control-Allow-Origin"), "*");
  }
  auto x = client();
  auto out = x.Post("/api/v1/public/links", headers,
                    std::string(max_body_bytes, ' '), "application/json");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->status, 422);
}

TEST_F(server, chunked_bodies_are_limited_too) {
  start();
  raw_client x{port};
  x.send("POST /api/v1/public/links" + host + "X-API-Key: "
         + fake_service::secret_key + "\r\nTransfer-Encoding: chunked\r\n\r\n");
  const auto chunk = "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
  for (auto i = 0; i < 40; ++i)
    ASSERT_TRUE(x.send(chunk));
  x.send("0\r\n\r\n");
  EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(x.is_closed());
}

TEST_F(server, a_body_announced_far_too_large_is_refused_unread) {
  start();
  raw_client x{port};
  x.send("POST /api/v1/public/links" + host
         + "X-API-Key: " + fake_service::secret_key
         + "\r\nContent-Length: 99999999999\r\n\r\n");
  EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(x.is_closed());
}

TEST_F(server, large_headers_are_431_and_large_keys_are_401) {
  start();
  {
    raw_client x{port};
    x.send("GET /promo-24" + host + "X-Big: " + std::string(70000, 'x')
           + "\r\n\r\n");
    EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 431 "));
  }
  {
    raw_client x{port};
    x.send("GET /api/v1/public/links" + host
           + "X-Big: " + std::string(200000, 'x') + "\r\n\r\n");
    const auto answer = x.answer();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 431 "));
    EXPECT_EQ(count(answer, "X-RateLimit-"), 6u) << answer;
  }
  {
    raw_client x{port};
    std::string many;
    for (auto i = 0; i < 8000; ++i)
      many += "a: bcde\r\n";
    x.send("GET /promo-24" + host + many + "\r\n");
    EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 431 "));
  }
  {
    raw_client x{port};
    x.send("GET /api/v1/public/links" + host
           + "X-API-Key: " + std::string(1 << 20, 'k') + "\r\n\r\n");
    const auto answer = x.answer();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 401 ")) << answer;
    EXPECT_NE(answer.find("Invalid API key."), std::string::npos);
  }
  {
    raw_client x{port};
    x.send("GET /promo-24?" + std::string(16384, 'q') + host
           + "Referer: " + std::string(10240, 'r')
           + "\r\nUser-Agent: " + std::string(8192, 'u') + "\r\n\r\n");
    EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 302 "));
  }
}

TEST_F(server, slow_and_idle_clients_are_closed_and_disturb_nobody) {
  options.http.read_timeout_seconds = 1;
  start();
  std::vector<std::unique_ptr<raw_client>> idle;
  for (auto i = 0; i < 10; ++i) {
    idle.push_back(std::make_unique<raw_client>(port));
    ASSERT_TRUE(idle.back()->connected);
  }
  raw_client slow{port};
  slow.send("GET /promo-24 HTTP/1.1\r\nHos");
  raw_client x{port};
  x.send("GET /promo-24" + host + "\r\n");
  EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 302 "));
  EXPECT_TRUE(slow.is_closed());
  for (auto& y : idle)
    EXPECT_TRUE(y->is_closed());
}

TEST_F(server, connections_beyond_the_limit_wait_for_others_to_end) {
  options.http.max_connections = 2;
  start();
  // One connection per reactor; the kernel spreads them as it likes.
  std::vector<std::unique_ptr<raw_client>> clients;
  for (auto i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<raw_client>(port));
    clients.back()->send("GET /promo-24" + host + "Connection: close\r\n\r\n");
  }
  for (auto& x : clients)
    EXPECT_TRUE(x->answer().starts_with("HTTP/1.1 302 "));
  EXPECT_EQ(counters.connections_limit->Value(), 2.0);
  EXPECT_EQ(counters.connections_accepted->Value(), 8.0);
  EXPECT_GT(counters.accept_pauses_limit->Value(), 0.0);
  EXPECT_EQ(counters.accept_pauses_error->Value(), 0.0);
}

TEST_F(server, open_connections_are_shown) {
  start();
  const auto shown = [this](double n) {
    for (auto i = 0; i < 2000 && counters.connections_open->Value() != n; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    return counters.connections_open->Value();
  };
  EXPECT_EQ(shown(0), 0.0);
  {
    raw_client x{port};
    raw_client idle{port};
    EXPECT_EQ(shown(2), 2.0);
  }
  EXPECT_EQ(shown(0), 0.0);
  raw_client x{port};
  EXPECT_EQ(shown(1), 1.0);
  public_end->close();
  EXPECT_EQ(shown(0), 0.0);
}

TEST_F(server, clients_that_leave_at_once_cost_nothing) {
  options.http.max_connections = 4;
  start();
  for (auto i = 0; i < 100; ++i) {
    raw_client x{port};
    if (i % 2)
      x.send("GET /promo-24" + host + "\r\n");
  }
  raw_client x{port};
  x.send("GET /promo-24" + host + "\r\n");
  EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 302 "));
}

TEST_F(server, broken_requests_close_only_their_connection) {
  start();
  for (auto junk : {"\r\n\r\n\x01\x02", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                    "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"}) {
    raw_client x{port};
    x.send(junk);
    EXPECT_TRUE(x.is_closed());
  }
  EXPECT_EQ(client().Get("/promo-24")->status, 302);
}

TEST_F(server, an_offer_to_upgrade_is_declined) {
  start();
  raw_client x{port};
  x.send("GET /promo-24" + host
         + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
           "HTTP2-Settings: AAMAAABk\r\n\r\n");
  EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 302 "));
  EXPECT_TRUE(x.is_closed());
}

TEST_F(server, http_1_0_and_close_are_honoured) {
  start();
  {
    raw_client x{port};
    x.send("GET /promo-24 HTTP/1.0\r\n\r\n");
    EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 302 "));
    EXPECT_TRUE(x.is_closed());
  }
  raw_client x{port};
  x.send("GET /promo-24" + host + "Connection: close\r\n\r\n");
  EXPECT_NE(x.answer().find("Connection: close"), std::string::npos);
  EXPECT_TRUE(x.is_closed());
}

TEST_F(server, stopping_finishes_what_is_under_way) {
  actors.keep = true;
  start();
  raw_client x{port};
  raw_client idle{port};
  x.send("GET /promo-24" + host + "\r\n");
  for (auto i = 0; i < 2000 && public_end->in_flight() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  ASSERT_EQ(public_end->in_flight(), 1u);
  EXPECT_EQ(counters.in_flight->Value(), 1.0);
  public_end->stop_accepting();
  EXPECT_FALSE(raw_client{port}.connected);
  threaded_service::answer(*actors.take_kept());
  const auto answer = x.answer();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 302 ")) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  EXPECT_TRUE(x.is_closed());
  EXPECT_EQ(public_end->in_flight(), 0u);
  public_end->close();
  EXPECT_TRUE(idle.is_closed());
  public_end->close();
}

TEST_F(server, a_visit_that_is_dropped_by_another_thread_is_503) {
  actors.keep = true;
  start();
  raw_client x{port};
  x.send("GET /promo-24" + host + "\r\n");
  actors.take_kept().reset();
  const auto answer = x.answer();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 ")) << answer;
  EXPECT_NE(answer.find("Retry-After: 1"), std::string::npos);
}

// -- bodies in parts ----------------------------------------------------------

TEST_F(server, a_body_in_parts_arrives_whole_and_in_step) {
  const auto id = make_export(1700, 10);
  start();
  auto http = client();
  http.set_keep_alive(true);
  for (auto i = 0; i < 3; ++i) {
    auto answer = http.Get("/api/v1/public/links/" + id + "/clicks.csv",
                           {{"X-API-Key", fake_service::secret_key}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->get_header_value("Transfer-Encoding"), "chunked");
    EXPECT_FALSE(answer->has_header("Content-Length"));
    EXPECT_EQ(count(answer->body, "\r\n"), 1701u);
    auto next = http.Get("/robots.txt");
    ASSERT_TRUE(next);
    EXPECT_EQ(next->status, 200);
  }
  EXPECT_EQ(public_end->in_flight(), 0u);
}

TEST_F(server, http_1_0_gets_no_chunks) {
  const auto id = make_export(1700, 10);
  start();
  raw_client x{port};
  x.send("GET /api/v1/public/links/" + id
         + "/clicks.csv HTTP/1.0\r\nX-API-Key: " + fake_service::secret_key
         + "\r\n\r\n");
  const auto all = x.everything();
  EXPECT_EQ(all.find("Transfer-Encoding"), std::string::npos);
  const auto body = all.substr(all.find("\r\n\r\n") + 4);
  EXPECT_TRUE(body.starts_with("id,link_id,"));
  EXPECT_EQ(count(body, "\r\n"), 1701u);
}

TEST_F(server, a_body_that_fails_has_no_end_mark) {
  const auto id = make_export(1700, 10);
  actors.clicks_error = make_error(ec::unavailable, "gone");
  actors.pages_before_error = 2;
  start();
  raw_client x{port};
  x.send(export_request(id));
  const auto all = x.everything();
  EXPECT_TRUE(all.starts_with("HTTP/1.1 200 OK\r\n")) << all.substr(0, 80);
  EXPECT_FALSE(all.ends_with("\r\n0\r\n\r\n"));
  EXPECT_EQ(public_end->in_flight(), 0u);
}

TEST_F(server, a_client_that_stops_reading_is_let_go) {
  options.http.read_timeout_seconds = 1;
  const auto id = make_export(30'000, 1000);
  start();
  raw_client stuck{port};
  stuck.send(export_request(id));
  EXPECT_TRUE(stuck.answer().starts_with("HTTP/1.1 200 "));
  // Others are served meanwhile.
  raw_client x{port};
  x.send("GET /promo-24" + host + "\r\n");
  EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 302 "));
  EXPECT_TRUE(ends_all());
  EXPECT_FALSE(stuck.everything().ends_with("\r\n0\r\n\r\n"));
}

TEST_F(server, a_client_that_leaves_is_let_go) {
  const auto id = make_export(30'000, 1000);
  start();
  for (auto i = 0; i < 5; ++i) {
    {
      raw_client x{port};
      x.send(export_request(id));
      EXPECT_TRUE(x.answer().starts_with("HTTP/1.1 200 "));
    }
    EXPECT_TRUE(ends_all());
  }
}

TEST_F(server, closing_ends_a_body_that_nobody_reads) {
  const auto id = make_export(30'000, 1000);
  start();
  raw_client stuck{port};
  stuck.send(export_request(id));
  EXPECT_TRUE(stuck.answer().starts_with("HTTP/1.1 200 "));
  public_end->stop_accepting();
  public_end->close();
  EXPECT_TRUE(ends_all());
}

TEST_F(server, operator_endpoints) {
  operator_server x{actors, options, counters};
  auto bound = x.start();
  ASSERT_TRUE(bound) << detail(bound.error());
  counters.redirects_found->Increment();
  httplib::Client y{"127.0.0.1",
                    std::stoi(bound->substr(bound->rfind(':') + 1))};
  EXPECT_EQ(y.Get("/healthz")->body, "ok");
  EXPECT_EQ(y.Get("/readyz")->status, 200);
  actors.reason = "migrations are running";
  auto out = y.Get("/readyz");
  EXPECT_EQ(out->status, 503);
  EXPECT_EQ(out->body, "migrations are running");
  EXPECT_EQ(y.Get("/healthz")->status, 200);
  out = y.Get("/metrics");
  EXPECT_EQ(out->status, 200);
  EXPECT_TRUE(out->get_header_value("Content-Type").starts_with("text/plain"));
  EXPECT_NE(out->body.find("# TYPE "), std::string::npos);
  EXPECT_EQ(y.Get("/promo-24")->status, 404);
  EXPECT_EQ(y.Post("/healthz")->status, 405);
  operator_server second{actors, options, counters};
  options.http.operator_listen = *bound;
  operator_server third{actors, options, counters};
  EXPECT_FALSE(third.start());
  x.close();
  x.close();
}

TEST(listen_address, is_parsed) {
  auto str = [](const std::string& text) {
    auto x = listen_address::parse(text);
    return x ? x->str() : "";
  };
  EXPECT_EQ(str("127.0.0.1:8080"), "127.0.0.1:8080");
  EXPECT_EQ(str("[::1]:80"), "[::1]:80");
  EXPECT_EQ(str("localhost:0"), "127.0.0.1:0");
  EXPECT_EQ(str(":8080"), "0.0.0.0:8080");
  for (auto bad : {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
                   "127.0.0.1:65536", "host.example:80", "1.2.3:80"})
    EXPECT_EQ(str(bad), "") << bad;
}
