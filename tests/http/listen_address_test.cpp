#include "http/listen_address.hpp"

#include <gtest/gtest.h>

#include <string>

using namespace turnout;

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
