#include "http/operator_server.hpp"
#include "tests/http/server_fixture.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace turnout;
using namespace turnout::test;

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
