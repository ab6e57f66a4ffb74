#include "core/privacy.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace turnout {
namespace {

std::string parsed(std::string_view text) {
  auto x = ip_address::parse(text);
  return x ? x->str() : "nothing";
}

std::string cut(std::string_view text) {
  return ip_address::parse(text)->anonymised().str();
}

bool is_public(std::string_view text) {
  return ip_address::parse(text)->is_public();
}

bool is_within(std::string_view address, std::string_view block) {
  return ip_block::parse(block)->contains(*ip_address::parse(address));
}

TEST(ip_address, parses_v4) {
  EXPECT_EQ(parsed("8.8.8.8"), "8.8.8.8");
  EXPECT_EQ(parsed(" 203.0.113.7\t"), "203.0.113.7");
  EXPECT_EQ(parsed("1.2.3.4:80"), "1.2.3.4");
  EXPECT_EQ(parsed("255.255.255.255:65535"), "255.255.255.255");
  EXPECT_TRUE(ip_address::parse("8.8.8.8")->is_v4);
}

TEST(ip_address, takes_the_v4_texts_that_the_system_takes) {
  constexpr std::string_view alphabet = "0123456789012.2551.x- ";
  std::mt19937 random{1};
  auto taken = 0;
  for (auto i = 0; i < 200'000; ++i) {
    std::string text = "192.168.0.255";
    for (auto changes = random() % 4; changes > 0; --changes) {
      const auto pos = random() % text.size();
      const auto c = alphabet[random() % alphabet.size()];
      if (random() % 2 == 0)
        text[pos] = c;
      else
        text.insert(pos, 1, c);
    }
    if (text.front() == ' ' || text.back() == ' ')
      continue;
    ip_address theirs;
    const auto is_one = inet_pton(AF_INET, text.c_str(), theirs.bytes.data());
    const auto ours = ip_address::parse(text);
    EXPECT_EQ(ours.has_value(), is_one == 1) << text;
    if (!ours || is_one != 1)
      continue;
    ++taken;
    EXPECT_EQ(*ours, theirs) << text;
    char back[INET_ADDRSTRLEN];
    EXPECT_EQ(ours->str(),
              inet_ntop(AF_INET, theirs.bytes.data(), back, sizeof(back)));
  }
  EXPECT_GT(taken, 50'000);
}

TEST(ip_address, parses_v6) {
  EXPECT_EQ(parsed("2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
  EXPECT_EQ(parsed("::1"), "::1");
  EXPECT_EQ(parsed("::"), "::");
  EXPECT_EQ(parsed("[::1]"), "::1");
  EXPECT_EQ(parsed("[2001:db8::1]:443"), "2001:db8::1");
  EXPECT_EQ(parsed("fe80::1%eth0"), "fe80::1");
  EXPECT_EQ(parsed("[fe80::1%25eth0]:80"), "fe80::1");
  EXPECT_FALSE(ip_address::parse("::1")->is_v4);
}

TEST(ip_address, unwraps_mapped_v4) {
  EXPECT_EQ(parsed("::ffff:8.8.8.8"), "8.8.8.8");
  EXPECT_EQ(parsed("[::FFFF:0808:0808]:80"), "8.8.8.8");
  EXPECT_EQ(ip_address::parse("::ffff:8.8.8.8"), ip_address::parse("8.8.8.8"));
}

TEST(ip_address, refuses_junk) {
  for (auto bad : {"",
                   " ",
                   "unknown",
                   "localhost",
                   "1.2.3",
                   "1.2.3.4.5",
                   "256.1.1.1",
                   "01.2.3.4",
                   "1.2.3.4:",
                   "1.2.3.4:x",
                   "1.2.3.4:65536",
                   "1.2.3.4:-1",
                   "1.2.3.4%eth0",
                   "[1.2.3.4]",
                   "[::1",
                   "::1]",
                   "[::1]x",
                   "[::1]:",
                   "[::1]:99999",
                   "[]",
                   "[",
                   ":::",
                   "1:2:3:4:5:6:7",
                   "g::1",
                   "::1::",
                   "1.2.3.4, 5.6.7.8",
                   "_hidden",
                   "\"1.2.3.4\"",
                   "-",
                   "::1 x"})
    EXPECT_EQ(parsed(bad), "nothing") << bad;
  EXPECT_EQ(parsed({"1.2.3.4\0", 8}), "nothing");
  EXPECT_EQ(parsed(std::string(1000, '1')), "nothing");
}

TEST(ip_address, is_cut_to_its_network) {
  EXPECT_EQ(cut("8.8.8.8"), "8.8.8.0");
  EXPECT_EQ(cut("203.0.113.255"), "203.0.113.0");
  EXPECT_EQ(cut("2001:db8:1:2:3:4:5:6"), "2001:db8:1::");
  EXPECT_EQ(cut("2001:db8:ffff:ffff::1"), "2001:db8:ffff::");
  EXPECT_EQ(cut("::ffff:8.8.8.8"), "8.8.8.0");
}

TEST(ip_address, knows_what_is_reachable) {
  for (auto x : {"8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0",
                 "172.15.255.255", "172.32.0.0", "192.0.1.1", "198.17.0.1",
                 "198.20.0.1", "223.255.255.255", "11.0.0.0", "126.0.0.1",
                 "192.167.0.1", "169.253.0.1", "2606:4700::1", "2a00:1450::1",
                 "2001:4860:4860::8888", "2001:200::1"})
    EXPECT_TRUE(is_public(x)) << x;
  for (auto x : {"0.0.0.0",
                 "10.0.0.5",
                 "100.64.0.1",
                 "100.127.255.255",
                 "127.0.0.1",
                 "169.254.169.254",
                 "172.16.0.1",
                 "172.31.255.255",
                 "192.0.0.1",
                 "192.0.2.1",
                 "192.168.1.1",
                 "198.18.0.1",
                 "198.19.255.255",
                 "198.51.100.1",
                 "203.0.113.7",
                 "224.0.0.1",
                 "240.0.0.1",
                 "255.255.255.255",
                 "192.88.99.1",
                 "::",
                 "::1",
                 "fd00::1",
                 "fe80::1",
                 "ff02::1",
                 "2001:db8::1",
                 "2001::1",
                 "2002:808:808::1",
                 "3fff::1",
                 "64:ff9b::808:808",
                 "::ffff:10.0.0.1"})
    EXPECT_FALSE(is_public(x)) << x;
}

TEST(ip_block, contains_its_addresses) {
  EXPECT_TRUE(is_within("10.1.2.3", "10.0.0.0/8"));
  EXPECT_FALSE(is_within("11.0.0.0", "10.0.0.0/8"));
  EXPECT_TRUE(is_within("172.31.0.1", "172.16.0.0/12"));
  EXPECT_FALSE(is_within("172.32.0.1", "172.16.0.0/12"));
  EXPECT_TRUE(is_within("1.2.3.4", "0.0.0.0/0"));
  EXPECT_TRUE(is_within("127.0.0.1", "127.0.0.1"));
  EXPECT_FALSE(is_within("127.0.0.2", "127.0.0.1"));
  EXPECT_TRUE(is_within("127.0.0.2", "127.0.0.1/8"));
  EXPECT_TRUE(is_within("2001:db8:ffff::1", "2001:db8::/32"));
  EXPECT_FALSE(is_within("2001:db9::1", "2001:db8::/32"));
  EXPECT_TRUE(is_within("::1", "::1/128"));
  EXPECT_TRUE(is_within("fdff::1", "fc00::/7"));
}

TEST(ip_block, ends_at_each_of_its_bits) {
  for (const std::string base :
       {"85.170.51.204", "5a5a:a5a5:3333:cccc:1234:5678:9abc:def0"}) {
    const auto address = *ip_address::parse(base);
    const auto bits = address.is_v4 ? 32 : 128;
    for (auto prefix = 0; prefix <= bits; ++prefix) {
      const auto block = *ip_block::parse(base + "/" + std::to_string(prefix));
      EXPECT_TRUE(block.contains(address)) << prefix;
      for (auto bit = 0; bit < bits; ++bit) {
        auto other = address;
        other.bytes[static_cast<size_t>(bit / 8)]
          ^= static_cast<uint8_t>(0x80 >> (bit % 8));
        EXPECT_EQ(block.contains(other), bit >= prefix)
          << bit << " of " << base << "/" << prefix;
      }
    }
  }
}

TEST(ip_block, keeps_the_families_apart) {
  EXPECT_FALSE(is_within("::1", "0.0.0.0/0"));
  EXPECT_FALSE(is_within("127.0.0.1", "::/0"));
  EXPECT_TRUE(is_within("10.1.2.3", "::ffff:10.0.0.0/104"));
  EXPECT_TRUE(is_within("::ffff:10.1.2.3", "10.0.0.0/8"));
}

TEST(ip_block, refuses_junk) {
  for (auto bad :
       {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8",
        "10.0.0.0/8x", "10.0.0.0/8/8", "::/129", "10.0.0/8", "localhost",
        "10.0.0.0:80/8", "[::1]/128", "::ffff:10.0.0.0/95"})
    EXPECT_FALSE(ip_block::parse(bad)) << bad;
}

class visitor_keys : public testing::Test {
protected:
  visitor_keys() {
    std::iota(secret.begin(), secret.end(), uint8_t{0});
  }

  int64_t key(std::string_view address, std::string_view agent) const {
    return visitor_key(secret, *ip_address::parse(address), agent);
  }

  std::array<uint8_t, 32> secret;
};

// Computed with another implementation, which gives the values of the paper.
TEST_F(visitor_keys, are_siphash_2_4) {
  EXPECT_EQ(key("8.8.8.8", "Mozilla/5.0"), 6122971621239390326);
  EXPECT_EQ(key("2001:4860:4860::8888", ""), 428656187751593164);
}

TEST_F(visitor_keys, are_of_512_bytes_of_the_agent) {
  const std::string agent(511, 'a');
  EXPECT_NE(key("8.8.8.8", agent), key("8.8.8.8", agent + 'a'));
  EXPECT_EQ(key("8.8.8.8", agent + 'a'), key("8.8.8.8", agent + "aa"));
}

TEST_F(visitor_keys, differ_by_address_agent_and_secret) {
  auto first = key("8.8.8.8", "Mozilla/5.0");
  EXPECT_EQ(first, key("::ffff:8.8.8.8", "Mozilla/5.0"));
  EXPECT_NE(first, key("8.8.8.9", "Mozilla/5.0"));
  EXPECT_NE(first, key("8.8.8.8", "Mozilla/5.1"));
  secret[0] = 1;
  EXPECT_NE(first, key("8.8.8.8", "Mozilla/5.0"));
}

} // namespace
} // namespace turnout
