#include "tests/storage/contract/fixture.hpp"

namespace turnout::test {

namespace {

class conversions_test : public store_test {
protected:
  void SetUp() override {
    x = store_asking_link("conv-1");
    other = store_link("conv-2");
  }

  conversion_request for_click(const uuid& click_id, timestamp at) {
    auto result = new_conversion(x, at);
    result.link_id = uuid{};
    result.click_id = click_id;
    return result;
  }

  conversion_result add(const conversion_request& request) {
    auto result = db->add_conversion(owner, request);
    if (!result)
      throw std::runtime_error{detail(result.error())};
    return *result;
  }

  std::string refusal(const conversion_request& request) {
    auto result = db->add_conversion(owner, request);
    if (result)
      return "accepted";
    EXPECT_EQ(code_of(result.error()), ec::not_found);
    return detail(result.error());
  }

  /// Sends a conversion the way the pixel does.
  store_result send(const conversion_request& request) {
    events.add(request);
    return store(events);
  }

  /// Returns conversions and converted clicks of a variant of `x`.
  std::pair<int64_t, int64_t> of_variant(size_t i) {
    auto whole = report(x);
    return {whole.variants[i].conversions, whole.variants[i].converted};
  }

  link x;
  link other;
};

using counts = std::pair<int64_t, int64_t>;

} // namespace

TURNOUT_CONTRACT_SUITE(conversions_test);

TEST_P(conversions_test, credits_the_variant_of_the_named_click) {
  auto y = store_click(x, 1, moment(1));
  auto request = for_click(y.id, moment(5));
  request.event_id = "order-1";
  request.value = "12.50";
  request.currency = "EUR";
  request.occurred_at = moment(4);
  auto result = add(request);
  EXPECT_TRUE(result.created);
  const auto& made = result.recorded;
  EXPECT_EQ(made.id, request.id);
  EXPECT_EQ(made.link_id, x.id);
  EXPECT_EQ(made.variant_id, x.variants[1].id);
  EXPECT_EQ(made.variant_label, "B");
  EXPECT_EQ(made.click_id, y.id);
  EXPECT_EQ(made.event_id, "order-1");
  EXPECT_EQ(made.value, "12.50");
  EXPECT_EQ(made.currency, "EUR");
  EXPECT_EQ(made.occurred_at, moment(4));
  EXPECT_EQ(made.created_at, moment(5));
  EXPECT_EQ(result.totals.link_id, x.id);
  ASSERT_EQ(result.totals.variants.size(), 2u);
  EXPECT_EQ(result.totals.variants[1].conversions, 1);
  EXPECT_EQ(result.totals.variants[1].converted, 1);
  auto whole = report(x);
  ASSERT_EQ(whole.conversions.size(), 1u);
  EXPECT_EQ(whole.conversions[0].id, made.id);
  EXPECT_EQ(whole.conversions[0].variant_label, "B");
  EXPECT_EQ(whole.conversions[0].value, "12.50");
  EXPECT_EQ(whole.conversions[0].occurred_at, moment(4));
  EXPECT_TRUE(all_clicks(x, {})[0].is_conversion);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(conversions_test, counts_a_click_once) {
  auto y = store_click(x, 0, moment(1));
  auto first = add(for_click(y.id, moment(2)));
  auto second = add(for_click(y.id, moment(3)));
  EXPECT_FALSE(second.created);
  EXPECT_EQ(second.recorded.id, first.recorded.id);
  EXPECT_EQ(second.recorded.created_at, moment(2));
  EXPECT_EQ(second.totals.variants[0].conversions, 1);
  EXPECT_EQ(of_variant(0), counts(1, 1));
}

TEST_P(conversions_test, counts_another_event_of_a_converted_click) {
  auto y = store_click(x, 0, moment(1));
  auto first = for_click(y.id, moment(2));
  first.event_id = "one";
  auto second = for_click(y.id, moment(3));
  second.event_id = "two";
  EXPECT_TRUE(add(first).created);
  EXPECT_TRUE(add(second).created);
  EXPECT_EQ(of_variant(0), counts(2, 1));
  // Without an event it is the first one again.
  auto third = add(for_click(y.id, moment(4)));
  EXPECT_FALSE(third.created);
  EXPECT_EQ(third.recorded.id, first.id);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(conversions_test, returns_the_first_result_of_an_event_id) {
  auto y = store_click(x, 0, moment(1), 1);
  auto z = store_click(x, 1, moment(1), 2);
  auto first = for_click(y.id, moment(2));
  first.event_id = "order-1";
  auto repeat = for_click(z.id, moment(3));
  repeat.event_id = "order-1";
  auto made = add(first);
  auto again = add(repeat);
  EXPECT_FALSE(again.created);
  EXPECT_EQ(again.recorded.id, made.recorded.id);
  EXPECT_EQ(again.recorded.click_id, y.id);
  EXPECT_EQ(of_variant(1), counts(0, 0));
  // Event ids belong to their link.
  auto elsewhere = new_conversion(other, moment(3));
  elsewhere.event_id = "order-1";
  elsewhere.may_be_unattributed = true;
  EXPECT_TRUE(add(elsewhere).created);
}

TEST_P(conversions_test, credits_the_newest_click_of_the_visitor) {
  store_click(x, 0, moment(1), 7);
  auto newest = store_click(x, 1, moment(2), 7);
  store_click(x, 0, moment(3), 8);
  store_click(other, 0, moment(4), 7);
  auto request = new_conversion(x, moment(5));
  request.visitors = {7, 0};
  EXPECT_EQ(add(request).recorded.click_id, newest.id);
}

TEST_P(conversions_test, looks_for_the_visitor_24_hours_back) {
  auto y = store_click(x, 1, moment(12), 7);
  auto too_late = new_conversion(x, moment(12, 1, 1));
  too_late.visitors = {70, 7};
  EXPECT_EQ(refusal(too_late), "Click not found");
  auto wrong_day = new_conversion(x, moment(11, 0, 1));
  wrong_day.visitors = {7, 70};
  EXPECT_EQ(refusal(wrong_day), "Click not found");
  auto request = new_conversion(x, moment(11, 59, 1));
  request.visitors = {70, 7};
  EXPECT_EQ(add(request).recorded.click_id, y.id);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(conversions_test, takes_todays_click_before_yesterdays) {
  store_click(x, 0, moment(23), 7);
  auto today = store_click(x, 1, moment(1, 0, 1), 70);
  auto request = new_conversion(x, moment(2, 0, 1));
  request.visitors = {70, 7};
  EXPECT_EQ(add(request).recorded.click_id, today.id);
}

TEST_P(conversions_test, records_without_a_click_only_when_allowed) {
  store_click(x, 0, moment(1), 7);
  auto request = new_conversion(x, moment(2));
  EXPECT_EQ(refusal(request), "Click not found");
  request.may_be_unattributed = true;
  auto result = add(request);
  EXPECT_TRUE(result.created);
  EXPECT_FALSE(result.recorded.click_id);
  EXPECT_FALSE(result.recorded.variant_id);
  ASSERT_EQ(result.totals.variants.size(), 3u);
  EXPECT_FALSE(result.totals.variants[2].variant_id);
  EXPECT_EQ(result.totals.variants[2].conversions, 1);
  auto whole = report(x);
  EXPECT_EQ(whole.unattributed_conversions, 1);
  ASSERT_EQ(whole.variants.size(), 3u);
  EXPECT_EQ(whole.variants[2].conversions, 1);
  EXPECT_EQ(summary(x).total_conversions, 1);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(conversions_test, goes_past_a_cookie_that_names_no_click) {
  auto mine = store_click(x, 0, moment(1), 7);
  auto foreign = store_click(other, 0, moment(1), 8);
  auto request = new_conversion(x, moment(2));
  request.click_id = make_uuid(moment(1));
  request.visitors = {7, 0};
  request.may_be_unattributed = true;
  EXPECT_EQ(add(request).recorded.click_id, mine.id);
  request = new_conversion(x, moment(2));
  request.click_id = foreign.id;
  request.may_be_unattributed = true;
  EXPECT_FALSE(add(request).recorded.click_id);
  // Who names a click means it.
  request = new_conversion(x, moment(2));
  request.click_id = foreign.id;
  request.visitors = {7, 0};
  EXPECT_EQ(refusal(request), "Click not found");
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(conversions_test, credits_a_named_variant_without_a_click) {
  // Not even the visitor's own click is taken.
  store_click(x, 0, moment(1), 7);
  auto request = new_conversion(x, moment(2));
  request.visitors = {7, 0};
  request.variant_id = x.variants[1].id;
  request.may_be_unattributed = true;
  auto result = add(request);
  EXPECT_FALSE(result.recorded.click_id);
  EXPECT_EQ(result.recorded.variant_label, "B");
  EXPECT_EQ(report(x).unattributed_conversions, 1);
  EXPECT_EQ(of_variant(1), counts(1, 0));
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(conversions_test, gives_unattributed_ones_unknown_in_breakdowns) {
  auto y = new_click(x, 0, moment(1));
  y.country = "DE";
  events.add(y);
  store(events);
  add(for_click(y.id, moment(2)));
  auto request = new_conversion(x, moment(2));
  request.may_be_unattributed = true;
  add(request);
  auto top = report(x).top[static_cast<size_t>(dimension::country)];
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0].value, "DE");
  EXPECT_EQ(top[0].conversions, 1);
  EXPECT_EQ(top[1].value, "unknown");
  EXPECT_EQ(top[1].clicks, 0);
  EXPECT_EQ(top[1].conversions, 1);
}

TEST_P(conversions_test, says_what_it_does_not_find) {
  auto y = store_click(x, 0, moment(1));
  auto foreign_variant = new_conversion(x, moment(2));
  foreign_variant.variant_id = other.variants[0].id;
  foreign_variant.may_be_unattributed = true;
  EXPECT_EQ(refusal(foreign_variant), "Variant not found");
  auto foreign_click = new_conversion(other, moment(2));
  foreign_click.click_id = y.id;
  EXPECT_EQ(refusal(foreign_click), "Click not found");
  EXPECT_EQ(refusal(for_click(make_uuid(now()), moment(2))), "Click not found");
  auto no_link = new_conversion(x, moment(2));
  no_link.link_id = make_uuid(now());
  EXPECT_EQ(refusal(no_link), "Link not found");
  // What belongs to somebody else is not there.
  auto stranger = make_uuid(now());
  auto result = db->add_conversion(stranger, new_conversion(x, moment(2)));
  ASSERT_FALSE(result);
  EXPECT_EQ(detail(result.error()), "Link not found");
  result = db->add_conversion(stranger, for_click(y.id, moment(2)));
  ASSERT_FALSE(result);
  EXPECT_EQ(detail(result.error()), "Click not found");
  EXPECT_EQ(summary(x).total_conversions, 0);
}

TEST_P(conversions_test, refuses_the_server_call_for_a_deleted_link) {
  auto y = store_click(x, 0, moment(1));
  auto deleted = mark_deleted(x, moment());
  ASSERT_TRUE(deleted && db->save_link(*deleted));
  EXPECT_EQ(refusal(for_click(y.id, moment(2))), "Click not found");
  auto request = new_conversion(x, moment(2));
  request.may_be_unattributed = true;
  EXPECT_EQ(refusal(request), "Link not found");
  // A pixel that is still out there counts.
  EXPECT_EQ(send(for_click(y.id, moment(2))).conversions, 1);
  expect_verified();
}

TEST_P(conversions_test, credits_late_ones_to_the_variant_shown) {
  auto y = store_click(x, 1, moment(1));
  auto changed = change_variants(
    x, {{"A", "https://a.example/", 60}, {"C", "https://c.example/", 40}});
  auto result = add(for_click(y.id, moment(1, 0, 30)));
  EXPECT_EQ(result.recorded.variant_label, "B");
  expect_sums_agree(changed);
  expect_verified();
}

TEST_P(conversions_test, count_on_their_own_day_and_converted_on_the_clicks) {
  auto y = store_click(x, 0, moment(23));
  add(for_click(y.id, moment(1, 0, 1)));
  auto first = db->analytics(owner, x.id, first_day(), first_day(), 0);
  auto second = db->analytics(owner, x.id, first_day() + 1, first_day() + 1, 0);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->variants[0].clicks, 1);
  EXPECT_EQ(first->variants[0].converted, 1);
  EXPECT_EQ(first->variants[0].conversions, 0);
  EXPECT_EQ(second->variants[0].clicks, 0);
  EXPECT_EQ(second->variants[0].converted, 0);
  EXPECT_EQ(second->variants[0].conversions, 1);
  ASSERT_EQ(second->days.size(), 1u);
  EXPECT_EQ(second->days[0].conversions, 1);
  EXPECT_TRUE(first->conversions.empty());
  EXPECT_EQ(second->conversions.size(), 1u);
}

// -- pixels -------------------------------------------------------------------

TEST_P(conversions_test, of_pixels_find_clicks_of_the_same_batch) {
  auto y = new_click(x, 1, moment(1), 7);
  auto by_id = for_click(y.id, moment(2));
  auto again = new_conversion(x, moment(3));
  again.visitors = {7, 0};
  events.add(by_id).add(again).add(y);
  auto result = store(events);
  EXPECT_EQ(result.clicks, 1);
  EXPECT_EQ(result.conversions, 1);
  EXPECT_EQ(result.conversions_dropped, 1);
  EXPECT_EQ(of_variant(1), counts(1, 1));
  ASSERT_EQ(result.totals.size(), 1u);
  EXPECT_EQ(result.totals[0].variants[1].converted, 1);
  expect_verified();
}

TEST_P(conversions_test, of_pixels_belong_to_the_click_before_them) {
  auto before = new_click(x, 0, moment(1), 7);
  auto after = new_click(x, 1, moment(3), 7);
  auto request = new_conversion(x, moment(2));
  request.visitors = {7, 0};
  events.add(before).add(request).add(after);
  EXPECT_EQ(store(events).conversions, 1);
  EXPECT_EQ(of_variant(0), counts(1, 1));
  EXPECT_EQ(of_variant(1), counts(0, 0));
  // The next conversion of the visitor belongs to the newer click.
  auto next = new_conversion(x, moment(4));
  next.visitors = {7, 0};
  EXPECT_EQ(send(next).conversions, 1);
  EXPECT_EQ(of_variant(1), counts(1, 1));
  expect_verified();
}

TEST_P(conversions_test, of_pixels_wait_for_the_click_of_another_node) {
  auto late = new_click(x, 1, moment(1), 7);
  auto pixel = new_conversion(x, moment(2));
  pixel.click_id = late.id;
  pixel.value = "12.50";
  pixel.currency = "EUR";
  pixel.occurred_at = moment(2);
  auto again = new_conversion(x, moment(3));
  again.click_id = late.id;
  auto order = new_conversion(x, moment(4));
  order.click_id = late.id;
  order.event_id = "order-1";
  auto without_link = for_click(late.id, moment(5));
  events.add(pixel).add(again).add(order).add(without_link);
  EXPECT_EQ(store(events).conversions, 0);
  // Other clicks change nothing.
  store_click(x, 0, moment(6), 8);
  EXPECT_EQ(summary(x).total_conversions, 0);
  batch_builder other_node{make_uuid(now())};
  other_node.add(late);
  auto result = store(other_node);
  EXPECT_EQ(result.clicks, 1);
  EXPECT_EQ(result.conversions, 2);
  ASSERT_EQ(result.totals.size(), 1u);
  EXPECT_EQ(result.totals[0].variants[1].converted, 1);
  EXPECT_EQ(of_variant(1), counts(2, 1));
  auto whole = report(x);
  ASSERT_EQ(whole.conversions.size(), 2u);
  EXPECT_EQ(whole.conversions[1].id, pixel.id);
  EXPECT_EQ(whole.conversions[1].value, "12.50");
  EXPECT_EQ(whole.conversions[1].currency, "EUR");
  EXPECT_EQ(whole.conversions[1].created_at, moment(2));
  // Once.
  store_click(x, 0, moment(7), 8);
  EXPECT_EQ(of_variant(1), counts(2, 1));
  EXPECT_EQ(raw->number("SELECT count(*) FROM waiting_conversions"), 0);
  expect_sums_agree(x);
  expect_verified();
}

TEST_P(conversions_test, of_pixels_that_missed_their_click_find_it) {
  // As if the click had been stored at the same time by another transaction.
  auto y = store_click(x, 0, moment(1), 7);
  auto keep = [&](int seconds_ago) {
    auto pixel = make_uuid(now());
    auto text = [](uint64_t half) {
      return std::to_string(static_cast<int64_t>(half)) + ", ";
    };
    raw->execute(
      "INSERT INTO waiting_conversions VALUES (" + text(y.id.hi) + text(y.id.lo)
      + text(pixel.hi) + text(pixel.lo) + text(x.id.hi) + text(x.id.lo)
      + "'', '', '', 0, " + std::to_string(to_micros(moment(2))) + ", "
      + std::to_string(to_micros(now() - std::chrono::seconds{seconds_ago}))
      + ")");
  };
  keep(86'500); // Given up.
  store_click(x, 1, moment(3), 8);
  EXPECT_EQ(of_variant(0), counts(0, 0));
  EXPECT_EQ(raw->number("SELECT count(*) FROM waiting_conversions"), 0);
  keep(1);
  store_click(x, 1, moment(4), 8);
  EXPECT_EQ(of_variant(0), counts(1, 1));
  EXPECT_EQ(raw->number("SELECT count(*) FROM waiting_conversions"), 0);
  expect_verified();
}

TEST_P(conversions_test, of_pixels_do_not_wait_for_made_up_clicks) {
  auto made_up = new_conversion(x, moment(2));
  made_up.click_id = {0x8000'0000'0000'0000, 1};
  auto of_last_week = new_conversion(x, moment(2));
  of_last_week.click_id = make_uuid(moment(2, 0, -7));
  auto of_tomorrow = new_conversion(x, moment(2));
  of_tomorrow.click_id = make_uuid(moment(2, 0, 1));
  events.add(made_up).add(of_last_week).add(of_tomorrow);
  EXPECT_EQ(store(events).conversions_dropped, 3);
  EXPECT_EQ(raw->number("SELECT count(*) FROM waiting_conversions"), 0);
}

TEST_P(conversions_test, of_nobodys_pixel_count_nothing) {
  store_click(x, 0, moment(1), 7);
  auto nobody = new_conversion(x, moment(2));
  nobody.visitors = {99, 98};
  auto unknown_click = new_conversion(x, moment(2));
  unknown_click.click_id = make_uuid(now());
  unknown_click.visitors = {7, 0};
  auto unknown_link = new_conversion(x, moment(2));
  unknown_link.link_id = make_uuid(now());
  auto nothing = conversion_request{};
  events.add(nobody).add(unknown_click).add(unknown_link).add(nothing);
  auto result = store(events);
  EXPECT_EQ(result.conversions, 0);
  EXPECT_EQ(result.conversions_dropped, 4);
  EXPECT_EQ(summary(x).total_conversions, 0);
  expect_verified();
}

TEST_P(conversions_test, of_pixels_with_a_known_id_do_not_stop_the_batch) {
  auto y = store_click(x, 0, moment(1));
  auto first = for_click(y.id, moment(2));
  first.event_id = "one";
  EXPECT_EQ(send(first).conversions, 1);
  auto same_id = first;
  same_id.event_id = "two";
  events.add(same_id).add(new_click(x, 1, moment(3)));
  auto result = store(events);
  EXPECT_EQ(result.conversions, 0);
  EXPECT_EQ(result.conversions_dropped, 1);
  EXPECT_EQ(result.clicks, 1);
  EXPECT_EQ(of_variant(0), counts(1, 1));
  expect_verified();
}

TEST_P(conversions_test, of_pixels_and_of_the_server_call_share_event_ids) {
  auto y = store_click(x, 0, moment(1));
  auto pixel = for_click(y.id, moment(2));
  pixel.event_id = "order-1";
  EXPECT_EQ(send(pixel).conversions, 1);
  auto call = for_click(y.id, moment(3));
  call.event_id = "order-1";
  auto result = add(call);
  EXPECT_FALSE(result.created);
  EXPECT_EQ(result.recorded.id, pixel.id);
}

} // namespace turnout::test
