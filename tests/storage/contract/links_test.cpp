#include "tests/storage/contract/fixture.hpp"

namespace turnout::test {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

namespace {

class links_test : public store_test {
protected:
  link load(const std::string& slug) {
    auto found = db->load_link(slug);
    if (!found || !*found)
      throw std::runtime_error{"no link " + slug};
    return **found;
  }

  std::vector<std::string> slugs(int page, int per_page) {
    std::vector<std::string> result;
    auto listed = db->list_links(owner, page, per_page);
    if (listed)
      for (const auto& x : listed->items)
        result.emplace_back(x.slug);
    return result;
  }

  std::vector<std::string> found(const std::string& search,
                                 link_sort sort = link_sort::newest) {
    std::vector<std::string> result;
    auto listed = db->list_links(owner, 1, 20, {search, sort});
    if (!listed)
      throw std::runtime_error{detail(listed.error())};
    EXPECT_EQ(listed->total, static_cast<int64_t>(listed->items.size()));
    for (const auto& x : listed->items)
      result.emplace_back(x.slug);
    return result;
  }

  int64_t total() {
    auto listed = db->list_links(owner, 1, 1);
    return listed ? listed->total : -1;
  }

  idempotency once(const std::string& key, const std::string& hash) {
    return {key, hash, "answer of " + hash};
  }
};

} // namespace

TURNOUT_CONTRACT_SUITE(links_test);

TEST_P(links_test, keeps_every_field_of_a_link) {
  auto x = new_link("Full-1");
  x.name = "\U0001F517 Verknüpfung 'quoted'; -- \"x\"";
  x.is_active = false;
  x.auto_winner = true;
  x.auto_winner_threshold = 1'000'000'000;
  x.routing = routing_type::geo;
  x.geo = geo_rules{{"US", "A b\"c"}, {"default", "B"}};
  x.enable_conversion_tracking = false;
  x.conversion_redirect_url = "https://thanks.example/?a=%2B";
  x.variants[0].label = "A b\"c";
  x.variants[0].destination_url = "https://a.example/?x=%2B&y='\"";
  x.variants[1].is_winner = true;
  x.imported_clicks = int64_t{1} << 40;
  auto made = db->create_link(x, std::nullopt);
  ASSERT_TRUE(made) << detail(made.error());
  EXPECT_FALSE(made->replayed);
  const auto& stored = made->created;
  EXPECT_NE(stored.key, 0);
  EXPECT_NE(stored.variants[0].key, 0);
  EXPECT_NE(stored.variants[0].key, stored.variants[1].key);
  auto expected = x;
  expected.key = stored.key;
  expected.version = stored.version;
  expected.variants[0].key = stored.variants[0].key;
  expected.variants[1].key = stored.variants[1].key;
  EXPECT_EQ(stored, expected);
  EXPECT_EQ(load("Full-1"), expected);
  auto by_id = db->load_link(x.id);
  ASSERT_TRUE(by_id && *by_id);
  EXPECT_EQ(**by_id, expected);
}

TEST_P(links_test, tells_no_geo_rules_from_empty_ones) {
  auto x = new_link("geo-none");
  auto y = new_link("geo-empty");
  y.geo.emplace();
  ASSERT_TRUE(db->create_link(x, std::nullopt));
  ASSERT_TRUE(db->create_link(y, std::nullopt));
  EXPECT_EQ(load("geo-none").geo, std::nullopt);
  EXPECT_EQ(load("geo-empty").geo, geo_rules{});
}

TEST_P(links_test, finds_nothing_for_an_unknown_slug_or_id) {
  auto by_slug = db->load_link("nothing");
  ASSERT_TRUE(by_slug);
  EXPECT_FALSE(*by_slug);
  auto by_id = db->load_link(make_uuid(now()));
  ASSERT_TRUE(by_id);
  EXPECT_FALSE(*by_id);
}

TEST_P(links_test, tells_slugs_apart_by_case) {
  auto x = store_link("Launch-1");
  auto y = store_link("launch-1");
  EXPECT_EQ(load("Launch-1").id, x.id);
  EXPECT_EQ(load("launch-1").id, y.id);
  auto other = db->load_link("LAUNCH-1");
  ASSERT_TRUE(other);
  EXPECT_FALSE(*other);
}

TEST_P(links_test, refuses_a_taken_slug_also_of_a_deleted_link) {
  auto x = store_link("dup-1");
  auto again = db->create_link(new_link("dup-1"), std::nullopt);
  ASSERT_FALSE(again);
  EXPECT_EQ(code_of(again.error()), ec::conflict);
  EXPECT_EQ(detail(again.error()), "slug");
  auto deleted = mark_deleted(x, moment());
  ASSERT_TRUE(deleted && db->save_link(*deleted));
  again = db->create_link(new_link("dup-1"), std::nullopt);
  ASSERT_FALSE(again);
  EXPECT_EQ(detail(again.error()), "slug");
  EXPECT_TRUE(load("dup-1").is_deleted);
  EXPECT_EQ(total(), 0);
}

TEST_P(links_test, saves_what_can_change) {
  auto x = store_link("save-1");
  auto y = x;
  y.name = "other";
  y.is_active = false;
  y.auto_winner = true;
  y.auto_winner_threshold = 11;
  y.routing = routing_type::geo;
  y.geo = geo_rules{{"default", "A"}};
  y.enable_conversion_tracking = false;
  y.conversion_redirect_url = "https://t.example/";
  y.updated_at = moment(20);
  y.generation = 2;
  y.stratum = 3;
  y.variants[0].destination_url = "https://new.example/";
  y.variants[0].weight = 100;
  y.variants[0].is_winner = true;
  y.variants[1].weight = 0;
  auto saved = db->save_link(y);
  ASSERT_TRUE(saved) << detail(saved.error());
  EXPECT_GT(saved->version, x.version);
  y.version = saved->version;
  EXPECT_EQ(*saved, y);
  EXPECT_EQ(load("save-1"), y);
  y.geo = std::nullopt;
  y.conversion_redirect_url = std::nullopt;
  ASSERT_TRUE(db->save_link(y));
  EXPECT_EQ(load("save-1").geo, std::nullopt);
  EXPECT_EQ(load("save-1").conversion_redirect_url, std::nullopt);
}

TEST_P(links_test, refuses_to_save_over_a_newer_version) {
  auto x = store_link("stale-1");
  auto first = x;
  first.name = "first";
  auto saved = db->save_link(first);
  ASSERT_TRUE(saved);
  auto second = x;
  second.name = "second";
  second.variants[0].weight = 99;
  auto refused = db->save_link(second);
  ASSERT_FALSE(refused);
  EXPECT_EQ(code_of(refused.error()), ec::stale);
  EXPECT_EQ(load("stale-1"), *saved);
  auto third = *saved;
  third.name = "third";
  EXPECT_TRUE(db->save_link(third));
}

TEST_P(links_test, refuses_to_save_an_unknown_link) {
  auto refused = db->save_link(new_link("never-1"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(code_of(refused.error()), ec::not_found);
}

TEST_P(links_test, keeps_retired_variants_with_their_ids) {
  auto x = store_link("variants-1");
  auto y = change_variants(
    x, {{"C", "https://c.example/", 70}, {"A", "https://a.example/", 30}});
  auto z = load("variants-1");
  EXPECT_EQ(z, y);
  ASSERT_EQ(z.variants.size(), 3u);
  EXPECT_EQ(z.variants[0].label, "C");
  EXPECT_NE(z.variants[0].key, 0);
  EXPECT_EQ(z.variants[1].id, x.variants[0].id);
  EXPECT_EQ(z.variants[1].key, x.variants[0].key);
  EXPECT_EQ(z.variants[2].id, x.variants[1].id);
  EXPECT_TRUE(z.variants[2].retired);
  auto back = change_variants(
    y, {{"B", "https://b.example/", 50}, {"C", "https://c.example/", 50}});
  EXPECT_EQ(back.variants[0].id, x.variants[1].id);
  EXPECT_FALSE(back.variants[0].retired);
  EXPECT_EQ(load("variants-1"), back);
}

TEST_P(links_test, keeps_each_stratum_once) {
  auto x = store_link("strata-1");
  auto strata = db->strata(x.key);
  ASSERT_TRUE(strata);
  EXPECT_THAT(*strata, ElementsAre(current_stratum(x)));
  auto y = change_variants(
    x, {{"A", "https://a.example/", 90}, {"B", "https://b.example/", 10}});
  ASSERT_NE(y.stratum, x.stratum);
  auto z = y;
  z.name = "renamed";
  ASSERT_TRUE(db->save_link(z));
  strata = db->strata(x.key);
  ASSERT_TRUE(strata);
  EXPECT_THAT(*strata, ElementsAre(current_stratum(x), current_stratum(y)));
  auto none = db->strata(x.key + 1000);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST_P(links_test, lists_pages_newest_first) {
  for (auto i = 0; i < 5; ++i)
    store_link("list-" + std::to_string(i), moment(i));
  auto other = new_link("foreign", moment(9));
  other.user_id = make_uuid(now());
  ASSERT_TRUE(db->create_link(other, std::nullopt));
  EXPECT_THAT(slugs(1, 2), ElementsAre("list-4", "list-3"));
  EXPECT_THAT(slugs(2, 2), ElementsAre("list-2", "list-1"));
  EXPECT_THAT(slugs(3, 2), ElementsAre("list-0"));
  EXPECT_THAT(slugs(4, 2), ElementsAre());
  EXPECT_THAT(slugs(2'000'000'000, 100), ElementsAre());
  EXPECT_EQ(total(), 5);
}

TEST_P(links_test, orders_links_of_one_moment_by_id) {
  std::vector<uuid> ids;
  for (auto i = 0; i < 6; ++i)
    ids.emplace_back(store_link("same-" + std::to_string(i), moment()).id);
  std::sort(ids.rbegin(), ids.rend());
  std::vector<uuid> listed;
  for (auto page = 1; page <= 3; ++page) {
    auto items = db->list_links(owner, page, 2);
    ASSERT_TRUE(items);
    for (const auto& x : items->items)
      listed.emplace_back(x.id);
  }
  EXPECT_EQ(listed, ids);
}

TEST_P(links_test, lists_what_is_searched_for) {
  auto add = [&](const std::string& slug, const std::string& name, int hour) {
    auto x = new_link(slug, moment(hour));
    x.name = name;
    auto made = db->create_link(x, std::nullopt);
    ASSERT_TRUE(made) << detail(made.error());
  };
  add("percent", "100% off", 1);
  add("Spring_1", "Sale", 2);
  add("spring-2", "Über uns", 3);
  add("mail", "SPRING mail", 4);
  add("quote", "it's \\ \"here\"", 5);
  auto foreign = new_link("spring-3", moment(6));
  foreign.user_id = make_uuid(now());
  ASSERT_TRUE(db->create_link(foreign, std::nullopt));
  auto deleted = mark_deleted(store_link("spring-4", moment(7)), moment(8));
  ASSERT_TRUE(deleted && db->save_link(*deleted));
  // Newest first; a page of them with the number of all of them.
  EXPECT_THAT(found("sPRINg"), ElementsAre("mail", "spring-2", "Spring_1"));
  for (auto page = 1; page <= 4; ++page) {
    auto listed = db->list_links(owner, page, 1, {"spring"});
    ASSERT_TRUE(listed);
    EXPECT_EQ(listed->total, 3);
    EXPECT_EQ(listed->items.size(), page < 4 ? 1u : 0u) << page;
  }
  auto far = db->list_links(owner, 20'000'000, 100, {"spring"});
  ASSERT_TRUE(far) << detail(far.error());
  EXPECT_TRUE(far->items.empty());
  // Nothing in it has a meaning of its own.
  EXPECT_THAT(found("%"), ElementsAre("percent"));
  EXPECT_THAT(found("_"), ElementsAre("Spring_1"));
  EXPECT_THAT(found("g_1"), ElementsAre("Spring_1"));
  EXPECT_THAT(found("g%1"), ElementsAre());
  EXPECT_THAT(found("\\"), ElementsAre("quote"));
  EXPECT_THAT(found("'"), ElementsAre("quote"));
  EXPECT_THAT(found("Über"), ElementsAre("spring-2"));
  EXPECT_THAT(found("über"), ElementsAre()) << "the case of ASCII only";
  // It is in one of the two, not in both together.
  EXPECT_THAT(found("salespring"), ElementsAre());
  EXPECT_THAT(found("nowhere"), ElementsAre());
}

TEST_P(links_test, lists_in_every_order) {
  // Two of one moment, so that the id decides.
  auto add = [&](const std::string& slug, const std::string& name, int hour) {
    auto x = new_link(slug, moment(hour));
    x.name = name;
    auto made = db->create_link(x, std::nullopt);
    if (!made)
      throw std::runtime_error{detail(made.error())};
    return made->created;
  };
  auto a = add("aaa", "Sale 10", 1);
  auto b = add("bbb", "sale 2", 1);
  auto c = add("ccc", "Ball", 2);
  add("ddd", "Zebra", 3);
  auto convert = [&](const link& x, const click& from) {
    auto conversion = new_conversion(x, moment(9));
    conversion.click_id = from.id;
    ASSERT_TRUE(db->add_conversion(owner, conversion));
  };
  // a: 3 clicks, 1 conversion; b: 1 and 1; c: 4 and none; d: none.
  convert(a, store_click(a, 0, moment(4), 1));
  store_click(a, 1, moment(4), 2);
  store_click(a, 1, moment(4), 3);
  convert(b, store_click(b, 1, moment(5), 4));
  for (int i = 0; i < 4; ++i)
    store_click(c, 0, moment(6), 5 + i);
  auto newest = a.id > b.id ? "aaa" : "bbb";
  auto other = a.id > b.id ? "bbb" : "aaa";
  EXPECT_THAT(found("", link_sort::newest),
              ElementsAre("ddd", "ccc", newest, other));
  EXPECT_THAT(found("", link_sort::oldest),
              ElementsAre(other, newest, "ccc", "ddd"));
  EXPECT_THAT(found("", link_sort::name),
              ElementsAre("ccc", "bbb", "aaa", "ddd"));
  EXPECT_THAT(found("", link_sort::clicks),
              ElementsAre("ccc", "aaa", "bbb", "ddd"));
  EXPECT_THAT(found("", link_sort::conversions),
              ElementsAre(newest, other, "ddd", "ccc"));
  EXPECT_THAT(found("", link_sort::rate),
              ElementsAre("bbb", "aaa", "ddd", "ccc"));
  EXPECT_THAT(found("sale", link_sort::clicks), ElementsAre("aaa", "bbb"));
  // What is listed is whole.
  auto listed = db->list_links(owner, 1, 1, {"sale", link_sort::clicks});
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->items.size(), 1u);
  const auto& x = listed->items.front();
  const auto plain = summary(a);
  EXPECT_EQ(x.id, plain.id);
  EXPECT_EQ(x.slug, plain.slug);
  EXPECT_EQ(x.name, plain.name);
  EXPECT_EQ(x.is_active, plain.is_active);
  EXPECT_EQ(x.routing, plain.routing);
  EXPECT_EQ(x.created_at, plain.created_at);
  EXPECT_EQ(x.total_clicks, 3);
  EXPECT_EQ(x.total_conversions, 1);
  EXPECT_EQ(x.top_variant, plain.top_variant);
  // And each has its own sums.
  using sums = std::tuple<int64_t, int64_t, std::string>;
  for (auto sort : {link_sort::newest, link_sort::rate}) {
    std::map<std::string, sums> by_slug;
    auto all = db->list_links(owner, 1, 20, {"", sort});
    ASSERT_TRUE(all);
    for (const auto& y : all->items)
      by_slug[y.slug] = {y.total_clicks, y.total_conversions, y.top_variant};
    EXPECT_EQ(by_slug, (std::map<std::string, sums>{{"aaa", {3, 1, "A"}},
                                                    {"bbb", {1, 1, "B"}},
                                                    {"ccc", {4, 0, "A"}},
                                                    {"ddd", {0, 0, "A"}}}));
  }
}

TEST_P(links_test, shows_no_link_on_two_pages_in_any_order) {
  // All are equal in what is sorted by.
  std::vector<std::string> all;
  for (auto i = 0; i < 7; ++i) {
    auto x = new_link("same-" + std::to_string(i), moment());
    x.name = "Twins";
    ASSERT_TRUE(db->create_link(x, std::nullopt));
    all.emplace_back(x.slug);
  }
  const auto newest_first = slugs(1, 20);
  for (auto sort :
       {link_sort::newest, link_sort::oldest, link_sort::name,
        link_sort::clicks, link_sort::conversions, link_sort::rate}) {
    std::vector<std::string> seen;
    for (auto page = 1; page <= 4; ++page) {
      auto listed = db->list_links(owner, page, 2, {"SAME", sort});
      ASSERT_TRUE(listed) << detail(listed.error());
      for (const auto& x : listed->items)
        seen.emplace_back(x.slug);
    }
    EXPECT_THAT(seen, testing::UnorderedElementsAreArray(all))
      << to_string(sort);
    if (sort == link_sort::oldest)
      std::reverse(seen.begin(), seen.end());
    EXPECT_EQ(seen, newest_first) << to_string(sort);
  }
}

TEST_P(links_test, leaves_deleted_links_out_but_lists_paused_ones) {
  auto x = store_link("gone-1", moment(1));
  auto y = store_link("paused-1", moment(2));
  y.is_active = false;
  ASSERT_TRUE(db->save_link(y));
  auto deleted = mark_deleted(x, moment());
  ASSERT_TRUE(deleted && db->save_link(*deleted));
  EXPECT_THAT(slugs(1, 20), ElementsAre("paused-1"));
  EXPECT_EQ(total(), 1);
  EXPECT_FALSE(summary(y).is_active);
}

TEST_P(links_test, lists_a_link_without_clicks_with_its_first_best_label) {
  auto x = store_link("empty-1");
  auto listed = summary(x);
  EXPECT_EQ(listed.name, x.name);
  EXPECT_EQ(listed.created_at, x.created_at);
  EXPECT_EQ(listed.total_clicks, 0);
  EXPECT_EQ(listed.total_conversions, 0);
  EXPECT_EQ(listed.top_variant, "A");
}

TEST_P(links_test, names_the_top_variant_by_conversions_clicks_weight_place) {
  auto x = store_link("top-1");
  x = change_variants(
    x, {{"A", "https://a.example/", 40}, {"B", "https://b.example/", 60}});
  EXPECT_EQ(summary(x).top_variant, "B");
  store_click(x, 0, moment(1), 1);
  EXPECT_EQ(summary(x).top_variant, "A");
  auto converted = store_click(x, 1, moment(2), 2);
  store_click(x, 0, moment(3), 3);
  auto conversion = new_conversion(x, moment(4));
  conversion.click_id = converted.id;
  ASSERT_TRUE(db->add_conversion(owner, conversion));
  EXPECT_EQ(summary(x).top_variant, "B");
  // A retired variant is no longer on top, but its numbers count.
  x = change_variants(
    x, {{"C", "https://c.example/", 50}, {"A", "https://a.example/", 50}});
  EXPECT_EQ(summary(x).top_variant, "A");
  EXPECT_EQ(summary(x).total_clicks, 3);
  EXPECT_EQ(summary(x).total_conversions, 1);
}

// -- idempotency --------------------------------------------------------------

TEST_P(links_test, replays_the_answer_of_the_same_request) {
  auto x = new_link("once-1");
  auto first = db->create_link(x, once("key", "hash"));
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->replayed);
  // A retry has a new id, and may have a slug of its own or the taken one.
  for (auto slug : {"once-1", "once-2"}) {
    auto retry
      = db->create_link(new_link(slug, moment(23)), once("key", "hash"));
    ASSERT_TRUE(retry);
    EXPECT_TRUE(retry->replayed);
    EXPECT_EQ(retry->response, "answer of hash");
  }
  EXPECT_EQ(total(), 1);
}

TEST_P(links_test, refuses_another_body_under_the_same_key) {
  ASSERT_TRUE(db->create_link(new_link("body-1"), once("key", "hash")));
  auto other = db->create_link(new_link("body-2"), once("key", "other"));
  ASSERT_FALSE(other);
  EXPECT_EQ(code_of(other.error()), ec::conflict);
  EXPECT_EQ(detail(other.error()), "idempotency");
  EXPECT_EQ(total(), 1);
}

TEST_P(links_test, keeps_idempotency_keys_of_accounts_apart) {
  ASSERT_TRUE(db->create_link(new_link("acc-1"), once("key", "hash")));
  auto other = new_link("acc-2");
  other.user_id = make_uuid(now());
  auto made = db->create_link(other, once("key", "other"));
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->replayed);
}

TEST_P(links_test, forgets_an_idempotency_key_after_a_day) {
  ASSERT_TRUE(
    db->create_link(new_link("day-1", moment(0)), once("key", "hash")));
  auto retry
    = db->create_link(new_link("day-2", moment(23, 59)), once("key", "hash"));
  ASSERT_TRUE(retry);
  EXPECT_TRUE(retry->replayed);
  auto later
    = db->create_link(new_link("day-3", moment(0, 0, 1)), once("key", "other"));
  ASSERT_TRUE(later) << detail(later.error());
  EXPECT_FALSE(later->replayed);
}

TEST_P(links_test, leaves_the_key_free_when_the_creation_failed) {
  store_link("taken-1");
  ASSERT_FALSE(db->create_link(new_link("taken-1"), once("key", "hash")));
  auto next = db->create_link(new_link("free-1"), once("key", "other"));
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->replayed);
}

TEST_P(links_test, finds_idempotency_records_through_another_connection) {
  ASSERT_TRUE(db->create_link(new_link("conn-1"), once("key", "hash")));
  db = open();
  auto retry = db->create_link(new_link("conn-2"), once("key", "hash"));
  ASSERT_TRUE(retry);
  EXPECT_TRUE(retry->replayed);
}

// -- several at once ----------------------------------------------------------

TEST_P(links_test, stores_several_links_at_once_each_whole) {
  std::vector<storage::new_link> batch;
  for (const auto* slug : {"b-2", "b-3", "b-1"})
    batch.push_back({new_link(slug), std::nullopt});
  batch[1].draft.geo = geo_rules{{"default", "B"}};
  batch[2].draft.conversion_redirect_url = "https://thanks.example/";
  auto before = db->last_change();
  ASSERT_TRUE(before);
  auto made = db->create_links(batch);
  ASSERT_EQ(made.size(), 3u);
  for (size_t i = 0; i < made.size(); ++i) {
    ASSERT_TRUE(made[i]) << detail(made[i].error());
    EXPECT_EQ(made[i]->created.slug, batch[i].draft.slug);
    EXPECT_EQ(load(batch[i].draft.slug), made[i]->created);
    auto strata = db->strata(made[i]->created.key);
    ASSERT_TRUE(strata);
    EXPECT_THAT(*strata, ElementsAre(current_stratum(made[i]->created)));
  }
  auto changes = db->changes_since(*before);
  ASSERT_TRUE(changes);
  std::vector<uuid> told;
  for (const auto& x : *changes)
    told.emplace_back(x.id);
  EXPECT_THAT(told, UnorderedElementsAre(batch[0].draft.id, batch[1].draft.id,
                                         batch[2].draft.id));
  EXPECT_TRUE(db->create_links({}).empty());
}

TEST_P(links_test, what_is_wrong_with_one_of_several_leaves_the_others_alone) {
  store_link("taken");
  ASSERT_TRUE(db->create_link(new_link("first"), once("k-1", "hash")));
  auto made = db->create_links({
    {new_link("good-1"), std::nullopt},
    {new_link("taken"), once("k-2", "hash")},
    {new_link("retry"), once("k-1", "hash")},
    {new_link("other"), once("k-1b", "hash")},
    {new_link("good-1"), std::nullopt},
    {new_link("good-2"), once("k-3", "hash")},
  });
  ASSERT_EQ(made.size(), 6u);
  EXPECT_TRUE(made[0]);
  ASSERT_FALSE(made[1]);
  EXPECT_EQ(code_of(made[1].error()), ec::conflict);
  EXPECT_EQ(detail(made[1].error()), "slug");
  ASSERT_TRUE(made[2]);
  EXPECT_TRUE(made[2]->replayed);
  EXPECT_EQ(made[2]->response, "answer of hash");
  EXPECT_TRUE(made[3]);
  ASSERT_FALSE(made[4]);
  EXPECT_EQ(detail(made[4].error()), "slug");
  EXPECT_TRUE(made[5]);
  EXPECT_THAT(slugs(1, 20), UnorderedElementsAre("taken", "first", "good-1",
                                                 "other", "good-2"));
  EXPECT_EQ(load("good-1").id, made[0]->created.id);
  // The key of the one that failed is free, those of the others are not.
  auto made_again = db->create_links({
    {new_link("free"), once("k-2", "new hash")},
    {new_link("never"), once("k-3", "new hash")},
  });
  EXPECT_TRUE(made_again[0] && !made_again[0]->replayed);
  ASSERT_FALSE(made_again[1]);
  EXPECT_EQ(detail(made_again[1].error()), "idempotency");
}

TEST_P(links_test, one_that_the_store_cannot_take_leaves_the_others_alone) {
  auto twin = new_link("twin");
  twin.id = store_link("stored").id;
  auto made = db->create_links({{new_link("good-1"), std::nullopt},
                                {twin, std::nullopt},
                                {new_link("good-2"), std::nullopt}});
  ASSERT_EQ(made.size(), 3u);
  EXPECT_TRUE(made[0]);
  EXPECT_FALSE(made[1]);
  EXPECT_TRUE(made[2]);
  EXPECT_THAT(slugs(1, 20), UnorderedElementsAre("stored", "good-1", "good-2"));
}

TEST_P(links_test, reads_all_links_page_by_page_while_others_come_and_go) {
  // Two of each moment, so that the id decides.
  std::vector<std::string> wanted;
  for (int i = 0; i < 10; ++i)
    wanted.emplace_back(
      store_link("page-" + std::to_string(i), moment(i / 2)).slug);
  auto other = new_link("other");
  other.user_id = make_uuid(now());
  ASSERT_TRUE(db->create_link(other, std::nullopt));
  auto gone = store_link("gone", moment(2, 30));
  auto deleted = mark_deleted(gone, moment(3));
  ASSERT_TRUE(deleted);
  std::vector<std::string> seen;
  std::optional<link_place> last;
  for (;;) {
    auto page = db->links_before(owner, last, 3);
    ASSERT_TRUE(page) << detail(page.error());
    for (const auto& x : *page)
      seen.emplace_back(x.subject.slug);
    if (page->size() < 3)
      break;
    last = link_place{page->back().subject.created_at, page->back().subject.id};
    if (seen.size() == 3) {
      // A newer one, and one that was read goes, one that was not too.
      store_link("newer", moment(20));
      ASSERT_TRUE(db->save_link(*deleted));
      ASSERT_TRUE(db->save_link(*mark_deleted(load(seen[0]), moment(9))));
    }
  }
  auto sorted = seen;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, wanted);
  // The same order as that of the list.
  auto listed = slugs(1, 20);
  listed.erase(listed.begin());
  seen.erase(seen.begin());
  EXPECT_EQ(seen, listed);
}

TEST_P(links_test, reads_links_whole_with_their_clicks) {
  auto x = store_link("whole");
  store_click(x, 0, moment(1), 1);
  store_click(x, 1, moment(2), 2);
  x = change_variants(
    x, {{"A", "https://a.example/", 30}, {"C", "https://c.example/", 70}});
  auto page = db->links_before(owner, std::nullopt, 10);
  ASSERT_TRUE(page) << detail(page.error());
  ASSERT_EQ(page->size(), 1u);
  EXPECT_EQ(page->front().subject, load("whole"));
  EXPECT_EQ(page->front().subject.variants.size(), 3u);
  EXPECT_EQ(page->front().clicks, 2);
}

} // namespace turnout::test
