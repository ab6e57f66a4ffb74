#include "tests/http/server_fixture.hpp"

using namespace turnout;
using namespace turnout::test;

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
