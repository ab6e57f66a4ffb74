#include "tests/api/harness/api_test.hpp"

#include <fstream>

using namespace turnout::test;

namespace {

class script_test : public api_test {};

} // namespace

TEST_F(script_test, it_works_in_a_javascript_engine) {
  auto link = make_split();
  auto click = sticky_cookie(visit(text(link, "slug")));
  temporary_directory dir;
  auto file = dir.path() / "c.js";
  std::ofstream{file} << send("GET", "/c.js").body;
  auto result = run_command(
    {"/usr/bin/env", "node", SOURCE_DIR "/tests/web/script_test.mjs",
     file.string(), service->origin(), text(link, "id"), click.click_id},
    {});
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  expect_counts(link, 1, 1);
  auto conversion = analytics(link).at("conversion_events").at(0);
  EXPECT_EQ(text(conversion, "click_id"), click.click_id);
  EXPECT_EQ(text(conversion, "event_id"), "order 1");
  EXPECT_EQ(text(conversion, "value"), "19.90");
  EXPECT_EQ(text(conversion, "currency"), "EUR");
}
