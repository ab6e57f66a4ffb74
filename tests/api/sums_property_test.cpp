#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/clock.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

using namespace turnout::test;

// Random operations over several days, with restarts and kills of the process:
// each way to ask for a number must agree with a simple model.

namespace {

/// A visitor: clicks of one visitor and day are told by these.
struct visitor {
  std::string address;
  std::string agent;

  auto operator<=>(const visitor&) const = default;
};

struct model_click {
  std::string variant_id;
  visitor who;
  bool converted = false;
};

struct model_link {
  json::value link;
  std::map<std::string, std::string> ids_by_label;
  std::map<std::string, int> weights;
  std::map<std::string, model_click> clicks;
  std::map<std::string, int64_t> excluded;
  /// By variant id; "" for those that name none.
  std::map<std::string, int64_t> conversions;
  int64_t unattributed = 0;
  /// Newest click of a visitor in this stage.
  std::map<visitor, std::string> newest;
  /// Clicks that pixels convert, and those that server calls do. Apart, as
  /// what becomes of both on one click depends on which is stored first.
  std::vector<std::string> for_pixels;
  std::vector<std::string> for_calls;
  sticky cookie;
};

/// One row of the export by its field names.
using csv_row = std::map<std::string, std::string>;

/// Reads a file as RFC 4180 has it.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> result;
  std::vector<std::string> row(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      row.back() += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      row.emplace_back();
    else if (!quoted && c == '\r' && i + 1 < text.size() && text[i + 1] == '\n')
      result.push_back(std::exchange(row, std::vector<std::string>(1))), ++i;
    else
      row.back() += c;
  }
  EXPECT_EQ(row, std::vector<std::string>(1)) << "the last line has no end";
  return result;
}

class sums_property_test : public api_test {
protected:
  environment settings() const override {
    return clock_ahead(-5);
  }

  int pick(int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  }

  template <class T>
  const T& one_of(const std::vector<T>& xs) {
    return xs[static_cast<size_t>(pick(static_cast<int>(xs.size())))];
  }

  /// Goes on at another day.
  void move_to(int days) {
    ASSERT_EQ(service->stop(), 0);
    service->set("CLOCK_SHIFT_SECONDS", std::to_string(days * 86'400));
    service->start();
    for (auto& x : links) {
      x.newest.clear();
      x.cookie = {};
    }
  }

  void add_link() {
    auto& x = links.emplace_back();
    x.link = make_link({{"name", "x"},
                        {"variants", two_variants()},
                        {"conversion_redirect_url", "https://t.example/"}});
    learn(x, x.link);
  }

  /// Takes ids and weights over from an answer; ids of labels never change.
  void learn(model_link& x, const json::value& link) {
    x.weights.clear();
    for (auto& v : link.at("variants").as_array()) {
      auto label = text(v, "label");
      auto [i, is_new] = x.ids_by_label.try_emplace(label, text(v, "id"));
      EXPECT_EQ(i->second, text(v, "id")) << label;
      x.weights[i->second] = static_cast<int>(number(v, "weight"));
    }
  }

  void visit_link(model_link& x) {
    visitor who{one_of(addresses), one_of(agents)};
    auto for_pixel = who.agent == agents[0];
    header_list headers{{"X-Forwarded-For", who.address},
                        {"User-Agent", who.agent}};
    if (pick(2) == 0)
      headers.emplace_back("Referer", one_of(referrers));
    if (pick(4) == 0 && !x.cookie.name.empty())
      headers.emplace_back("Cookie", x.cookie.header());
    auto answer = visit(text(x.link, "slug"), headers);
    ASSERT_EQ(answer.status, 302);
    x.cookie = sticky_cookie(answer);
    EXPECT_GT(x.weights[x.cookie.variant_id], 0);
    x.clicks[x.cookie.click_id] = {x.cookie.variant_id, who, false};
    x.newest[who] = x.cookie.click_id;
    (for_pixel ? x.for_pixels : x.for_calls).push_back(x.cookie.click_id);
    // Clicks of one millisecond have no order of their own.
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }

  void visit_excluded(model_link& x) {
    auto slug = text(x.link, "slug");
    switch (pick(4)) {
      case 0:
        EXPECT_EQ(send("HEAD", "/" + slug, {{"User-Agent", browser}}).status,
                  302);
        ++x.excluded["head"];
        break;
      case 1:
        EXPECT_EQ(visit(slug, {{"Sec-Purpose", "prefetch"}}).status, 302);
        ++x.excluded["prefetch"];
        break;
      case 2:
        EXPECT_EQ(visit(slug, {{"User-Agent", "WhatsApp/2.23.20.0"}}).status,
                  302);
        ++x.excluded["preview"];
        break;
      default:
        EXPECT_EQ(
          visit(slug, {{"User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1; "
                                      "+http://www.google.com/bot.html)"}})
            .status,
          302);
        ++x.excluded["crawler"];
    }
  }

  void converted(model_link& x, const std::string& click_id, bool new_event) {
    auto& click = x.clicks.at(click_id);
    if (click.converted && !new_event)
      return;
    click.converted = true;
    ++x.conversions[click.variant_id];
  }

  /// A conversion by the browser that clicked, in one of the ways it has.
  void convert_by_browser(model_link& x) {
    if (x.for_pixels.empty())
      return;
    auto click_id = one_of(x.for_pixels);
    auto& who = x.clicks.at(click_id).who;
    auto path = "/c/" + text(x.link, "id");
    header_list headers{{"User-Agent", browser}};
    switch (pick(4)) {
      case 0:
        send("GET", path + ".gif?click_id=" + click_id, headers);
        break;
      case 1:
      case 2: {
        headers.emplace_back("Cookie", "svc_v_" + text(x.link, "id") + "="
                                         + unknown_id + "." + click_id);
        if (pick(2) == 0) {
          EXPECT_EQ(send("GET", path, headers).status, 302);
        } else {
          send("GET", path + ".gif", headers);
        }
        break;
      }
      default: {
        auto newest = x.newest.find(who);
        if (newest == x.newest.end())
          return;
        click_id = newest->second;
        send("GET", path + ".gif",
             {{"User-Agent", who.agent}, {"X-Forwarded-For", who.address}});
      }
    }
    converted(x, click_id, false);
  }

  void convert_by_call(model_link& x) {
    if (x.for_calls.empty())
      return;
    auto click_id = one_of(x.for_calls);
    json::object body{{"click_id", click_id}};
    auto with_event = pick(3) == 0;
    if (with_event)
      body["event_id"] = "event-" + std::to_string(++events);
    auto is_new = with_event || !x.clicks.at(click_id).converted;
    EXPECT_EQ(post(conversions_path, json::value(body)).status,
              is_new ? 201 : 200);
    converted(x, click_id, with_event);
  }

  void convert_without_click(model_link& x) {
    json::object body{{"link_id", text(x.link, "id")}};
    std::string variant;
    if (pick(2) == 0)
      body["variant_id"] = variant = one_of(
        std::vector<std::string>{x.ids_by_label["a"], x.ids_by_label["b"]});
    EXPECT_EQ(post(conversions_path, json::value(body)).status, 201);
    ++x.conversions[variant];
    ++x.unattributed;
    // Nobody's pixel counts nothing.
    send("GET", "/c/" + text(x.link, "id") + ".gif",
         {{"User-Agent", "nobody"}, {"X-Forwarded-For", "203.0.113.9"}});
  }

  void change_variants(model_link& x) {
    json::array set;
    auto left = 100;
    const auto& labels = one_of(label_sets);
    for (size_t i = 0; i < labels.size(); ++i) {
      auto weight = i + 1 == labels.size() ? left : pick(left + 1);
      left -= weight;
      set.push_back(
        variant_body(labels[i], "https://" + labels[i] + ".example/", weight));
    }
    auto answer = put(path_of(x.link, "/variants"), set);
    ASSERT_EQ(answer.status, 200) << answer.body;
    learn(x, answer.json());
  }

  void promote(model_link& x) {
    auto i = x.weights.begin();
    std::advance(i, pick(static_cast<int>(x.weights.size())));
    auto answer
      = post(path_of(x.link, "/promote-winner"), {{"variant_id", i->first}});
    ASSERT_EQ(answer.status, 200) << answer.body;
    learn(x, answer.json());
  }

  void pause(model_link& x) {
    ASSERT_EQ(put(path_of(x.link), {{"is_active", false}}).status, 200);
    EXPECT_EQ(visit(text(x.link, "slug")).status, 404);
    ASSERT_EQ(put(path_of(x.link), {{"is_active", true}}).status, 200);
  }

  void step() {
    auto& x = links[static_cast<size_t>(pick(static_cast<int>(links.size())))];
    switch (auto n = pick(50)) {
      case 0:
        return service->restart();
      case 1:
        service->kill();
        return service->start();
      case 2:
        return pause(x);
      case 3:
      case 4:
        return change_variants(x);
      case 5:
        return promote(x);
      default:
        if (n < 11)
          visit_excluded(x);
        else if (n < 14)
          convert_without_click(x);
        else if (n < 20)
          convert_by_call(x);
        else if (n < 26)
          convert_by_browser(x);
        else
          visit_link(x);
    }
  }

  std::vector<csv_row> read_csv(const json::value& link,
                                const std::string& query = {}) {
    auto answer = get(path_of(link, "/clicks.csv") + query);
    EXPECT_EQ(answer.status, 200) << answer.body;
    auto lines = parse_csv(answer.body);
    std::vector<csv_row> result;
    for (size_t i = 1; i < lines.size(); ++i) {
      EXPECT_EQ(lines[i].size(), lines[0].size());
      auto& row = result.emplace_back();
      for (size_t j = 0; j < lines[i].size(); ++j)
        row[lines[0][j]] = lines[i][j];
    }
    return result;
  }

  /// Compares all that the service tells of a link with the model.
  void check(model_link& x) {
    int64_t all = 0;
    for (auto& [id, n] : x.conversions)
      all += n;
    expect_counts(x.link, static_cast<int64_t>(x.clicks.size()), all);
    expect_sums_agree(x.link, x.conversions[""]);
    auto report = analytics(x.link);
    EXPECT_EQ(number(report, "unattributed_conversions"), x.unattributed);
    for (auto reason : {"head", "prefetch", "preview", "crawler"})
      EXPECT_EQ(number(report.at("excluded"), reason), x.excluded[reason])
        << reason;
    for (auto& row : report.at("variant_performance").as_array()) {
      auto id = text(row, "variant_id");
      SCOPED_TRACE("variant " + text(row, "label"));
      int64_t shown = 0;
      int64_t converted = 0;
      for (auto& [click_id, click] : x.clicks)
        if (click.variant_id == id) {
          ++shown;
          converted += click.converted;
        }
      EXPECT_EQ(number(row, "clicks"), shown);
      EXPECT_EQ(number(row, "conversions"), x.conversions[id]);
      EXPECT_EQ(row.at("retired").as_bool(), !x.weights.contains(id));
      EXPECT_NEAR(row.at("conversion_rate").to_number<double>()
                    * static_cast<double>(shown),
                  static_cast<double>(converted), 1e-6);
    }
    check_rows(x, report);
  }

  /// Compares the export, and what it says of days, visitors and countries.
  void check_rows(model_link& x, const json::value& report) {
    auto rows = read_csv(x.link);
    std::map<std::string, int64_t> by_day;
    std::set<std::pair<std::string, visitor>> visitors;
    std::set<std::string> ids;
    std::string last = "~";
    for (auto& row : rows) {
      auto click = x.clicks.find(row["id"]);
      ASSERT_NE(click, x.clicks.end()) << row["id"];
      EXPECT_LT(row["id"], last) << "newest first";
      last = row["id"];
      ids.insert(last);
      EXPECT_EQ(row["link_id"], text(x.link, "id"));
      EXPECT_EQ(row["variant_id"], click->second.variant_id);
      EXPECT_EQ(row["user_agent"], click->second.who.agent);
      EXPECT_EQ(row["is_conversion"],
                click->second.converted ? "true" : "false");
      auto date = row["created_at"].substr(0, 10);
      ++by_day[date];
      visitors.emplace(date, click->second.who);
    }
    EXPECT_EQ(ids.size(), rows.size());
    EXPECT_EQ(x.clicks.size() - rows.size(), x_purged[text(x.link, "id")]);
    for (auto& day : report.at("daily_stats").as_array()) {
      auto date = text(day, "date");
      if (date >= x_kept_from) {
        EXPECT_EQ(number(day, "clicks"), by_day[date]) << date;
      }
    }
    // Visitors of purged days are remembered as a number.
    auto uniques = number(report, "unique_visitors");
    if (x_kept_from.empty()) {
      EXPECT_EQ(uniques, static_cast<int64_t>(visitors.size()));
      x_uniques[text(x.link, "id")] = uniques;
    } else {
      EXPECT_GE(uniques, x_uniques[text(x.link, "id")]);
    }
  }

  void check_all() {
    settle();
    for (size_t i = 0; i < links.size(); ++i) {
      SCOPED_TRACE("link " + std::to_string(i));
      check(links[i]);
    }
    auto verify = service->run({"verify"});
    EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
  }

  void run_steps(int n) {
    for (int i = 0; i < n && !HasFatalFailure(); ++i)
      step();
  }

  /// Purges what is older than a day, and learns how much that is.
  void purge(const std::string& before) {
    x_kept_from = before;
    size_t sum = 0;
    for (auto& x : links) {
      size_t n = 0;
      for (auto& row : read_csv(x.link))
        n += row["created_at"].substr(0, 10) < before;
      x_purged[text(x.link, "id")] = n;
      sum += n;
    }
    EXPECT_GT(sum, 0u);
    auto result = service->run({"purge", "--before", before});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out.substr(0, result.out.find(' ')), std::to_string(sum));
    // What is gone converts no more.
    for (auto& x : links) {
      std::set<std::string> kept;
      for (auto& row : read_csv(x.link))
        kept.insert(row["id"]);
      auto is_gone = [&](const std::string& id) { return !kept.contains(id); };
      for (auto& id : x.for_calls)
        if (is_gone(id)) {
          EXPECT_EQ(
            post(conversions_path, {{"click_id", id}, {"event_id", "late"}})
              .status,
            404);
          break;
        }
      std::erase_if(x.for_calls, is_gone);
      std::erase_if(x.for_pixels, is_gone);
    }
  }

  std::mt19937 random;
  std::vector<model_link> links;
  int events = 0;

  const std::vector<std::string> addresses{
    "193.0.6.139", "171.64.1.1", "133.11.1.1", "10.0.0.1", "2003:0:1::1"};
  const std::vector<std::string> agents{
    browser,
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) "
    "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 "
    "Safari/604.1",
    "curl/8.1.2, \"quoted\"", ""};
  const std::vector<std::string> referrers{"https://a.example/",
                                           "https://www.b.example/x", "junk"};
  const std::vector<std::vector<std::string>> label_sets{
    {"a", "b"}, {"b", "c"}, {"c", "a", "d"}};

private:
  std::map<std::string, size_t> x_purged;
  std::map<std::string, int64_t> x_uniques;
  /// First day with single clicks; empty before the purge.
  std::string x_kept_from;
};

} // namespace

TEST_F(sums_property_test, everything_agrees_with_a_model) {
  auto given = std::getenv("TURNOUT_TEST_SEED");
  auto seed = given != nullptr ? std::stoul(given) : std::random_device{}();
  SCOPED_TRACE("TURNOUT_TEST_SEED=" + std::to_string(seed));
  GTEST_LOG_(INFO) << "TURNOUT_TEST_SEED=" << seed;
  random.seed(static_cast<unsigned>(seed));
  auto before = day(-3);
  for (int i = 0; i < 2; ++i)
    add_link();
  // At least one click of each link on the first day.
  for (auto& x : links)
    visit_link(x);
  run_steps(80);
  move_to(-2);
  run_steps(80);
  check_all();
  move_to(0);
  run_steps(60);
  check_all();
  purge(before);
  check_all();
  run_steps(60);
  check_all();
  service->restart();
  check_all();
}
