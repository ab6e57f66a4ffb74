#include "config/syntax.hpp"

#include <gtest/gtest.h>

using namespace turnout::config;

TEST(endpoint, parses_addresses_with_ports) {
  EXPECT_EQ(parse_endpoint("127.0.0.1:8080"), (endpoint{"127.0.0.1", 8080}));
  EXPECT_EQ(parse_endpoint("0.0.0.0:0"), (endpoint{"0.0.0.0", 0}));
  EXPECT_EQ(parse_endpoint("[::1]:65535"), (endpoint{"::1", 65535}));
  EXPECT_EQ(parse_endpoint("[::]:80"), (endpoint{"::", 80}));
  EXPECT_EQ(parse_endpoint("localhost:80"), (endpoint{"127.0.0.1", 80}));
}

TEST(endpoint, refuses_everything_else) {
  for (auto bad : {"",
                   ":",
                   "8080",
                   ":8080",
                   "127.0.0.1",
                   "127.0.0.1:",
                   "127.0.0.1:65536",
                   "127.0.0.1:-1",
                   "127.0.0.1:8080x",
                   "127.0.0.1: 80",
                   "256.0.0.1:80",
                   "127.1:80",
                   "::1:80",
                   "::1",
                   "[::1]",
                   "[::1]80",
                   "[]:80",
                   "[1.2.3.4]:1",
                   "[::1:80",
                   "a.example:80",
                   " 127.0.0.1:80"})
    EXPECT_FALSE(parse_endpoint(bad)) << bad;
  EXPECT_FALSE(parse_endpoint(std::string_view{"127.0.0.1\0:80", 13}));
}
