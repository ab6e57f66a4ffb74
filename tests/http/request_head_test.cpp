#include "http/request_head.hpp"

#include "tests/http/reading.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace turnout;
using namespace turnout::test;
using namespace std::string_literals;

namespace {

constexpr char visit[]
  = "GET /promo-24?utm=a%20b&x#y HTTP/1.1\r\n"
    "Host: s.example\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Firefox/120.0\r\n"
    "accept: text/html,*/*;q=0.8\r\n"
    "Cookie:a=b\r\n"
    "X-Empty:\r\n"
    "X_Blank:   \r\n"
    "X-Trailing: x \r\n"
    "Connection: Keep-Alive\r\n"
    "\r\n";

} // namespace

TEST(request_head, is_read_as_the_parser_reads_it) {
  const auto found = scan(visit);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found, parse(visit));
  EXPECT_EQ(found->target, "/promo-24?utm=a%20b&x#y");
  ASSERT_EQ(found->headers.size(), 8u);
  EXPECT_EQ(found->headers[3], (fields::value_type{"Cookie", "a=b"}));
  EXPECT_EQ(found->headers[4].second, "");
}

TEST(request_head, ends_where_the_next_request_begins) {
  const std::string first{"HEAD / HTTP/1.1\r\n\r\n"};
  const auto found = scan(first + visit);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size, first.size());
  EXPECT_TRUE(found->is_head);
  EXPECT_EQ(found, parse(first + visit));
}

TEST(request_head, leaves_every_beginning_to_the_parser) {
  const std::string text{visit};
  for (size_t n = 0; n < text.size(); ++n)
    EXPECT_FALSE(scan(text.substr(0, n)).has_value()) << n;
}

TEST(request_head, leaves_the_unusual_to_the_parser) {
  const std::string start{"GET /promo HTTP/1.1\r\n"};
  for (const std::string lines : {"Content-Length: 1\r\n",
                                  "content-length:0\r\n",
                                  "Transfer-Encoding: chunked\r\n",
                                  "transfer-EncodingX: a\r\n",
                                  "Upgrade: websocket\r\n",
                                  "Proxy-Connection: close\r\n",
                                  "Connection: close\r\n",
                                  "Connection: keep-alive, Upgrade\r\n",
                                  "Connection:\r\n",
                                  "X: a\r\n folded\r\n",
                                  "X : a\r\n",
                                  ": a\r\n",
                                  "X\r\n",
                                  "X: a\n",
                                  "X: a\rb\r\n",
                                  "X: \x01\r\n",
                                  "X: \x7f\r\n",
                                  "X: \xc3\xa9\r\n",
                                  "X: a\tb\r\n",
                                  " X: a\r\n",
                                  "X\xc3: a\r\n"})
    EXPECT_FALSE(scan(start + lines + "\r\n").has_value()) << lines;
  for (const std::string first :
       {"POST / HTTP/1.1", "OPTIONS * HTTP/1.1", "GET / HTTP/1.0", "GET /",
        "GET http://s.example/ HTTP/1.1", "GET  / HTTP/1.1", "get / HTTP/1.1",
        "GET / HTTP/1.1 ", "GET /a b HTTP/1.1", "GET /\xc3\xa9 HTTP/1.1",
        "GET /\x01 HTTP/1.1", "\r\nGET / HTTP/1.1"})
    EXPECT_FALSE(scan(first + "\r\nHost: x\r\n\r\n").has_value()) << first;
  // The parser has limits of its own for these.
  EXPECT_FALSE(scan(start + "X: " + std::string(20'000, 'x') + "\r\n\r\n"));
}

TEST(request_head, takes_nothing_that_the_parser_reads_otherwise) {
  std::minstd_rand draw{1};
  const auto alphabet = "\r\n\t :/?#%-_aZ09\0\x7f\x80\xff,;"s;
  const std::vector<std::string> pieces{"\r\n",
                                        "\r\n\r\n",
                                        "Connection: ",
                                        "close",
                                        "Content-Length: 3\r\n",
                                        "Transfer-Encoding: chunked\r\n",
                                        "Upgrade: h2c\r\n",
                                        "GET / HTTP/1.1\r\n",
                                        " HTTP/1.1",
                                        "X-A:"};
  auto taken = 0;
  for (auto i = 0; i < 20'000; ++i) {
    std::string text{visit};
    for (auto n = draw() % 3; n > 0; --n) {
      const auto at = draw() % text.size();
      switch (draw() % 4) {
        case 0:
          text[at] = alphabet[draw() % alphabet.size()];
          break;
        case 1:
          text.insert(at, 1, alphabet[draw() % alphabet.size()]);
          break;
        case 2:
          text.erase(at, 1 + draw() % 4);
          break;
        default:
          text.insert(at, pieces[draw() % pieces.size()]);
      }
    }
    const auto found = scan(text);
    if (!found)
      continue;
    ++taken;
    ASSERT_EQ(found, parse(text)) << text;
  }
  EXPECT_GT(taken, 5000);
}

TEST(request_head, fields_are_split_at_either_kind_of_line_end) {
  fields found;
  for_each_field("A: 1\r\nB:\t2:3\nno colon\nC:",
                 [&](auto x, auto y) { found.emplace_back(x, y); });
  EXPECT_EQ(found, (fields{{"A", "1"}, {"B", "2:3"}, {"C", ""}}));
}

TEST(request_head, fields_are_the_same_with_and_without_their_sizes) {
  const auto head = scan_request_head(visit);
  ASSERT_TRUE(head.has_value());
  fields found;
  for_each_field(head->fields,
                 [&](auto x, auto y) { found.emplace_back(x, y); });
  EXPECT_EQ(found, scan(visit)->headers);
}

TEST(request_head, with_very_many_headers_is_left_to_the_parser) {
  std::string text{"GET / HTTP/1.1\r\n"};
  for (size_t i = 0; i < request_head::max_fields; ++i)
    text += "X-" + std::to_string(i) + ": " + std::to_string(i) + "\r\n";
  const auto found = scan(text + "\r\n");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->headers.size(), request_head::max_fields);
  EXPECT_EQ(found, parse(text + "\r\n"));
  EXPECT_FALSE(scan(text + "X: 1\r\n\r\n").has_value());
}

TEST(request_head, has_every_byte_of_a_header_looked_at) {
  const std::string line = std::string(40, 'N') + ": " + std::string(40, 'v');
  auto taken = 0;
  for (size_t pos = 0; pos < line.size(); ++pos)
    for (auto byte = 0; byte < 256; ++byte) {
      auto other = line;
      other[pos] = static_cast<char>(byte);
      const auto text
        = "GET / HTTP/1.1\r\nHost: a\r\n" + other + "\r\nZ: z\r\n\r\n";
      const auto found = scan(text);
      if (!found)
        continue;
      ++taken;
      ASSERT_EQ(found, parse(text)) << byte << " at " << pos;
    }
  // Letters, digits and two signs in the name, printable ones in the value.
  EXPECT_GE(taken, 39 * 64 + 40 * 95);
}
