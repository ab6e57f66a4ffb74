#include "transfer/importer.hpp"

#include "tests/actors/memory_backend.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

namespace turnout::transfer {

using test::memory_backend;
using test::memory_store;
using testing::HasSubstr;

namespace {

/// Stores a link, but loses the first answers.
class forgetful_backend : public memory_backend {
public:
  forgetful_backend(std::shared_ptr<memory_store> store, int lost)
    : memory_backend(std::move(store)), x_lost(lost) {
    // nop
  }

  caf::expected<storage::creation>
  create_link(const link& x,
              const std::optional<storage::idempotency>& once) override {
    auto result = memory_backend::create_link(x, once);
    if (result && x_lost-- > 0)
      return make_error(ec::unavailable, "the connection is lost");
    return result;
  }

private:
  int x_lost;
};

class importer_test : public testing::Test {
protected:
  importer_test() {
    options.owner = make_uuid(now());
  }

  /// A record of a link; without a slug when it is empty.
  static record link_record(const std::string& slug,
                            const std::string& name = "n") {
    auto body = json::parse(R"({"variants":[
      {"label":"A","destination_url":"https://a.example/","weight":50},
      {"label":"B","destination_url":"https://b.example/","weight":50}]})")
                  .get_object();
    body["name"] = name;
    if (!slug.empty())
      body["slug"] = slug;
    return record{1, std::move(body)};
  }

  std::shared_ptr<memory_store> store = std::make_shared<memory_store>();
  memory_backend db{store};
  import_options options;
};

} // namespace

TEST_F(importer_test, a_busy_store_is_asked_again) {
  int calls = 0;
  store->hook = [&](const std::string&) { store->down = ++calls <= 2; };
  importer work{db, options};
  EXPECT_FALSE(work.take(link_record("abc")));
  EXPECT_EQ(work.counts().imported, 1);
}

TEST_F(importer_test, a_failure_of_the_store_is_no_refusal) {
  store->down = true;
  importer work{db, options};
  const auto err = work.take(link_record("abc"));
  EXPECT_EQ(code_of(err), ec::unavailable);
  EXPECT_FALSE(is_refusal(err));
  EXPECT_EQ(work.counts().refused, 0);
  EXPECT_EQ(work.counts().imported, 0);
  EXPECT_TRUE(is_refusal(work.take(link_record("a"))));
  EXPECT_EQ(work.counts().refused, 1);
}

TEST_F(importer_test, a_lost_answer_makes_neither_an_error_nor_a_second_link) {
  forgetful_backend forgetful{store, 2};
  importer work{forgetful, options};
  EXPECT_FALSE(work.take(link_record("abc")));
  EXPECT_FALSE(work.take(link_record("")));
  EXPECT_EQ(work.counts().imported, 2);
  EXPECT_EQ(store->links.size(), 2u);
}

TEST_F(importer_test, slugs_are_made_until_one_is_free) {
  options.slug_length = 4;
  store->is_taken = [](const std::string& slug) { return slug.size() < 6; };
  importer work{db, options};
  EXPECT_FALSE(work.take(link_record("")));
  ASSERT_EQ(store->links.size(), 1u);
  EXPECT_EQ(store->links.begin()->second.slug.size(), 6u);
  store->is_taken = [](const std::string&) { return true; };
  EXPECT_THAT(detail(work.take(link_record(""))),
              HasSubstr("is already taken"));
}

TEST_F(importer_test, equal_records_without_slug_are_links_of_their_own) {
  for (int round = 0; round < 2; ++round) {
    importer work{db, options};
    EXPECT_FALSE(work.take(link_record("", "x")));
    EXPECT_FALSE(work.take(link_record("", "x")));
    EXPECT_FALSE(work.take(link_record("", "y")));
    EXPECT_EQ(work.counts().imported, round == 0 ? 3 : 0);
    EXPECT_EQ(work.counts().present, round == 0 ? 0 : 3);
  }
  EXPECT_EQ(store->links.size(), 3u);
  // Another account's are others.
  options.owner = make_uuid(now());
  importer work{db, options};
  EXPECT_FALSE(work.take(link_record("", "x")));
  EXPECT_EQ(store->links.size(), 4u);
}

TEST_F(importer_test, a_dry_run_knows_what_came_before) {
  options.dry_run = true;
  importer work{db, options};
  EXPECT_FALSE(work.take(link_record("abc")));
  EXPECT_FALSE(work.take(link_record("abc")));
  EXPECT_EQ(detail(work.take(link_record("abc", "other"))),
            "Slug 'abc' is already taken");
  EXPECT_EQ(work.counts().imported, 1);
  EXPECT_EQ(work.counts().present, 1);
  EXPECT_EQ(work.counts().refused, 1);
  EXPECT_EQ(store->count("create_link"), 0);
}

TEST_F(importer_test, a_record_that_cannot_be_read_is_refused) {
  importer work{db, options};
  const auto err
    = work.take(record{7, make_error(ec::invalid, "the line is no JSON")});
  EXPECT_EQ(detail(err), "the line is no JSON");
  EXPECT_EQ(work.counts().refused, 1);
}

} // namespace turnout::transfer
