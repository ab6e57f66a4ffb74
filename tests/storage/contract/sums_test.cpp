#include "tests/storage/contract/fixture.hpp"

#include <random>

namespace turnout::test {

// Random operations of all kinds; whatever happened, each way to ask for a
// number gives the same, and the store is what its raw events say.

namespace {

class sums_test : public store_test {
protected:
  int pick(int n) {
    return std::uniform_int_distribution<int>{0, n - 1}(random);
  }

  /// Returns a random moment, mostly later than those before.
  timestamp some_moment() {
    clock += std::chrono::minutes{pick(40)};
    return pick(10) == 0 ? clock - std::chrono::hours{pick(60)} : clock;
  }

  void add_click(link& x) {
    auto variant
      = static_cast<size_t>(pick(static_cast<int>(x.variants.size())));
    auto y = new_click(x, variant, some_moment(), 1 + pick(5));
    y.is_repeat = pick(4) == 0;
    y.country = pick(3) == 0 ? "" : pick(2) == 0 ? "DE" : "US";
    y.referrer = pick(2) == 0 ? "" : "news.example";
    if (pick(20) == 0)
      y.variant_key = 123'456;
    events.add(y, pick(2) == 0 ? "Firefox" : "Safari");
    if (pick(15) == 0)
      events.add(y);
    known_clicks.emplace_back(y.id);
  }

  conversion_request some_conversion(const link& x) {
    auto request = new_conversion(x, some_moment());
    switch (pick(4)) {
      case 0:
        if (!known_clicks.empty())
          request.click_id = known_clicks[static_cast<size_t>(
            pick(static_cast<int>(known_clicks.size())))];
        if (pick(2) == 0)
          request.link_id = uuid{};
        break;
      case 1:
        request.visitors = {1 + pick(5), 1 + pick(5)};
        break;
      case 2:
        request.variant_id = x.variants[0].id;
        break;
      default:
        break;
    }
    if (pick(3) == 0)
      request.event_id = "event-" + std::to_string(pick(30));
    request.may_be_unattributed = pick(2) == 0;
    return request;
  }

  void change(link& x) {
    static const std::vector<std::vector<variant_spec>> sets{
      {{"A", "https://a.example/", 50}, {"B", "https://b.example/", 50}},
      {{"B", "https://b.example/", 10}, {"C", "https://c.example/", 90}},
      {{"C", "https://c.example/2", 30},
       {"A", "https://a.example/", 30},
       {"D", "https://d.example/", 40}},
    };
    x = change_variants(x, sets[static_cast<size_t>(pick(3))]);
  }

  void send(const event_batch& batch) {
    auto result = db->store_events(batch);
    ASSERT_TRUE(result) << detail(result.error());
    stored_clicks += result->clicks;
    stored_conversions += result->conversions;
  }

  void step(link& x, std::vector<event_batch>& sent) {
    switch (pick(8)) {
      default: {
        for (auto n = pick(12); n > 0; --n)
          add_click(x);
        for (auto n = pick(4); n > 0; --n)
          events.add(some_conversion(x));
        if (pick(3) == 0)
          events.add(excluded_visit{x.key, exclusion::head, some_moment()});
        sent.emplace_back(events.take());
        send(sent.back());
        break;
      }
      case 0: {
        auto result = db->add_conversion(owner, some_conversion(x));
        if (result && result->created)
          ++stored_conversions;
        break;
      }
      case 1:
        change(x);
        break;
      case 2:
        if (!sent.empty())
          send(sent[static_cast<size_t>(pick(static_cast<int>(sent.size())))]);
        break;
      case 3:
        db = open();
        break;
    }
  }

  void run(unsigned seed) {
    random.seed(seed);
    std::vector<link> links{store_link("sum-1"), store_link("sum-2")};
    std::vector<event_batch> sent;
    for (auto i = 0; i < 150; ++i) {
      auto& x = links[static_cast<size_t>(pick(2))];
      step(x, sent);
      if (HasFatalFailure())
        return;
    }
    int64_t clicks = 0;
    int64_t conversions = 0;
    for (const auto& x : links) {
      expect_sums_agree(x);
      clicks += summary(x).total_clicks;
      conversions += summary(x).total_conversions;
      expect_ranges_agree(x);
    }
    EXPECT_EQ(clicks, stored_clicks);
    EXPECT_EQ(conversions, stored_conversions);
    EXPECT_GT(clicks, 100);
    EXPECT_GT(conversions, 10);
    expect_verified();
  }

  /// Compares random ranges of the click list with a filter over all clicks.
  void expect_ranges_agree(const link& x) {
    auto all = all_clicks(x, {}, 100);
    for (auto i = 0; i < 40; ++i) {
      auto from = moment(pick(24), pick(2) * pick(60), pick(5) - 1);
      auto until = from + std::chrono::hours{pick(80)};
      auto expected = std::count_if(all.begin(), all.end(), [&](auto& row) {
        return row.created_at >= from && row.created_at < until;
      });
      auto page = db->clicks(owner, x.id, {from, until}, 1, 3);
      ASSERT_TRUE(page);
      EXPECT_EQ(page->total, expected);
      EXPECT_EQ(static_cast<int64_t>(all_clicks(x, {from, until}, 4).size()),
                expected);
    }
  }

  std::mt19937 random;
  timestamp clock = moment(1);
  std::vector<uuid> known_clicks;
  int64_t stored_clicks = 0;
  int64_t stored_conversions = 0;
};

} // namespace

TURNOUT_CONTRACT_SUITE(sums_test);

TEST_P(sums_test, agree_after_random_operations_1) {
  run(1);
}

TEST_P(sums_test, agree_after_random_operations_2) {
  run(2);
}

TEST_P(sums_test, agree_after_random_operations_3) {
  run(3);
}

TEST_P(sums_test, agree_after_random_operations_4) {
  run(4);
}

} // namespace turnout::test
