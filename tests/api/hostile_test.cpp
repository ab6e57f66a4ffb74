#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/load_client.hpp"

#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

using namespace turnout::test;

// Each attack gets its documented answer or a closed connection, and the other
// visitors do not notice it.

namespace {

/// A visitor that comes again and again, each time on a new connection.
class witness {
public:
  witness(const std::string& origin, const std::string& slug) {
    x_thread = std::thread{[this, origin, slug] {
      while (!x_done) {
        try {
          http_client client{origin};
          auto answer
            = client.send("GET", "/" + slug, {{"User-Agent", browser}});
          if (answer.status != 302)
            ++x_failures;
        } catch (const std::exception&) {
          ++x_failures;
        }
        ++x_visits;
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
      }
    }};
  }

  ~witness() {
    x_done = true;
    x_thread.join();
  }

  /// Waits for `n` more visits and returns the failures so far.
  int failures_after(int n) {
    auto target = x_visits + n;
    eventually([&] { return x_visits >= target; }, std::chrono::seconds{60});
    return x_visits >= target ? x_failures.load() : -1;
  }

private:
  std::atomic<bool> x_done{false};
  std::atomic<int> x_visits{0};
  std::atomic<int> x_failures{0};
  std::thread x_thread;
};

/// Bytes that the service may take. The address sanitizer, under which the
/// binary was built then as well, keeps freed memory for a while.
#ifdef __SANITIZE_ADDRESS__
constexpr size_t memory_bound = size_t{2} << 30;
#else
constexpr size_t memory_bound = size_t{512} << 20;
#endif

class hostile_test : public api_test {
protected:
  static void SetUpTestSuite() {
    // The service inherits it.
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }

  void SetUp() override {
    api_test::SetUp();
    x_link = make_split();
    others = std::make_unique<witness>(service->origin(), text(x_link, "slug"));
  }

  void TearDown() override {
    EXPECT_EQ(others->failures_after(5), 0) << "other visitors noticed it";
    others.reset();
    EXPECT_TRUE(service->child().running());
    EXPECT_EQ(get(links_path).status, 200);
    EXPECT_LT(memory(), memory_bound) << "bytes in memory";
    api_test::TearDown();
  }

  environment settings() const override {
    return {{"TURNOUT_HTTP_READ_TIMEOUT_SECONDS", "3"}};
  }

  /// Resident memory of the service in bytes.
  size_t memory() {
    std::ifstream in{"/proc/" + std::to_string(service->child().pid())
                     + "/statm"};
    size_t all = 0;
    size_t resident = 0;
    in >> all >> resident;
    return resident * 4096;
  }

  /// Number of files that the service has open, as it says itself: others may
  /// not look.
  size_t open_files() {
    http_client client{service->operator_origin()};
    const auto all = client.send("GET", "/metrics").body;
    const std::string name = "\nprocess_open_fds ";
    const auto pos = all.find(name);
    if (pos == std::string::npos)
      throw std::runtime_error{"no process_open_fds"};
    return std::stoul(all.substr(pos + name.size()));
  }

  /// Sends bytes and expects one of the statuses or a closed connection.
  void expect_refused(const std::string& bytes,
                      const std::vector<int>& statuses) {
    raw_socket sock{service->port()};
    sock.send(bytes);
    if (auto answer = sock.receive()) {
      EXPECT_THAT(statuses, testing::Contains(answer->status));
    } else {
      EXPECT_TRUE(sock.wait_for_close(std::chrono::seconds{1}))
        << "neither an answer nor a closed connection";
    }
  }

  std::unique_ptr<witness> others;

private:
  json::value x_link;
};

} // namespace

TEST_F(hostile_test, slow_headers) {
  std::vector<raw_socket> slow;
  for (int i = 0; i < 300; ++i)
    slow.emplace_back(service->port());
  const std::string start = "GET /slow HTTP/1.1\r\nHost: x\r\nX-Slow: ";
  // A byte at a time, for longer than a request may take.
  for (int tick = 0; tick < 50; ++tick) {
    for (auto& x : slow)
      x.send(tick == 0 ? start : std::string{"s"});
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  EXPECT_EQ(others->failures_after(20), 0);
  for (auto& x : slow)
    EXPECT_TRUE(x.wait_for_close(std::chrono::seconds{30}));
}

TEST_F(hostile_test, slow_bodies) {
  std::vector<raw_socket> slow;
  for (int i = 0; i < 100; ++i) {
    slow.emplace_back(service->port());
    slow.back().send("POST " + links_path
                     + " HTTP/1.1\r\nHost: x\r\nX-API-Key: " + secret_key
                     + "\r\nContent-Length: 1000\r\n\r\n{");
  }
  for (auto& x : slow)
    EXPECT_TRUE(x.wait_for_close(std::chrono::seconds{30}));
}

TEST_F(hostile_test, half_closed_connections) {
  make_single("half-1");
  for (int i = 0; i < 200; ++i) {
    raw_socket sock{service->port()};
    sock.send("GET /half-1 HTTP/1.1\r\nHost: x\r\n\r\n");
    sock.finish_sending();
    if (auto answer = sock.receive()) {
      EXPECT_EQ(answer->status, 302);
    }
    EXPECT_TRUE(sock.wait_for_close(std::chrono::seconds{30}));
  }
  for (int i = 0; i < 200; ++i) {
    raw_socket sock{service->port()};
    sock.send("GET /half-1 HTTP/1.1\r\nHos");
    sock.finish_sending();
    EXPECT_TRUE(sock.wait_for_close(std::chrono::seconds{30}));
  }
}

TEST_F(hostile_test, ten_thousand_idle_connections) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  // Both ends count, each in its own process.
  auto n = std::min<rlim_t>(10000, limit.rlim_cur - 500);
  auto before = open_files();
  {
    std::vector<raw_socket> idle;
    for (rlim_t i = 0; i < n; ++i)
      idle.emplace_back(service->port());
    EXPECT_EQ(others->failures_after(50), 0);
    EXPECT_EQ(get(links_path).status, 200);
  }
  // And they are given back.
  EXPECT_TRUE(eventually([&] { return open_files() < before + 50; }))
    << before << " open files before, now " << open_files();
}

TEST_F(hostile_test, bodies_of_20_mb) {
  std::string chunk(1 << 20, ' ');
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      raw_socket sock{service->port()};
      sock.send("POST " + links_path + " HTTP/1.1\r\nHost: x\r\nX-API-Key: "
                + secret_key + "\r\nContent-Length: 20971520\r\n\r\n");
      for (int mib = 0; mib < 20; ++mib)
        if (!sock.send(chunk))
          break;
      if (auto answer = sock.receive())
        wrong += answer->status != 413;
      else
        wrong += !sock.wait_for_close(std::chrono::seconds{1});
    });
  for (auto& x : threads)
    x.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(total_links(), 1);
}

TEST_F(hostile_test, a_hundred_thousand_brackets) {
  for (char bracket : {'[', '{'}) {
    for (int i = 0; i < 5; ++i) {
      auto answer = call("POST", links_path, {}, std::string(100000, bracket));
      EXPECT_EQ(answer.status, 422);
      EXPECT_EQ(answer.detail(), "Invalid JSON in request body");
    }
  }
  std::string objects;
  for (int i = 0; i < 100000; ++i)
    objects += "{\"a\":";
  EXPECT_EQ(call("POST", links_path, {}, objects).status, 422);
}

TEST_F(hostile_test, binary_garbage) {
  std::mt19937 random{1};
  for (int i = 0; i < 300; ++i) {
    std::string bytes(1 + random() % 4000, '\0');
    for (auto& c : bytes)
      c = static_cast<char>(random());
    raw_socket sock{service->port()};
    sock.send(i % 2 == 0 ? bytes : "GET /" + bytes + " HTTP/1.1\r\n\r\n");
    sock.finish_sending();
    std::optional<response> answer;
    EXPECT_NO_THROW(answer = sock.receive());
    if (answer) {
      EXPECT_GE(answer->status, 400);
      EXPECT_LT(answer->status, 500);
    }
    EXPECT_TRUE(sock.wait_for_close(std::chrono::seconds{30}));
  }
}

TEST_F(hostile_test, large_cookies_queries_and_headers) {
  make_single("large-1");
  auto request = [](const std::string& query, const std::string& headers) {
    return "GET /large-1" + query + " HTTP/1.1\r\nHost: x\r\n" + headers
           + "\r\n";
  };
  std::string kib(1024, 'c');
  auto repeat = [&](int n) {
    std::string result;
    for (int i = 0; i < n; ++i)
      result += kib;
    return result;
  };
  expect_refused(request("", "Cookie: a=" + repeat(64) + "\r\n"), {431});
  expect_refused(request("", "Cookie: a=" + repeat(2000) + "\r\n"), {431});
  expect_refused(request("", "Cookie: a=" + repeat(40) + "\r\n"), {302});
  expect_refused(request("?q=" + repeat(16), ""), {302});
  expect_refused(request("?q=" + repeat(2000), ""), {414, 431});
  expect_refused(
    request("", "Referer: https://r.example/" + repeat(10) + "\r\n"), {302});
  expect_refused(request("", "User-Agent: " + repeat(8) + "\r\n"), {302});
  expect_refused(request("", "Referer: https://r.example/\xFF\xFE\xC3\x28\r\n"),
                 {302});
  std::string many;
  for (int i = 0; i < 20000; ++i)
    many += "X-" + std::to_string(i) + ": y\r\n";
  expect_refused(request("", many), {431});
}

TEST_F(hostile_test, case_93_clients_that_leave_at_once) {
  make_single("abort-1");
  auto before = open_files();
  for (int i = 0; i < 2000; ++i) {
    raw_socket sock{service->port()};
    if (i % 4 != 0)
      sock.send("GET /abort-1 HTTP/1.1\r\nHost: x\r\n\r\n");
    if (i % 4 == 1)
      sock.send("GET " + links_path + " HTTP/1.1\r\nHost: x\r\nX-API-Key: "
                + secret_key + "\r\n\r\n");
  }
  EXPECT_TRUE(eventually([&] { return open_files() < before + 50; }))
    << before << " open files before, now " << open_files();
}

TEST_F(hostile_test, answers_that_nobody_reads) {
  make_single("deaf-1", "https://a.example/" + std::string(1900, 'x'));
  std::string bytes;
  for (int i = 0; i < 1000; ++i)
    bytes += "GET /deaf-1 HTTP/1.1\r\nHost: x\r\nUser-Agent: x\r\n\r\n";
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      raw_socket sock{service->port()};
      // Until the service takes no more, at most 40,000 requests.
      auto end = std::chrono::steady_clock::now() + std::chrono::seconds{5};
      for (int n = 0; n < 40 && std::chrono::steady_clock::now() < end; ++n)
        if (!sock.send(bytes))
          break;
    });
  EXPECT_EQ(others->failures_after(50), 0);
  for (auto& x : threads)
    x.join();
}
