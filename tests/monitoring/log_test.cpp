#include "monitoring/log.hpp"

#include "monitoring/json_text.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <thread>
#include <vector>

using namespace turnout;

namespace {

/// What is written to stderr while `f` runs, line by line.
template <class F>
std::vector<std::string> lines_of(F f) {
  testing::internal::CaptureStderr();
  f();
  std::istringstream in{testing::internal::GetCapturedStderr()};
  std::vector<std::string> result;
  for (std::string line; std::getline(in, line);)
    result.push_back(line);
  return result;
}

class log_test : public testing::Test {
protected:
  ~log_test() override {
    log::set_level(log::level::info);
  }
};

std::string json_of(std::string_view text) {
  std::string result;
  append_json_string(result, text);
  return result;
}

} // namespace

TEST_F(log_test, one_object_per_line) {
  auto lines = lines_of([] {
    log::info("listening", {{"address", "127.0.0.1:8080"}, {"workers", "2"}});
    log::error("plain");
  });
  ASSERT_EQ(lines.size(), 2u);
  std::regex expected{
    R"(\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"info",)"
    R"("message":"listening","address":"127.0.0.1:8080","workers":"2"\})"};
  EXPECT_TRUE(std::regex_match(lines[0], expected)) << lines[0];
  auto second = boost::json::parse(lines[1]).as_object();
  EXPECT_EQ(second.at("level").as_string(), "error");
  EXPECT_EQ(second.at("message").as_string(), "plain");
  EXPECT_EQ(second.size(), 3u);
}

TEST_F(log_test, level_filters) {
  auto all = [] {
    log::debug("a");
    log::info("b");
    log::warning("c");
    log::error("d");
  };
  EXPECT_EQ(lines_of(all).size(), 3u);
  log::set_level(log::level::debug);
  EXPECT_EQ(lines_of(all).size(), 4u);
  EXPECT_TRUE(log::set_level("error"));
  EXPECT_EQ(lines_of(all).size(), 1u);
  EXPECT_TRUE(log::set_level("warning"));
  EXPECT_EQ(lines_of(all).size(), 2u);
  EXPECT_FALSE(log::set_level("Warning"));
  EXPECT_FALSE(log::set_level(""));
  EXPECT_EQ(lines_of(all).size(), 2u);
}

TEST_F(log_test, nobody_can_forge_a_line) {
  std::string hostile = "x\"}\n{\"level\":\"error\",\"message\":\"forged\\";
  auto lines = lines_of([&] { log::info(hostile, {{"a\"b", hostile}}); });
  ASSERT_EQ(lines.size(), 1u);
  auto object = boost::json::parse(lines[0]).as_object();
  EXPECT_EQ(object.at("message").as_string(), hostile);
  EXPECT_EQ(object.at("a\"b").as_string(), hostile);
}

TEST_F(log_test, threads_do_not_mix_lines) {
  constexpr int threads = 4;
  constexpr int each = 50;
  // Larger than what a pipe takes at once.
  std::string text(8000, 'x');
  auto lines = lines_of([&] {
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i)
      running.emplace_back([&] {
        for (int j = 0; j < each; ++j)
          log::info(text);
      });
    for (auto& x : running)
      x.join();
  });
  ASSERT_EQ(lines.size(), size_t{threads * each});
  for (const auto& line : lines)
    EXPECT_EQ(boost::json::parse(line).at("message").as_string(), text);
}

TEST(json_text, escapes) {
  EXPECT_EQ(json_of(""), R"("")");
  EXPECT_EQ(json_of("a/b"), R"("a/b")");
  EXPECT_EQ(json_of("\"\\\n\r\t"), R"("\"\\\n\r\t")");
  EXPECT_EQ(json_of(std::string_view{"\0\x01\x1f\x7f", 4}),
            R"("\u0000\u0001\u001f\u007f")");
  EXPECT_EQ(json_of("gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80"),
            "\"gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80\"");
}

TEST(json_text, replaces_invalid_utf8) {
  const std::string bad = "\xEF\xBF\xBD";
  auto wrapped = [](const std::string& x) { return '"' + x + '"'; };
  EXPECT_EQ(json_of("a\xFFz"), wrapped("a" + bad + "z"));
  // Cut short, at the end and before another character.
  EXPECT_EQ(json_of("\xC3"), wrapped(bad));
  EXPECT_EQ(json_of("\xE2\x82z"), wrapped(bad + bad + "z"));
  // Overlong, surrogate, beyond U+10FFFF, lone continuation.
  EXPECT_EQ(json_of("\xC0\xAF"), wrapped(bad + bad));
  EXPECT_EQ(json_of("\xE0\x80\xAF"), wrapped(bad + bad + bad));
  EXPECT_EQ(json_of("\xED\xA0\x80"), wrapped(bad + bad + bad));
  EXPECT_EQ(json_of("\xF4\x90\x80\x80"), wrapped(bad + bad + bad + bad));
  EXPECT_EQ(json_of("\x80"), wrapped(bad));
  // The last of each range is fine.
  EXPECT_EQ(json_of("\xED\x9F\xBF\xF4\x8F\xBF\xBF"),
            wrapped("\xED\x9F\xBF\xF4\x8F\xBF\xBF"));
}

TEST(json_text, every_byte_pair_parses) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      std::string text{static_cast<char>(a), static_cast<char>(b)};
      boost::json::error_code err;
      auto value = boost::json::parse(json_of(text), err);
      ASSERT_FALSE(err) << a << ' ' << b;
      ASSERT_TRUE(value.is_string());
    }
  }
}
