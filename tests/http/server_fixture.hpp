#pragma once

#include "http/server.hpp"
#include "tests/http/fake_service.hpp"
#include "tests/http/raw_client.hpp"

#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace turnout::test {

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

/// A server with two reactors on a free port.
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

/// The rest of a request after its target, before more headers.
inline const std::string host = " HTTP/1.1\r\nHost: x\r\n";

/// How often the text has the other in it.
inline size_t count(const std::string& text, const std::string& what) {
  size_t result = 0;
  for (auto pos = text.find(what); pos != std::string::npos;
       pos = text.find(what, pos + 1))
    ++result;
  return result;
}

} // namespace turnout::test
