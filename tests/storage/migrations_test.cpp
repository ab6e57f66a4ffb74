#include "storage/migrations.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <utility>

using namespace turnout;
using namespace turnout::storage;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A store whose transactions can be watched.
struct fake_store : migration_target {
  int stored = 0;
  int pending = 0;
  std::vector<std::string> log;
  std::string broken;
  /// Rows that the statement "part" still has to change.
  int64_t rows_left = 0;
  /// Called when the lock was taken, as somebody else may have had it before.
  std::function<void()> on_begin = [] {};

  caf::expected<int> version() override {
    return stored;
  }

  caf::error begin() override {
    log.emplace_back("begin");
    on_begin();
    pending = stored;
    return caf::none;
  }

  caf::expected<int64_t> apply(const std::string& statement) override {
    log.emplace_back(statement);
    if (statement == broken)
      return make_error(ec::unavailable, "broken");
    return statement == "part" ? std::exchange(rows_left, rows_left / 10) : 1;
  }

  caf::error record(const migration& step) override {
    pending = step.version;
    return caf::none;
  }

  caf::error commit() override {
    log.emplace_back("commit");
    stored = pending;
    return caf::none;
  }

  void roll_back() noexcept override {
    log.emplace_back("roll back");
  }
};

const std::vector<migration> steps{
  {1, "one", {"a", "b"}}, {2, "two", {"c"}}, {3, "three", {"d"}}};

} // namespace

TEST(migrations, apply_each_step_in_a_transaction) {
  fake_store store;
  EXPECT_FALSE(run_migrations(store, steps));
  EXPECT_EQ(store.stored, 3);
  EXPECT_THAT(store.log, ElementsAre("begin", "a", "b", "commit", "begin", "c",
                                     "commit", "begin", "d", "commit"));
}

TEST(migrations, apply_what_is_missing_only) {
  fake_store store;
  store.stored = 2;
  EXPECT_FALSE(run_migrations(store, steps));
  EXPECT_THAT(store.log, ElementsAre("begin", "d", "commit"));
  store.log.clear();
  EXPECT_FALSE(run_migrations(store, steps));
  EXPECT_THAT(store.log, ElementsAre());
}

TEST(migrations, keep_the_steps_before_a_broken_one) {
  fake_store store;
  store.broken = "c";
  EXPECT_EQ(code_of(run_migrations(store, steps)), ec::unavailable);
  EXPECT_EQ(store.stored, 1);
  EXPECT_THAT(store.log, ElementsAre("begin", "a", "b", "commit", "begin", "c",
                                     "roll back"));
  store.broken.clear();
  EXPECT_FALSE(run_migrations(store, steps));
  EXPECT_EQ(store.stored, 3);
}

TEST(migrations, apply_a_step_part_by_part) {
  const std::vector<migration> in_parts{
    {1, "one", {"a"}}, {2, "two", {}, "part"}, {3, "three", {"d"}}};
  fake_store store;
  store.rows_left = 20;
  EXPECT_FALSE(run_migrations(store, in_parts));
  EXPECT_EQ(store.stored, 3);
  EXPECT_THAT(store.log,
              ElementsAre("begin", "a", "commit", "begin", "part", "commit",
                          "begin", "part", "commit", "begin", "part", "commit",
                          "begin", "d", "commit"));
}

TEST(migrations, go_on_with_the_parts_that_are_left) {
  const std::vector<migration> in_parts{{1, "one", {"a"}},
                                        {2, "two", {}, "part"}};
  fake_store store;
  store.stored = 1;
  store.rows_left = 20;
  store.on_begin = [&] {
    if (store.rows_left == 2)
      store.broken = "part";
  };
  EXPECT_EQ(code_of(run_migrations(store, in_parts)), ec::unavailable);
  EXPECT_EQ(store.stored, 1);
  store.on_begin = [] {};
  store.broken.clear();
  store.log.clear();
  EXPECT_FALSE(run_migrations(store, in_parts));
  EXPECT_EQ(store.stored, 2);
  EXPECT_THAT(store.log, ElementsAre("begin", "part", "commit", "begin", "part",
                                     "commit"));
}

TEST(migrations, skip_a_step_that_another_process_applied_meanwhile) {
  fake_store store;
  store.on_begin = [&] {
    if (store.stored < 2)
      store.stored = 2;
  };
  EXPECT_FALSE(run_migrations(store, steps));
  EXPECT_THAT(store.log, ElementsAre("begin", "commit", "begin", "commit",
                                     "begin", "d", "commit"));
  EXPECT_EQ(store.stored, 3);
}

TEST(migrations, refuse_a_newer_store) {
  fake_store store;
  store.stored = 7;
  auto err = run_migrations(store, steps);
  EXPECT_EQ(code_of(err), ec::schema_too_new);
  EXPECT_THAT(detail(err), HasSubstr("version 7"));
  EXPECT_THAT(detail(err), HasSubstr("up to 3"));
  EXPECT_THAT(detail(err), HasSubstr("newer Turnout"));
  EXPECT_THAT(store.log, ElementsAre());
}

TEST(migrations, refuse_a_store_that_became_newer_meanwhile) {
  fake_store store;
  store.on_begin = [&] { store.stored = 4; };
  EXPECT_EQ(code_of(run_migrations(store, steps)), ec::schema_too_new);
  EXPECT_THAT(store.log, ElementsAre("begin", "roll back"));
}
