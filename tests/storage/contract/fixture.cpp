#include "tests/storage/contract/fixture.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

namespace turnout::test {

std::vector<std::string> plugins_under_test() {
  std::vector<std::string> result;
  std::istringstream names{TEST_PLUGINS};
  for (std::string name; std::getline(names, name, ',');)
    result.emplace_back(name);
  return result;
}

day_number first_day() {
  return 20522; // 2026-03-10
}

timestamp moment(int hour, int minute, int days) {
  return start_of(first_day() + days) + std::chrono::hours{hour}
         + std::chrono::minutes{minute};
}

// -- batches ------------------------------------------------------------------

batch_builder& batch_builder::add(const click& x, const std::string& browser) {
  click_classes classes;
  classes.values = {x.country.empty() ? "unknown" : x.country,
                    x.referrer.empty() ? "unknown" : x.referrer, browser,
                    "desktop", "Linux"};
  x_batch.clicks.emplace_back(x);
  x_batch.classes.emplace_back(classes);
  x_batch.click_places.emplace_back(next_place());
  return *this;
}

batch_builder& batch_builder::add(const excluded_visit& x) {
  x_batch.excluded.emplace_back(x);
  x_batch.excluded_places.emplace_back(next_place());
  return *this;
}

batch_builder& batch_builder::add(const conversion_request& x) {
  x_batch.conversions.emplace_back(x);
  x_batch.conversion_places.emplace_back(next_place());
  return *this;
}

event_batch batch_builder::take() {
  event_batch result;
  result.node = x_batch.node;
  std::swap(result, x_batch);
  result.ranges.push_back({x_journal, x_next - 1});
  return result;
}

// -- fixture ------------------------------------------------------------------

store_test::store_test() {
  settings.data_dir = dir.path().string();
  raw = make_raw_store(GetParam(), settings);
  auto loaded = load_plugin(GetParam(), {TEST_PLUGIN_DIR}, settings);
  if (!loaded)
    throw std::runtime_error{detail(loaded.error())};
  factory = *loaded;
  db = open();
  if (auto err = db->migrate())
    throw std::runtime_error{detail(err)};
}

backend_ptr store_test::open() {
  auto result = factory();
  if (!result)
    throw std::runtime_error{detail(result.error())};
  return std::move(*result);
}

link store_test::new_link(const std::string& slug, timestamp at) {
  link x;
  x.id = make_uuid(at);
  x.user_id = owner;
  x.slug = slug;
  x.name = "Link " + slug;
  x.created_at = at;
  x.updated_at = at;
  x.variants = make_variants(
    {{"A", "https://a.example/", 50}, {"B", "https://b.example/", 50}}, at);
  return x;
}

link store_test::store_link(const std::string& slug, timestamp at) {
  auto made = db->create_link(new_link(slug, at), std::nullopt);
  if (!made)
    throw std::runtime_error{detail(made.error())};
  return made->created;
}

link store_test::store_asking_link(const std::string& slug, timestamp at) {
  auto x = new_link(slug, at);
  x.auto_winner = true;
  auto made = db->create_link(x, std::nullopt);
  if (!made)
    throw std::runtime_error{detail(made.error())};
  return made->created;
}

link store_test::change_variants(const link& x,
                                 const std::vector<variant_spec>& specs) {
  auto next = replace_variants(x, specs, x.updated_at + std::chrono::hours{1});
  if (!next)
    throw std::runtime_error{detail(next.error())};
  auto saved = db->save_link(*next);
  if (!saved)
    throw std::runtime_error{detail(saved.error())};
  return *saved;
}

click store_test::new_click(const link& x, size_t variant, timestamp at,
                            int64_t visitor) {
  click result;
  result.id = make_uuid(at);
  result.link_key = x.key;
  result.variant_key = x.variants[variant].key;
  result.stratum = x.stratum;
  result.created_at = at;
  result.visitor = visitor;
  result.ip_address = "203.0.113.0";
  result.user_agent = "agent";
  return result;
}

conversion_request store_test::new_conversion(const link& x, timestamp at) {
  conversion_request result;
  result.id = make_uuid(at);
  result.link_id = x.id;
  result.created_at = at;
  result.occurred_at = at;
  return result;
}

store_result store_test::store(batch_builder& builder) {
  auto result = db->store_events(builder.take());
  if (!result)
    throw std::runtime_error{detail(result.error())};
  return *result;
}

click store_test::store_click(const link& x, size_t variant, timestamp at,
                              int64_t visitor) {
  auto result = new_click(x, variant, at, visitor);
  events.add(result);
  store(events);
  return result;
}

analytics_report store_test::report(const link& x) {
  auto result
    = db->analytics(owner, x.id, std::nullopt, std::nullopt, first_day());
  if (!result)
    throw std::runtime_error{detail(result.error())};
  return *result;
}

std::vector<click_row>
store_test::all_clicks(const link& x, const click_range& range, int per_page) {
  std::vector<click_row> result;
  for (auto page = 1;; ++page) {
    auto items = db->clicks(owner, x.id, range, page, per_page);
    if (!items)
      throw std::runtime_error{detail(items.error())};
    result.insert(result.end(), items->items.begin(), items->items.end());
    if (items->items.size() < static_cast<size_t>(per_page))
      return result;
  }
}

std::map<std::string, int64_t>
store_test::clicks_by_value(const analytics_report& x, dimension which) {
  std::map<std::string, int64_t> result;
  for (const auto& row : x.top[static_cast<size_t>(which)])
    result[row.value] = row.clicks;
  return result;
}

link_summary store_test::summary(const link& x) {
  auto page = db->list_links(owner, 1, 1000);
  if (!page)
    throw std::runtime_error{detail(page.error())};
  for (const auto& item : page->items)
    if (item.id == x.id)
      return item;
  throw std::runtime_error{"link is not listed"};
}

void store_test::expect_verified() {
  auto lines = db->verify(false);
  ASSERT_TRUE(lines) << detail(lines.error());
  EXPECT_THAT(*lines, testing::ElementsAre());
}

void store_test::expect_sums_agree(const link& x) {
  auto whole = report(x);
  auto listed = summary(x);
  // Days.
  int64_t clicks = 0;
  int64_t conversions = 0;
  for (const auto& day : whole.days) {
    clicks += day.clicks;
    conversions += day.conversions;
    auto alone = db->analytics(owner, x.id, day.day, day.day, day.day);
    ASSERT_TRUE(alone);
    ASSERT_EQ(alone->days.size(), 1u);
    EXPECT_EQ(alone->days[0].clicks, day.clicks);
    EXPECT_EQ(alone->days[0].conversions, day.conversions);
  }
  EXPECT_EQ(listed.total_clicks, clicks);
  EXPECT_EQ(listed.total_conversions, conversions);
  // Variants.
  int64_t variant_clicks = 0;
  int64_t variant_conversions = 0;
  for (const auto& v : whole.variants) {
    variant_clicks += v.clicks;
    variant_conversions += v.conversions;
    EXPECT_LE(v.converted, v.clicks);
    EXPECT_LE(v.converted, v.conversions);
  }
  EXPECT_EQ(variant_clicks, clicks);
  EXPECT_EQ(variant_conversions, conversions);
  EXPECT_LE(whole.unattributed_conversions, conversions);
  // Breakdowns; the tests keep to less than 10 values.
  for (const auto& breakdown : whole.top) {
    ASSERT_LT(breakdown.size(), 10u);
    int64_t value_clicks = 0;
    int64_t value_conversions = 0;
    for (const auto& row : breakdown) {
      value_clicks += row.clicks;
      value_conversions += row.conversions;
    }
    EXPECT_EQ(value_clicks, clicks);
    EXPECT_EQ(value_conversions, conversions);
  }
  // The click list.
  auto page = db->clicks(owner, x.id, {}, 1, 1);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->total, clicks);
  auto all = all_clicks(x, {});
  EXPECT_EQ(static_cast<int64_t>(all.size()), clicks);
  std::set<uuid> ids;
  for (size_t i = 0; i < all.size(); ++i) {
    ids.insert(all[i].id);
    if (i > 0) {
      EXPECT_GT(all[i - 1].id, all[i].id);
    }
  }
  EXPECT_EQ(ids.size(), all.size());
  auto converted = std::count_if(all.begin(), all.end(),
                                 [](auto& row) { return row.is_conversion; });
  int64_t variants_converted = 0;
  for (const auto& v : whole.variants)
    variants_converted += v.converted;
  EXPECT_EQ(variants_converted, converted);
}

} // namespace turnout::test
