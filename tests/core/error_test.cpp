#include "core/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace turnout {
namespace {

TEST(error, carries_code_and_sentence) {
  auto err = make_error(ec::not_found, "Link not found");
  EXPECT_TRUE(err);
  EXPECT_EQ(code_of(err), ec::not_found);
  EXPECT_EQ(detail(err), "Link not found");
}

TEST(error, of_caf_factory_has_the_same_category) {
  caf::error err = caf::make_error(ec::conflict, "taken");
  EXPECT_EQ(code_of(err), ec::conflict);
  EXPECT_EQ(detail(err), "taken");
}

TEST(error, none_is_no_error) {
  caf::error err;
  EXPECT_EQ(code_of(err), ec::none);
  EXPECT_EQ(detail(err), "");
}

TEST(error, without_sentence_shows_its_code) {
  caf::error err{ec::journal};
  EXPECT_EQ(code_of(err), ec::journal);
  EXPECT_EQ(detail(err), "journal");
}

TEST(error, of_an_actor_that_did_not_answer_is_unavailable) {
  for (auto code : {caf::sec::request_timeout, caf::sec::request_receiver_down,
                    caf::sec::runtime_error}) {
    EXPECT_EQ(code_of(caf::make_error(code)), ec::unavailable);
    EXPECT_EQ(detail(caf::make_error(code)), to_string(code));
  }
}

TEST(error, of_other_foreign_causes_is_internal) {
  EXPECT_EQ(code_of(caf::make_error(caf::sec::unexpected_message)),
            ec::internal);
  caf::error foreign{7, caf::atom("elsewhere")};
  EXPECT_EQ(code_of(foreign), ec::internal);
  EXPECT_FALSE(detail(foreign).empty());
  caf::error unknown{200, caf::atom("turnout")};
  EXPECT_EQ(code_of(unknown), ec::internal);
}

TEST(error, survives_an_expected) {
  caf::expected<int> x{make_error(ec::invalid, "no")};
  ASSERT_FALSE(x);
  EXPECT_EQ(code_of(x.error()), ec::invalid);
  EXPECT_EQ(detail(x.error()), "no");
}

TEST(error, codes_have_distinct_names) {
  std::set<std::string> names;
  auto last = static_cast<int>(ec::journal);
  for (auto i = 0; i <= last; ++i)
    names.insert(to_string(static_cast<ec>(i)));
  EXPECT_EQ(names.size(), static_cast<size_t>(last) + 1);
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_STREQ(to_string(ec::schema_too_old), "schema_too_old");
}

} // namespace
} // namespace turnout
