#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/load_client.hpp"

#include <future>

using namespace turnout::test;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class upgrade_test : public api_test {};

} // namespace

TEST_F(upgrade_test, the_old_version_serves_while_the_store_is_migrated) {
  auto link = make_split(100, 0);
  const auto path = "/" + text(link, "slug");
  load_client load{
    service->port(), {path}, 8, "User-Agent: " + browser + "\r\n"};
  // Some parts of the step.
  ASSERT_TRUE(eventually([&] { return load.acknowledged() > 10'000; }));
  service->set("TURNOUT_STORAGE_PLUGIN_DIR", NEXT_VERSION_PLUGINS);
  auto migrated
    = std::async(std::launch::async, [&] { return service->run({"migrate"}); });
  auto rounds = 0;
  do {
    EXPECT_EQ(text(make_split(), "name"), text(link, "name"));
    EXPECT_EQ(get(links_path).status, 200);
    ++rounds;
  } while (migrated.wait_for(std::chrono::milliseconds{10})
           != std::future_status::ready);
  const auto result = migrated.get();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_GT(rounds, 1);
  const auto before = load.acknowledged();
  ASSERT_TRUE(eventually([&] { return load.acknowledged() > before + 1000; }));
  load.finish();
  EXPECT_THAT(load.others(), IsEmpty());
  EXPECT_EQ(load.unanswered(), 0);
  expect_counts(link, load.acknowledged());
  // The next version finds everything, the old one refuses to start.
  service->restart();
  expect_counts(link, load.acknowledged());
  EXPECT_EQ(service->run({"verify"}).status, 0);
  service->stop();
  service->set("TURNOUT_STORAGE_PLUGIN_DIR", "");
  const auto refused = service->run({"verify"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("use the newer turnout"));
}
