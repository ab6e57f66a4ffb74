#include "monitoring/metrics.hpp"

#include "core/time.hpp"
#include "monitoring/buckets.hpp"
#include "monitoring/local_histogram.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

using namespace turnout;
using testing::HasSubstr;
using testing::Not;

namespace {

size_t count_of(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (auto i = text.find(part); i != std::string::npos;
       i = text.find(part, i + 1))
    ++n;
  return n;
}

/// "name type" of every family of an exposition.
std::set<std::string> names_of(const std::string& text) {
  std::set<std::string> result;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    if (line.rfind("# TYPE ", 0) == 0)
      result.insert(line.substr(7));
  return result;
}

std::set<std::string> golden() {
  std::ifstream in{
    std::string{__FILE__}.substr(0, std::string_view{__FILE__}.rfind('/'))
    + "/metric_names.txt"};
  std::set<std::string> result;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.front() != '#')
      result.insert(line);
  return result;
}

} // namespace

TEST(metrics, names_are_those_of_the_golden_list) {
  metrics m;
  m.api_request("/public/links", "GET", 200, 0.01);
  m.store_operation("load_link", true, 0.001);
  EXPECT_EQ(names_of(m.expose()), golden());
}

TEST(metrics, counts_arrive_under_their_names) {
  metrics m;
  m.redirects_found->Increment(3);
  m.redirects_not_found->Increment();
  m.excluded[0]->Increment(5);
  m.excluded[3]->Increment(7);
  m.journal_depth->Set(42);
  m.in_flight->Increment();
  m.in_flight->Decrement();
  auto text = m.expose();
  EXPECT_THAT(text, HasSubstr("turnout_redirects_total{outcome=\"found\"} 3"));
  EXPECT_THAT(text,
              HasSubstr("turnout_redirects_total{outcome=\"not_found\"} 1"));
  EXPECT_THAT(text,
              HasSubstr("turnout_redirects_total{outcome=\"unavailable\"} 0"));
  EXPECT_THAT(text,
              HasSubstr("turnout_visits_excluded_total{reason=\"head\"} 5"));
  EXPECT_THAT(text,
              HasSubstr("turnout_visits_excluded_total{reason=\"crawler\"} 7"));
  EXPECT_THAT(text, HasSubstr("turnout_journal_depth_events 42"));
  EXPECT_THAT(text, HasSubstr("turnout_http_requests_in_flight 0"));
  EXPECT_THAT(text, HasSubstr("turnout_build_info{version=\""));
}

TEST(metrics, the_age_of_the_oldest_event_is_that_of_the_moment) {
  metrics m;
  EXPECT_THAT(m.expose(),
              HasSubstr("\nturnout_journal_oldest_event_age_seconds 0\n"));
  m.journal_oldest = (now() - std::chrono::hours{2}).time_since_epoch().count();
  auto text = m.expose();
  auto pos = text.find("\nturnout_journal_oldest_event_age_seconds ");
  ASSERT_NE(pos, std::string::npos);
  auto age = std::strtod(text.c_str() + text.find(' ', pos), nullptr);
  EXPECT_GE(age, 7200);
  EXPECT_LT(age, 7300);
  // A clock that was set back makes nothing younger than new.
  m.journal_oldest = (now() + std::chrono::hours{2}).time_since_epoch().count();
  EXPECT_THAT(m.expose(),
              HasSubstr("\nturnout_journal_oldest_event_age_seconds 0\n"));
}

TEST(metrics, what_is_counted_by_threads_is_shown_once) {
  metrics m;
  const std::string line
    = "turnout_directory_lookups_total{result=\"unknown\"} ";
  EXPECT_THAT(m.expose(), HasSubstr(line + "0\n"));
  std::vector<std::thread> running;
  for (int i = 0; i < 4; ++i)
    running.emplace_back([&] {
      for (int j = 0; j < 5000; ++j) {
        m.directory_unknown.increment();
        if (j % 1000 == 0)
          m.expose();
      }
    });
  for (auto& x : running)
    x.join();
  EXPECT_THAT(m.expose(), HasSubstr(line + "20000\n"));
  EXPECT_THAT(m.expose(), HasSubstr(line + "20000\n"));
}

TEST(metrics, api_requests_by_route_method_status) {
  metrics m;
  m.api_request("/public/links/{id}", "GET", 200, 0.002);
  m.api_request("/public/links/{id}", "GET", 200, 0.003);
  m.api_request("/public/links/{id}", "GET", 404, 0.001);
  auto text = m.expose();
  EXPECT_THAT(text, HasSubstr("turnout_api_requests_total{method=\"GET\","
                              "route=\"/public/links/{id}\",status=\"200\"} "
                              "2"));
  EXPECT_THAT(text, HasSubstr("turnout_api_requests_total{method=\"GET\","
                              "route=\"/public/links/{id}\",status=\"404\"} "
                              "1"));
  EXPECT_THAT(text, HasSubstr("turnout_api_request_duration_seconds_count{"
                              "method=\"GET\",route=\"/public/links/{id}\"} "
                              "3"));
}

TEST(metrics, hostile_labels_stay_few) {
  metrics m;
  for (int i = 0; i < 1000; ++i) {
    auto text = std::to_string(i);
    m.api_request("/public/links", "X" + text, 405, 0.001);
    m.api_request("/public/links", "GET", 1000 + i, 0.001);
    m.api_request("/raw/" + text, "GET", 200, 0.001);
  }
  m.api_request("/public/links", "GET\"} 1\nforged 1", 405, 0.001);
  auto text = m.expose();
  EXPECT_THAT(text, HasSubstr("turnout_api_requests_total{method=\"other\","
                              "route=\"/public/links\",status=\"405\"} 1001"));
  EXPECT_THAT(text, HasSubstr("turnout_api_requests_total{method=\"GET\","
                              "route=\"/public/links\",status=\"other\"} "
                              "1000"));
  EXPECT_THAT(text, HasSubstr("route=\"other\",status=\"200\"} 937"));
  EXPECT_THAT(text, Not(HasSubstr("forged")));
  EXPECT_LE(count_of(text, "\nturnout_api_requests_total{"), 70u);
}

TEST(metrics, a_route_met_early_keeps_its_label) {
  metrics m;
  m.api_request("/public/keys", "GET", 200, 0.001);
  for (int i = 0; i < 200; ++i)
    m.api_request("/raw/" + std::to_string(i), "GET", 200, 0.001);
  m.api_request("/public/keys", "GET", 200, 0.001);
  m.api_request("/public/keys", "POST", 201, 0.001);
  auto text = m.expose();
  EXPECT_THAT(text, HasSubstr("route=\"/public/keys\",status=\"200\"} 2"));
  EXPECT_THAT(text, HasSubstr("route=\"/public/keys\",status=\"201\"} 1"));
}

TEST(metrics, store_operations_by_result) {
  metrics m;
  m.store_operation("store_events", true, 0.02);
  m.store_operation("store_events", false, 0.02);
  m.store_operation("store_events", false, 0.02);
  auto text = m.expose();
  EXPECT_THAT(text, HasSubstr("turnout_store_operations_total{operation="
                              "\"store_events\",result=\"ok\"} 1"));
  EXPECT_THAT(text, HasSubstr("turnout_store_operations_total{operation="
                              "\"store_events\",result=\"error\"} 2"));
  EXPECT_THAT(text, HasSubstr("turnout_store_operation_duration_seconds_count"
                              "{operation=\"store_events\"} 3"));
}

TEST(metrics, threads_lose_no_count) {
  metrics m;
  constexpr int each = 2000;
  std::vector<std::thread> running;
  for (int i = 0; i < 4; ++i)
    running.emplace_back([&] {
      for (int j = 0; j < each; ++j) {
        m.api_request("/r" + std::to_string(j % 20), "GET", 200, 0.001);
        m.store_operation(j % 2 == 0 ? "a" : "b", true, 0.001);
        if (j % 500 == 0)
          m.expose();
      }
    });
  for (auto& x : running)
    x.join();
  auto text = m.expose();
  for (int i = 0; i < 20; ++i)
    EXPECT_THAT(text, HasSubstr("route=\"/r" + std::to_string(i)
                                + "\",status=\"200\"} 400"));
  EXPECT_THAT(text, HasSubstr("{operation=\"a\",result=\"ok\"} 4000"));
  EXPECT_THAT(text, HasSubstr("{operation=\"b\",result=\"ok\"} 4000"));
}

TEST(metrics, process_values_are_plausible) {
  metrics m;
  auto text = m.expose();
  auto value = [&](const std::string& name) {
    auto i = text.find('\n' + name + ' ');
    return i == std::string::npos
             ? -1.0
             : std::strtod(text.c_str() + i + name.size() + 2, nullptr);
  };
  EXPECT_GT(value("process_resident_memory_bytes"), 1e6);
  EXPECT_GE(value("process_open_fds"), 3);
  EXPECT_GE(value("process_threads"), 1);
  auto now = static_cast<double>(time(nullptr));
  EXPECT_LE(value("process_start_time_seconds"), now + 2);
  EXPECT_GT(value("process_start_time_seconds"), now - 3600);
}

TEST(local_histogram, agrees_with_direct_observations) {
  const auto& bounds = buckets::redirect_seconds;
  prometheus::Histogram direct{bounds};
  prometheus::Histogram indirect{bounds};
  std::vector<double> values{0, 0.0001, 0.00011, 0.004, 2.5, 99};
  values.insert(values.end(), bounds.begin(), bounds.end());
  {
    local_histogram local{&indirect, bounds};
    for (auto x : values) {
      direct.Observe(x);
      local.observe(x);
    }
    EXPECT_EQ(indirect.Collect().histogram.sample_count, 0u);
    local.flush();
    EXPECT_EQ(indirect.Collect().histogram.sample_count, values.size());
    local.flush();
    local.observe(1);
  }
  direct.Observe(1);
  auto a = direct.Collect().histogram;
  auto b = indirect.Collect().histogram;
  EXPECT_EQ(a.sample_count, b.sample_count);
  EXPECT_DOUBLE_EQ(a.sample_sum, b.sample_sum);
  ASSERT_EQ(a.bucket.size(), b.bucket.size());
  for (size_t i = 0; i < a.bucket.size(); ++i)
    EXPECT_EQ(a.bucket[i].cumulative_count, b.bucket[i].cumulative_count) << i;
}
