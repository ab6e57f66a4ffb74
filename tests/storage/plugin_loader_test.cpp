#include "storage/plugin_loader.hpp"

#include "storage/plugin.hpp"
#include "tests/storage/temporary_directory.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

using namespace turnout;
using namespace turnout::storage;
using testing::HasSubstr;

namespace {

caf::error error_of(const std::string& name,
                    const std::vector<std::filesystem::path>& directories) {
  auto result = load_plugin(name, directories, {});
  return result ? caf::error{} : result.error();
}

} // namespace

TEST(plugin_loader, says_where_it_looked_for_a_missing_plugin) {
  auto err = error_of("nowhere", {"/no/such/place", TEST_BAD_PLUGIN_DIR});
  EXPECT_EQ(code_of(err), ec::plugin);
  EXPECT_THAT(detail(err), HasSubstr("libturnout_storage_nowhere.so"));
  EXPECT_THAT(detail(err), HasSubstr("/no/such/place"));
  EXPECT_THAT(detail(err), HasSubstr(TEST_BAD_PLUGIN_DIR));
}

TEST(plugin_loader, refuses_names_that_lead_elsewhere) {
  for (auto name : {"", "../sqlite", "a/b", "SQLite", "x.so"})
    EXPECT_EQ(code_of(error_of(name, {TEST_PLUGIN_DIR})), ec::plugin) << name;
}

TEST(plugin_loader, tells_both_versions_of_another_interface) {
  auto err = error_of("other_abi", {TEST_BAD_PLUGIN_DIR});
  EXPECT_EQ(code_of(err), ec::plugin);
  EXPECT_THAT(detail(err),
              HasSubstr("interface " + std::to_string(plugin_abi_version + 1)));
  EXPECT_THAT(
    detail(err),
    HasSubstr("interface " + std::to_string(plugin_abi_version) + "."));
}

TEST(plugin_loader, refuses_a_library_without_the_entry_point) {
  auto err = error_of("no_symbol", {TEST_BAD_PLUGIN_DIR});
  EXPECT_EQ(code_of(err), ec::plugin);
  EXPECT_THAT(detail(err), HasSubstr("turnout_storage_plugin"));
}

TEST(plugin_loader, refuses_a_file_that_is_no_library) {
  test::temporary_directory dir;
  std::ofstream{dir.path() / "libturnout_storage_text.so"} << "hello\n";
  auto err = error_of("text", {dir.path()});
  EXPECT_EQ(code_of(err), ec::plugin);
  EXPECT_THAT(detail(err), HasSubstr("libturnout_storage_text.so"));
}

TEST(plugin_loader, refuses_a_plugin_under_another_name) {
  test::temporary_directory dir;
  std::filesystem::copy_file(std::filesystem::path{TEST_PLUGIN_DIR}
                               / "libturnout_storage_sqlite.so",
                             dir.path() / "libturnout_storage_other.so");
  auto err = error_of("other", {dir.path()});
  EXPECT_EQ(code_of(err), ec::plugin);
  EXPECT_THAT(detail(err), HasSubstr("\"sqlite\""));
}

TEST(plugin_loader, takes_the_first_directory_that_has_the_plugin) {
  test::temporary_directory broken;
  std::ofstream{broken.path() / "libturnout_storage_sqlite.so"} << "x";
  EXPECT_TRUE(load_plugin(
    "sqlite", {"/no/such/place", TEST_PLUGIN_DIR, broken.path()}, {}));
  EXPECT_FALSE(load_plugin("sqlite", {broken.path(), TEST_PLUGIN_DIR}, {}));
}

TEST(plugin_loader, looks_into_the_setting_first_then_beside_the_executable) {
  auto own = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  auto with = plugin_directories("/extra");
  ASSERT_EQ(with.size(), 4u);
  EXPECT_EQ(with[0], "/extra");
  EXPECT_EQ(with[1], own);
  EXPECT_EQ(with[2], own / "plugins");
  EXPECT_TRUE(with[3].is_absolute());
  auto without = plugin_directories({});
  ASSERT_EQ(without.size(), 3u);
  EXPECT_EQ(without[0], own);
}

TEST(plugin_loader, loads_a_plugin_that_was_built_outside_of_the_project) {
  test::temporary_directory dir{"turnout-external"};
  auto build = dir.path().string();
  auto run = [&](const std::string& arguments) {
    auto command
      = "'" TEST_CMAKE "' " + arguments + " >'" + build + "/log' 2>&1";
    return std::system(command.c_str());
  };
  ASSERT_EQ(run("-S '" TEST_SOURCE_DIR "/tests/storage/external_plugin' -B '"
                + build
                + "' -G Ninja '-DCMAKE_CXX_COMPILER=" TEST_CXX_COMPILER
                  "' '-DCMAKE_CXX_FLAGS=" TEST_CXX_FLAGS
                  "' '-DTURNOUT_INCLUDE_DIR=" TEST_SOURCE_DIR "'"),
            0)
    << std::ifstream{build + "/log"}.rdbuf();
  ASSERT_EQ(run("--build '" + build + "'"), 0)
    << std::ifstream{build + "/log"}.rdbuf();
  auto factory = load_plugin("memory", {dir.path()}, {});
  ASSERT_TRUE(factory) << detail(factory.error());
  auto db = (*factory)();
  ASSERT_TRUE(db);
  EXPECT_FALSE((*db)->ping());
  account x;
  x.id = make_uuid(now());
  x.email = "a@example.org";
  EXPECT_FALSE((*db)->add_account(x));
  EXPECT_EQ(code_of((*db)->add_account(x)), ec::conflict);
  auto found = (*db)->find_account("a@example.org");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->id, x.id);
  auto links = (*db)->list_links(x.id, 1, 20);
  ASSERT_FALSE(links);
  EXPECT_EQ(code_of(links.error()), ec::unavailable);
  EXPECT_EQ(detail(links.error()), "The memory plugin keeps accounts only.");
  auto purged = (*db)->purge_clicks(1);
  ASSERT_FALSE(purged);
  EXPECT_EQ(detail(purged.error()), "This storage plugin cannot purge clicks.");
}
