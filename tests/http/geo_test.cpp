#include "http/geo.hpp"

#include "tests/http/mmdb.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

using namespace turnout;
using namespace turnout::test;

namespace fs = std::filesystem;

namespace {

class geo : public ::testing::Test {
public:
  geo() {
    static auto n = 0;
    dir = fs::temp_directory_path()
          / ("turnout-geo-" + std::to_string(::getpid()) + "-"
             + std::to_string(++n));
    fs::create_directories(dir);
    file = dir / "x.mmdb";
  }

  ~geo() override {
    fs::remove_all(dir);
  }

  void write(const std::string& content) {
    std::ofstream{file, std::ios::binary} << content;
    // Two writes may fall into one tick of the file system's clock.
    fs::last_write_time(file, fs::last_write_time(file)
                                + std::chrono::seconds{++writes});
  }

  static std::string database(const std::string& country, bool nested = true) {
    mmdb_file x;
    x.add(8, country);
    x.add(10, country);
    x.add(77, "ZZ");
    return x.render(nested);
  }

  static std::string country(const geo_lookup& x, const std::string& address) {
    return x.country(*ip_address::parse(address));
  }

  fs::path dir;
  fs::path file;
  int writes = 0;
};

} // namespace

TEST_F(geo, both_layouts_are_understood) {
  for (auto nested : {true, false}) {
    write(database("US", nested));
    geo_lookup x{file};
    EXPECT_EQ(country(x, "8.8.8.8"), "US");
    EXPECT_EQ(country(x, "9.9.9.9"), "");
    EXPECT_EQ(country(x, "77.1.1.1"), "") << "no ISO code";
    EXPECT_EQ(country(x, "2606:4700::1"), "") << "not in an IPv4 file";
  }
}

TEST_F(geo, private_addresses_have_no_country) {
  write(database("US"));
  geo_lookup x{file};
  for (auto address : {"10.0.0.5", "127.0.0.1", "100.64.0.1", "fd00::1", "::1"})
    EXPECT_EQ(country(x, address), "") << address;
}

TEST_F(geo, a_missing_file_is_no_country_until_it_comes) {
  geo_lookup x{file};
  EXPECT_EQ(country(x, "8.8.8.8"), "");
  x.refresh();
  write(database("US"));
  x.refresh();
  EXPECT_EQ(country(x, "8.8.8.8"), "US");
}

TEST_F(geo, a_changed_file_is_picked_up) {
  write(database("US"));
  geo_lookup x{file};
  write(database("DE"));
  EXPECT_EQ(country(x, "8.8.8.8"), "US");
  x.refresh();
  EXPECT_EQ(country(x, "8.8.8.8"), "DE");
  auto seen = std::string{};
  std::thread{[&] { seen = country(x, "8.8.8.8"); }}.join();
  EXPECT_EQ(seen, "DE");
}

TEST_F(geo, a_broken_file_leaves_the_old_one_in_use) {
  write(database("US"));
  geo_lookup x{file};
  write(database("DE").substr(0, 900));
  x.refresh();
  EXPECT_EQ(country(x, "8.8.8.8"), "US");
  write("");
  x.refresh();
  EXPECT_EQ(country(x, "8.8.8.8"), "US");
  fs::remove(file);
  x.refresh();
  EXPECT_EQ(country(x, "8.8.8.8"), "US");
  write(database("FR"));
  x.refresh();
  EXPECT_EQ(country(x, "8.8.8.8"), "FR");
}

TEST_F(geo, another_file_is_used_if_it_can_be_read) {
  write(database("US"));
  geo_lookup x{file};
  EXPECT_TRUE(x.use(dir / "missing.mmdb"));
  const auto broken = dir / "broken.mmdb";
  std::ofstream{broken} << "no database";
  EXPECT_TRUE(x.use(broken));
  EXPECT_EQ(country(x, "8.8.8.8"), "US");
  // Nor does it look at the broken one from now on.
  write(database("DE"));
  x.refresh();
  EXPECT_EQ(country(x, "8.8.8.8"), "DE");
  const auto other = dir / "other.mmdb";
  std::ofstream{other, std::ios::binary} << database("FR");
  EXPECT_FALSE(x.use(other));
  EXPECT_EQ(country(x, "8.8.8.8"), "FR");
  write(database("US"));
  x.refresh();
  EXPECT_EQ(country(x, "8.8.8.8"), "FR");
  EXPECT_FALSE(x.use({}));
  EXPECT_EQ(country(x, "8.8.8.8"), "");
}

TEST_F(geo, a_file_cut_short_in_place_does_no_harm) {
  write(database("US"));
  geo_lookup x{file};
  fs::resize_file(file, 10);
  EXPECT_EQ(country(x, "8.8.8.8"), "US");
}

TEST_F(geo, a_truncated_or_damaged_file_is_no_country) {
  const auto good = database("US");
  for (size_t size :
       {size_t{0}, size_t{1}, size_t{100}, good.size() / 2, good.size() - 1}) {
    write(good.substr(0, size));
    geo_lookup x{file};
    EXPECT_EQ(country(x, "8.8.8.8"), "") << size;
  }
}

TEST_F(geo, says_when_the_database_in_use_was_built) {
  EXPECT_FALSE(geo_lookup{""}.built());
  geo_lookup x{file};
  EXPECT_FALSE(x.built());
  write(database("US"));
  x.refresh();
  EXPECT_EQ(x.built(), mmdb_file::build_epoch);
  // What is in use counts, not what lies there.
  write("");
  x.refresh();
  EXPECT_EQ(x.built(), mmdb_file::build_epoch);
}

TEST_F(geo, files_of_two_objects_are_not_mixed_up) {
  write(database("US"));
  auto first = std::make_unique<geo_lookup>(file);
  EXPECT_EQ(country(*first, "8.8.8.8"), "US");
  first.reset();
  write(database("DE"));
  geo_lookup second{file};
  EXPECT_EQ(country(second, "8.8.8.8"), "DE");
  geo_lookup none{""};
  EXPECT_EQ(country(none, "8.8.8.8"), "");
}
