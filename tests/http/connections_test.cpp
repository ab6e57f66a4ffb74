#include "tests/http/server_fixture.hpp"

#include <memory>
#include <vector>

using namespace turnout;
using namespace turnout::test;

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
