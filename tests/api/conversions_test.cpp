#include "tests/api/harness/api_test.hpp"

#include <set>
#include <thread>

using namespace turnout::test;
using testing::HasSubstr;

namespace {

class conversions_test : public api_test {
protected:
  /// A visit of a link with a browser of its own.
  sticky click_on(const json::value& link, const header_list& headers = {}) {
    return sticky_cookie(visit(text(link, "slug"), headers));
  }

  response convert(const json::value& body) {
    return post(conversions_path, body);
  }

  response pixel(const json::value& link, const std::string& query = {},
                 header_list headers = {}) {
    headers.emplace_back("User-Agent", browser);
    return send("GET", "/c/" + text(link, "id") + ".gif" + query, headers);
  }

  /// Waits until the link has `n` conversions in all, and that it stays so.
  void expect_conversions(const json::value& link, int64_t n) {
    auto total = [&] { return number(analytics(link), "total_conversions"); };
    EXPECT_EQ(eventually_equal(n, total), n);
    settle();
    EXPECT_EQ(total(), n);
  }

  /// Returns the newest conversion of a link, once it has `n`.
  json::value newest(const json::value& link, int64_t n) {
    expect_conversions(link, n);
    return analytics(link).at("conversion_events").at(0);
  }
};

class pixel_test : public conversions_test {};

/// A browser that another visitor match does not find.
const header_list stranger{{"X-Forwarded-For", "193.0.6.139"}};

} // namespace

TEST_F(conversions_test, a_click_id_converts_its_click) {
  auto link = make_split(0, 100);
  auto click = click_on(link);
  auto answer = convert({{"click_id", click.click_id}});
  ASSERT_EQ(answer.status, 201) << answer.body;
  auto conversion = answer.json();
  EXPECT_THAT(text(conversion, "id"), is_uuid());
  EXPECT_EQ(text(conversion, "link_id"), text(link, "id"));
  EXPECT_EQ(text(conversion, "variant_id"), variant_id(link, "b"));
  EXPECT_EQ(text(conversion, "click_id"), click.click_id);
  EXPECT_TRUE(conversion.at("event_id").is_null());
  EXPECT_TRUE(conversion.at("value").is_null());
  EXPECT_TRUE(conversion.at("currency").is_null());
  EXPECT_THAT(text(conversion, "created_at"), is_timestamp());
  EXPECT_EQ(conversion.as_object().size(), 8u);
  expect_counts(link, 1, 1);
  EXPECT_EQ(clicks(link).at("items").at(0).at("is_conversion"), true);
  auto row = by_label(analytics(link).at("variant_performance"), "b");
  EXPECT_EQ(number(row, "conversions"), 1);
  EXPECT_EQ(row.at("conversion_rate").to_number<double>(), 1.0);
  expect_sums_agree(link);
}

TEST_F(conversions_test, all_fields_are_kept) {
  auto link = make_split();
  auto click = click_on(link);
  auto answer = convert({{"click_id", click.click_id},
                         {"event_id", "order-1"},
                         {"value", "19.90"},
                         {"currency", "EUR"},
                         {"occurred_at", day() + "T00:00:00Z"}});
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(text(answer.json(), "event_id"), "order-1");
  EXPECT_EQ(text(answer.json(), "currency"), "EUR");
  auto event = newest(link, 1);
  EXPECT_EQ(text(event, "id"), text(answer.json(), "id"));
  EXPECT_EQ(text(event, "event_id"), "order-1");
  EXPECT_EQ(text(event, "currency"), "EUR");
  EXPECT_EQ(event.at("value"), answer.json().at("value"));
  EXPECT_FALSE(event.at("value").is_null());
  EXPECT_EQ(text(event, "click_id"), click.click_id);
  auto label = click.variant_id == variant_id(link, "a") ? "a" : "b";
  EXPECT_EQ(text(event, "variant_label"), label);
}

TEST_F(conversions_test, a_click_converts_once) {
  auto link = make_split();
  auto click = click_on(link);
  auto first = convert({{"click_id", click.click_id}});
  ASSERT_EQ(first.status, 201);
  for (int i = 0; i < 3; ++i) {
    auto again = convert({{"click_id", click.click_id}});
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.json(), first.json());
  }
  expect_counts(link, 1, 1);
}

TEST_F(conversions_test, case_82_an_event_id_counts_once) {
  auto link = make_split();
  auto click = click_on(link);
  json::value body{{"click_id", click.click_id}, {"event_id", "e-1"}};
  auto first = convert(body);
  ASSERT_EQ(first.status, 201);
  auto repeat = convert(body);
  EXPECT_EQ(repeat.status, 200);
  EXPECT_EQ(repeat.json(), first.json());
  service->restart();
  repeat = convert(body);
  EXPECT_EQ(repeat.status, 200);
  EXPECT_EQ(repeat.json(), first.json());
  expect_counts(link, 1, 1);
}

TEST_F(conversions_test, a_new_event_id_on_the_same_click_is_a_conversion) {
  auto link = make_split();
  auto click = click_on(link);
  for (auto event : {"e-1", "e-2", "e-3"})
    EXPECT_EQ(
      convert({{"click_id", click.click_id}, {"event_id", event}}).status, 201);
  expect_counts(link, 1, 3);
  // The rate is of clicks that converted.
  EXPECT_EQ(analytics(link).at("conversion_rate").to_number<double>(), 1.0);
  expect_sums_agree(link);
}

TEST_F(conversions_test, event_ids_are_of_one_link) {
  auto first = make_split();
  auto second = make_split();
  for (auto& link : {first, second})
    EXPECT_EQ(
      convert({{"click_id", click_on(link).click_id}, {"event_id", "same"}})
        .status,
      201);
  expect_counts(first, 1, 1);
  expect_counts(second, 1, 1);
}

TEST_F(conversions_test, the_same_event_twenty_times_at_once) {
  auto link = make_split();
  auto click = click_on(link);
  json::value body{{"click_id", click.click_id}, {"event_id", "e"}};
  std::vector<std::thread> threads;
  std::vector<response> answers(20);
  for (auto& answer : answers)
    threads.emplace_back([&] {
      http_client client{service->origin()};
      answer = client.send("POST", conversions_path,
                           {{"X-API-Key", secret_key}}, json::serialize(body));
    });
  for (auto& x : threads)
    x.join();
  int created = 0;
  std::set<std::string> ids;
  for (auto& x : answers) {
    ASSERT_THAT(x.status, testing::AnyOf(200, 201)) << x.body;
    created += x.status == 201;
    ids.insert(text(x.json(), "id"));
  }
  EXPECT_EQ(created, 1);
  EXPECT_EQ(ids.size(), 1u);
  expect_counts(link, 1, 1);
}

TEST_F(conversions_test, a_link_id_alone_is_unattributed) {
  auto link = make_split();
  auto answer = convert({{"link_id", text(link, "id")}});
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_TRUE(answer.json().at("click_id").is_null());
  EXPECT_TRUE(answer.json().at("variant_id").is_null());
  expect_counts(link, 0, 1);
  auto report = analytics(link);
  EXPECT_EQ(number(report, "unattributed_conversions"), 1);
  EXPECT_EQ(report.at("conversion_rate").to_number<double>(), 0);
  expect_sums_agree(link, 1);
}

TEST_F(conversions_test, a_variant_id_gets_the_unattributed_conversion) {
  auto link = make_split();
  auto answer = convert(
    {{"link_id", text(link, "id")}, {"variant_id", variant_id(link, "b")}});
  ASSERT_EQ(answer.status, 201);
  EXPECT_EQ(text(answer.json(), "variant_id"), variant_id(link, "b"));
  EXPECT_TRUE(answer.json().at("click_id").is_null());
  expect_counts(link, 0, 1);
  auto report = analytics(link);
  EXPECT_EQ(number(report, "unattributed_conversions"), 1);
  EXPECT_EQ(
    number(by_label(report.at("variant_performance"), "b"), "conversions"), 1);
  expect_sums_agree(link);
  auto list = get(links_path).json();
  EXPECT_EQ(text(list.at("items").at(0), "top_variant"), "b");
}

TEST_F(conversions_test, unknown_and_foreign_things) {
  auto link = make_split();
  auto other = make_split();
  auto expect_404 = [](const response& x, const std::string& detail) {
    EXPECT_EQ(x.status, 404) << x.body;
    EXPECT_EQ(x.detail(), detail);
  };
  expect_404(convert({{"click_id", unknown_id}}), "Click not found");
  expect_404(convert({{"link_id", unknown_id}}), "Link not found");
  expect_404(convert({{"link_id", text(link, "id")},
                      {"variant_id", variant_id(other, "a")}}),
             "Variant not found");
  // Of another account.
  auto click = click_on(link);
  service->add_user("other@example.com");
  auto key = service->make_key("other@example.com");
  ASSERT_TRUE(
    eventually([&] { return call_as(key, "GET", links_path).status == 200; }));
  expect_404(
    call_as(key, "POST", conversions_path, {{"click_id", click.click_id}}),
    "Click not found");
  expect_404(
    call_as(key, "POST", conversions_path, {{"link_id", text(link, "id")}}),
    "Link not found");
  // Of a deleted link.
  ASSERT_EQ(del(path_of(other)).status, 204);
  expect_404(convert({{"link_id", text(other, "id")}}), "Link not found");
  expect_counts(link, 1, 0);
}

TEST_F(conversions_test, malformed_requests) {
  auto link = make_split();
  auto click = click_on(link);
  expect_error(call("POST", conversions_path, {}, "{}"), 422);
  auto with = [&](const std::string& field, const json::value& value) {
    json::object body{{"click_id", click.click_id}};
    body[field] = value;
    return convert(json::value(body));
  };
  expect_error(with("click_id", "abc"), 422, "click_id");
  expect_error(with("click_id", 5), 422, "click_id");
  expect_error(convert({{"link_id", "abc"}}), 422, "link_id");
  expect_error(convert({{"link_id", text(link, "id")}, {"variant_id", "x"}}),
               422, "variant_id");
  expect_error(with("event_id", ""), 422, "event_id");
  expect_error(with("event_id", json::value(std::string(256, 'x'))), 422,
               "event_id");
  expect_error(with("event_id", 1), 422, "event_id");
  for (auto& value : json::array{"-1", -1, "abc", "", true, "1e", "1,5"})
    expect_error(with("value", value), 422, "value");
  for (auto& value : json::array{"eur", "EURO", "", 978, "ZZQ"})
    expect_error(with("currency", value), 422, "currency");
  for (auto& value : json::array{"yesterday", "", 5, "2026-02-30T00:00:00Z"})
    expect_error(with("occurred_at", value), 422, "occurred_at");
  expect_counts(link, 1, 0);
  EXPECT_EQ(with("event_id", json::value(std::string(255, 'x'))).status, 201);
  for (auto& value : json::array{0, 19.9, "0", "0.01", "1000000"}) {
    auto body = json::value{{"click_id", click.click_id},
                            {"event_id", "v" + json::serialize(value)},
                            {"value", value}};
    EXPECT_EQ(convert(body).status, 201) << value;
  }
}

TEST_F(conversions_test, late_conversions_credit_the_variant_shown) {
  auto link = make_split(100, 0);
  auto click = click_on(link);
  ASSERT_EQ(post(path_of(link, "/promote-winner"),
                 {{"variant_id", variant_id(link, "b")}})
              .status,
            200);
  auto answer = convert({{"click_id", click.click_id}});
  ASSERT_EQ(answer.status, 201);
  EXPECT_EQ(text(answer.json(), "variant_id"), variant_id(link, "a"));
  expect_counts(link, 1, 1);
  auto rows = analytics(link).at("variant_performance");
  EXPECT_EQ(number(by_label(rows, "a"), "conversions"), 1);
  EXPECT_EQ(number(by_label(rows, "b"), "conversions"), 0);
}

TEST_F(conversions_test, they_credit_a_retired_variant) {
  auto link = make_split(100, 0);
  auto click = click_on(link);
  ASSERT_EQ(put(path_of(link, "/variants"),
                json::array{variant_body("b", "https://b.example/", 50),
                            variant_body("c", "https://c.example/", 50)})
              .status,
            200);
  ASSERT_EQ(convert({{"click_id", click.click_id}}).status, 201);
  expect_counts(link, 1, 1);
  auto row = by_label(analytics(link).at("variant_performance"), "a");
  EXPECT_EQ(number(row, "conversions"), 1);
  expect_sums_agree(link);
}

TEST_F(pixel_test, it_is_always_a_small_gif) {
  auto link = make_split();
  json::value unknown{{"id", unknown_id}};
  for (auto& answer :
       {pixel(link), pixel(link, "?click_id=junk"), pixel(unknown),
        pixel(link, "?value=junk&currency=x"),
        send("GET", "/c/not-a-uuid.gif", {{"User-Agent", browser}})}) {
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("content-type"), "image/gif");
    EXPECT_EQ(answer.body.size(), 43u);
    EXPECT_EQ(answer.body.substr(0, 4), "GIF8");
    EXPECT_EQ(answer.header("cache-control"), "no-store");
  }
}

TEST_F(pixel_test, the_cookie_tells_the_click) {
  auto link = make_split();
  auto click = click_on(link, stranger);
  auto answer = pixel(link, "", {{"Cookie", click.header()}});
  EXPECT_EQ(answer.status, 200);
  auto event = newest(link, 1);
  EXPECT_EQ(text(event, "click_id"), click.click_id);
  EXPECT_EQ(text(event, "variant_id"), click.variant_id);
  expect_counts(link, 1, 1);
  // Loading the page again counts nothing.
  pixel(link, "", {{"Cookie", click.header()}});
  pixel(link, "", {{"Cookie", click.header()}});
  expect_conversions(link, 1);
}

TEST_F(pixel_test, an_explicit_click_id_comes_first) {
  auto link = make_split();
  auto first = click_on(link, stranger);
  auto second = click_on(link, stranger);
  pixel(link,
        "?click_id=" + first.click_id + "&event_id=o-1&value=5.00"
          + "&currency=USD",
        {{"Cookie", second.header()}});
  auto event = newest(link, 1);
  EXPECT_EQ(text(event, "click_id"), first.click_id);
  EXPECT_EQ(text(event, "event_id"), "o-1");
  EXPECT_EQ(text(event, "currency"), "USD");
  EXPECT_FALSE(event.at("value").is_null());
}

TEST_F(pixel_test, the_same_visitor_needs_no_cookie) {
  auto link = make_split();
  click_on(link);
  auto newest_click = click_on(link);
  click_on(link, stranger);
  settle();
  pixel(link);
  auto event = newest(link, 1);
  EXPECT_EQ(text(event, "click_id"), newest_click.click_id);
  expect_counts(link, 3, 1);
}

TEST_F(pixel_test, without_a_click_it_counts_nothing) {
  auto link = make_split();
  auto other = make_split();
  auto foreign = click_on(other);
  // Another visitor's click does not match, nor does another link's cookie.
  click_on(link, stranger);
  pixel(link);
  pixel(link, "?event_id=e-1");
  pixel(link, "?click_id=" + unknown_id);
  pixel(link, "", {{"Cookie", foreign.header()}});
  pixel(link, "?click_id=" + foreign.click_id);
  settle();
  expect_counts(link, 1, 0);
  EXPECT_EQ(number(analytics(link), "unattributed_conversions"), 0);
  expect_counts(other, 1, 0);
}

TEST_F(pixel_test, event_ids_repeat_without_counting) {
  auto link = make_split();
  auto click = click_on(link);
  for (int i = 0; i < 3; ++i)
    for (auto event : {"e-1", "e-2"})
      pixel(link, std::string{"?event_id="} + event,
            {{"Cookie", click.header()}});
  expect_counts(link, 1, 2);
}

TEST_F(pixel_test, a_pixel_is_no_click) {
  auto link = make_split();
  auto click = click_on(link);
  for (int i = 0; i < 5; ++i)
    pixel(link, "", {{"Cookie", click.header()}});
  expect_counts(link, 1, 1);
}

TEST_F(pixel_test, the_script_calls_the_pixel) {
  auto answer = send("GET", "/c.js", {{"User-Agent", browser}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.header("content-type"), HasSubstr("javascript"));
  EXPECT_THAT(answer.body, HasSubstr("svc"));
  EXPECT_THAT(answer.body, HasSubstr("convert"));
  EXPECT_THAT(answer.body, HasSubstr(".gif"));
  auto again = send("GET", "/c.js", {{"If-None-Match", answer.header("etag")}});
  EXPECT_EQ(again.status, 304);
  // The connection is in step.
  EXPECT_EQ(send("GET", "/robots.txt").status, 200);
}

TEST_F(pixel_test, a_redirecting_conversion) {
  auto link
    = make_link({{"name", "x"},
                 {"variants", two_variants()},
                 {"conversion_redirect_url", "https://thanks.example/"}});
  auto click = click_on(link, stranger);
  auto path = "/c/" + text(link, "id");
  header_list with_cookie{{"User-Agent", browser}, {"Cookie", click.header()}};
  // Looking is not converting.
  EXPECT_EQ(send("HEAD", path, with_cookie).status, 302);
  settle();
  expect_counts(link, 1, 0);
  auto answer = send("GET", path, with_cookie);
  EXPECT_EQ(answer.status, 302);
  EXPECT_EQ(answer.header("location"), "https://thanks.example/");
  EXPECT_EQ(answer.header("cache-control"), "no-store");
  expect_counts(link, 1, 1);
  // Without a click: the same redirect, nothing counted.
  answer = send("GET", path, {{"User-Agent", browser}});
  EXPECT_EQ(answer.status, 302);
  settle();
  expect_counts(link, 1, 1);
  // Without an address to go to.
  auto plain = make_split();
  EXPECT_EQ(
    send("GET", "/c/" + text(plain, "id"), {{"User-Agent", browser}}).status,
    404);
  EXPECT_EQ(send("GET", "/c/" + unknown_id, {{"User-Agent", browser}}).status,
            404);
}

TEST_F(pixel_test, a_redirecting_conversion_of_a_link_that_changes) {
  auto link = make_link({{"name", "x"},
                         {"variants", two_variants(100, 0)},
                         {"conversion_redirect_url", "https://t.example/1"}});
  auto path = "/c/" + text(link, "id");
  auto click = click_on(link, stranger);
  header_list headers{{"User-Agent", browser}, {"Cookie", click.header()}};
  ASSERT_EQ(
    put(path_of(link), {{"is_active", false},
                        {"conversion_redirect_url", "https://t.example/2"}})
      .status,
    200);
  // Visitors of a paused link may still be on their way.
  auto answer = send("GET", path, headers);
  EXPECT_EQ(answer.status, 302);
  EXPECT_EQ(answer.header("location"), "https://t.example/2");
  expect_counts(link, 1, 1);
  service->restart();
  EXPECT_EQ(send("GET", path, headers).status, 302);
  ASSERT_EQ(del(path_of(link)).status, 204);
  EXPECT_EQ(send("GET", path, headers).status, 404);
}

TEST_F(conversions_test, a_server_call_by_the_visitor_finds_its_click) {
  auto by_visitor = make_split();
  auto click = click_on(by_visitor);
  auto as_visitor = [&](const json::value& link, header_list headers) {
    headers.emplace_back("User-Agent", browser);
    auto answer
      = post(conversions_path, {{"link_id", text(link, "id")}}, headers);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json();
  };
  EXPECT_EQ(text(as_visitor(by_visitor, {}), "click_id"), click.click_id);
  expect_counts(by_visitor, 1, 1);
  // The cookie comes first.
  auto by_cookie = make_split();
  click = click_on(by_cookie, stranger);
  click_on(by_cookie);
  auto conversion = as_visitor(by_cookie, {{"Cookie", click.header()}});
  EXPECT_EQ(text(conversion, "click_id"), click.click_id);
  EXPECT_EQ(text(conversion, "variant_id"), click.variant_id);
  // One that names no click is none.
  auto forged = make_split();
  conversion = as_visitor(
    forged, {{"Cookie", "svc_v_" + text(forged, "id") + "="
                          + variant_id(forged, "a") + "." + unknown_id}});
  EXPECT_TRUE(conversion.at("click_id").is_null());
  expect_counts(forged, 0, 1);
}

TEST_F(pixel_test, server_call_and_pixel_share_the_one_conversion) {
  auto link = make_split();
  auto click = click_on(link);
  ASSERT_EQ(convert({{"click_id", click.click_id}}).status, 201);
  pixel(link, "", {{"Cookie", click.header()}});
  pixel(link);
  settle();
  expect_counts(link, 1, 1);
}

namespace {

/// The drain sleeps for a minute, so that clicks stay in the journal.
class slow_drain_test : public conversions_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "60000"}};
  }

  void drain_now() {
    service->set("TURNOUT_JOURNAL_DRAIN_INTERVAL_MS", "50");
    service->restart();
  }
};

} // namespace

TEST_F(slow_drain_test, a_click_in_the_journal_converts_by_its_id) {
  auto link = make_split();
  auto click = click_on(link);
  auto answer = convert({{"click_id", click.click_id}, {"event_id", "e"}});
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(text(answer.json(), "variant_id"), click.variant_id);
  auto repeat = convert({{"click_id", click.click_id}, {"event_id", "e"}});
  EXPECT_EQ(repeat.status, 200);
  drain_now();
  expect_counts(link, 1, 1);
  EXPECT_EQ(clicks(link).at("items").at(0).at("is_conversion"), true);
  expect_sums_agree(link);
}

TEST_F(slow_drain_test, a_click_in_the_journal_converts_by_pixel) {
  auto by_cookie = make_split();
  auto by_visitor = make_split();
  auto click = click_on(by_cookie, stranger);
  pixel(by_cookie, "", {{"Cookie", click.header()}});
  click_on(by_visitor);
  pixel(by_visitor);
  drain_now();
  expect_counts(by_cookie, 1, 1);
  expect_counts(by_visitor, 1, 1);
}

TEST_F(slow_drain_test, a_click_in_the_journal_is_found_by_its_visitor) {
  auto link = make_split();
  auto click = click_on(link);
  auto answer = post(conversions_path, {{"link_id", text(link, "id")}},
                     {{"Cookie", click.header()}});
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(text(answer.json(), "click_id"), click.click_id);
  auto other = make_split();
  click = click_on(other);
  answer = post(conversions_path, {{"link_id", text(other, "id")}},
                {{"User-Agent", browser}});
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(text(answer.json(), "click_id"), click.click_id);
  drain_now();
  expect_counts(link, 1, 1);
  expect_counts(other, 1, 1);
}

TEST_F(slow_drain_test, an_unknown_click_is_still_unknown) {
  auto link = make_split();
  click_on(link);
  auto answer = convert({{"click_id", unknown_id}});
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.detail(), "Click not found");
}
