#include "identity/fetch.hpp"

#include <gtest/gtest.h>
#include <httplib.h>

#include <string>
#include <thread>

using namespace turnout;
using identity::fetch;

namespace {

struct fetch_test : testing::Test {
  fetch_test() {
    port = server.bind_to_any_port("127.0.0.1");
    server.Get("/keys", [](const httplib::Request&, httplib::Response& out) {
      out.set_content("the keys", "application/json");
    });
    server.Get("/large", [](const httplib::Request&, httplib::Response& out) {
      out.set_content(std::string(2'000'000, 'x'), "text/plain");
    });
    server.Get("/moved", [](const httplib::Request&, httplib::Response& out) {
      out.set_redirect("/keys");
    });
    server.Get("/loop", [](const httplib::Request&, httplib::Response& out) {
      out.set_redirect("/loop");
    });
    server.Get("/file", [](const httplib::Request&, httplib::Response& out) {
      out.set_redirect("file:///etc/hostname");
    });
    thread = std::thread{[this] { server.listen_after_bind(); }};
    while (!server.is_running())
      std::this_thread::yield();
  }

  ~fetch_test() override {
    server.stop();
    thread.join();
  }

  caf::expected<std::string> get(const std::string& path) {
    return fetch("http://127.0.0.1:" + std::to_string(port) + path, stop);
  }

  httplib::Server server;
  int port = 0;
  std::thread thread;
  std::atomic<bool> stop = false;
};

} // namespace

TEST_F(fetch_test, brings_a_document) {
  const auto result = get("/keys");
  ASSERT_TRUE(result) << detail(result.error());
  EXPECT_EQ(*result, "the keys");
  EXPECT_EQ(*get("/moved"), "the keys");
}

TEST_F(fetch_test, fails_with_a_reason) {
  for (auto path : {"/nothing", "/large", "/loop", "/file"}) {
    const auto result = get(path);
    ASSERT_FALSE(result) << path;
    EXPECT_EQ(code_of(result.error()), ec::unavailable);
    EXPECT_FALSE(detail(result.error()).empty());
  }
  EXPECT_FALSE(fetch("file:///etc/hostname", stop));
  EXPECT_FALSE(fetch("http://127.0.0.1:1/", stop));
}

TEST_F(fetch_test, can_be_stopped) {
  stop = true;
  EXPECT_FALSE(get("/keys"));
}
