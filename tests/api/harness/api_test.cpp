#include "tests/api/harness/api_test.hpp"

#include <chrono>
#include <ostream>
#include <stdexcept>
#include <thread>

namespace turnout::test {

std::ostream& operator<<(std::ostream& out, const counts& x) {
  return out << "list " << x.list_clicks << "/" << x.list_conversions
             << ", analytics " << x.analytics_clicks << "/"
             << x.analytics_conversions << ", click list "
             << x.click_list_total;
}

json::array one_destination(const std::string& url) {
  return {variant_body("a", url, 100),
          variant_body("b", "https://never.example/", 0)};
}

json::array two_variants(int weight_a, int weight_b) {
  return {variant_body("a", "https://a.example/", weight_a),
          variant_body("b", "https://b.example/", weight_b)};
}

json::object variant_body(const std::string& label, const std::string& url,
                          const json::value& weight) {
  return {{"label", label}, {"destination_url", url}, {"weight", weight}};
}

std::string text(const json::value& x, const std::string& name) {
  return std::string{x.at(name).as_string()};
}

int64_t number(const json::value& x, const std::string& name) {
  return x.at(name).as_int64();
}

json::object by_label(const json::value& variants, const std::string& label) {
  for (auto& x : variants.as_array())
    if (text(x, "label") == label)
      return x.as_object();
  throw std::runtime_error("no variant " + label + " in "
                           + json::serialize(variants));
}

std::string variant_id(const json::value& link, const std::string& label) {
  return text(by_label(link.at("variants"), label), "id");
}

std::string day(int offset) {
  using namespace std::chrono;
  constexpr auto one_day = hours{24};
  auto left = one_day - system_clock::now().time_since_epoch() % one_day;
  if (left < seconds{30})
    std::this_thread::sleep_for(left + seconds{1});
  auto date = year_month_day{floor<days>(system_clock::now()) + days{offset}};
  char buf[16];
  std::snprintf(buf, sizeof(buf), "%04d-%02u-%02u",
                static_cast<int>(date.year()) % 10000,
                static_cast<unsigned>(date.month()) % 100,
                static_cast<unsigned>(date.day()) % 100);
  return buf;
}

sticky sticky_cookie(const response& x) {
  for (auto& value : x.all("set-cookie")) {
    if (value.rfind("svc_v_", 0) != 0)
      continue;
    auto pair = value.substr(0, value.find(';'));
    auto equals = pair.find('=');
    auto dot = pair.find('.', equals);
    if (equals == std::string::npos || dot == std::string::npos)
      break;
    return {pair.substr(0, equals), pair.substr(equals + 1, dot - equals - 1),
            pair.substr(dot + 1)};
  }
  throw std::runtime_error("an answer " + std::to_string(x.status)
                           + " sets no sticky cookie");
}

void api_test::SetUp() {
  service = std::make_unique<server>(settings());
  service->start();
  owner_id = service->add_user(owner_email);
  secret_key = service->make_key(owner_email);
  // A key made by the command line is known to the process within 1 s.
  if (!eventually([this] { return get(links_path).status == 200; }))
    throw std::runtime_error("the new key is not accepted");
}

void api_test::TearDown() {
  if (HasFailure() && service)
    GTEST_LOG_(INFO) << "stderr of the service:\n"
                     << service->errors().substr(0, 4000);
}

response api_test::call(const std::string& method, const std::string& path,
                        const header_list& headers, const std::string& body) {
  auto all = headers;
  all.emplace_back("X-API-Key", secret_key);
  return send(method, path, all, body);
}

response api_test::post(const std::string& path, const json::value& body,
                        const header_list& headers) {
  return call("POST", path, headers, json::serialize(body));
}

response api_test::put(const std::string& path, const json::value& body) {
  return call("PUT", path, {}, json::serialize(body));
}

response api_test::call_as(const std::string& key, const std::string& method,
                           const std::string& path, const json::value& body) {
  return send(method, path, {{"X-API-Key", key}},
              body.is_null() ? std::string{} : json::serialize(body));
}

response api_test::send(const std::string& method, const std::string& path,
                        const header_list& headers, const std::string& body) {
  return client().send(method, path, headers, body);
}

json::value api_test::make_link(const json::value& body) {
  auto answer = post(links_path, body);
  if (answer.status != 201)
    throw std::runtime_error("creating a link answers "
                             + std::to_string(answer.status) + " "
                             + answer.body.substr(0, 300));
  return answer.json();
}

json::value api_test::make_split(int weight_a, int weight_b) {
  return make_link(
    {{"name", "split"}, {"variants", two_variants(weight_a, weight_b)}});
}

json::value api_test::make_single(const std::string& slug,
                                  const std::string& url) {
  return make_link(
    {{"name", "single"}, {"slug", slug}, {"variants", one_destination(url)}});
}

response api_test::visit(const std::string& slug, header_list headers) {
  bool has_agent = false;
  for (auto& [name, value] : headers)
    has_agent = has_agent || name == "User-Agent";
  if (!has_agent)
    headers.emplace_back("User-Agent", browser);
  return send("GET", "/" + slug, headers);
}

std::map<std::string, int> api_test::visit_many(const std::string& slug, int n,
                                                const header_list& headers) {
  std::map<std::string, int> result;
  for (int i = 0; i < n; ++i) {
    auto answer = visit(slug, headers);
    if (answer.status != 302)
      throw std::runtime_error("visit " + std::to_string(i) + " answers "
                               + std::to_string(answer.status));
    ++result[answer.header("location")];
  }
  return result;
}

counts api_test::counts_of(const json::value& link) {
  counts result;
  auto id = text(link, "id");
  bool listed = false;
  for (int page = 1; !listed; ++page) {
    auto answer
      = get(links_path + "?per_page=100&page=" + std::to_string(page));
    auto items = answer.json().at("items").as_array();
    for (auto& item : items) {
      if (text(item, "id") == id) {
        result.list_clicks = number(item, "total_clicks");
        result.list_conversions = number(item, "total_conversions");
        listed = true;
      }
    }
    if (items.size() < 100 && !listed)
      throw std::runtime_error("link " + id + " is not listed");
  }
  auto report = analytics(link);
  result.analytics_clicks = number(report, "total_clicks");
  result.analytics_conversions = number(report, "total_conversions");
  result.click_list_total = number(clicks(link), "total");
  return result;
}

void api_test::expect_counts(const json::value& link, int64_t clicks,
                             int64_t conversions) {
  counts expected{clicks, conversions, clicks, conversions, clicks};
  auto last = eventually_equal(expected, [&] { return counts_of(link); });
  EXPECT_EQ(last, expected);
  if (last != expected)
    return;
  std::this_thread::sleep_for(std::chrono::milliseconds{150});
  EXPECT_EQ(counts_of(link), expected) << "counts went on";
}

void api_test::expect_no_counts(const json::value& link) {
  settle();
  expect_counts(link, 0);
}

void api_test::settle() {
  auto marker = make_split();
  if (visit(text(marker, "slug")).status != 302)
    throw std::runtime_error("the marker link does not redirect");
  if (!eventually([&] { return counts_of(marker).analytics_clicks == 1; }))
    throw std::runtime_error("a visit does not reach the store");
}

json::value api_test::analytics(const json::value& link,
                                const std::string& query) {
  auto answer = get(path_of(link, "/analytics") + query);
  if (answer.status != 200)
    throw std::runtime_error("analytics" + query + " answers "
                             + std::to_string(answer.status) + " "
                             + answer.body.substr(0, 300));
  return answer.json();
}

json::value api_test::clicks(const json::value& link,
                             const std::string& query) {
  auto answer = get(path_of(link, "/clicks") + query);
  if (answer.status != 200)
    throw std::runtime_error("clicks" + query + " answers "
                             + std::to_string(answer.status) + " "
                             + answer.body.substr(0, 300));
  return answer.json();
}

void api_test::expect_sums_agree(const json::value& link, int64_t nameless) {
  auto report = analytics(link);
  auto all_clicks = number(report, "total_clicks");
  auto all_conversions = number(report, "total_conversions");
  auto sum = [&](const char* name, const char* member) {
    int64_t result = 0;
    for (auto& row : report.at(name).as_array())
      result += number(row, member);
    return result;
  };
  EXPECT_EQ(sum("daily_stats", "clicks"), all_clicks);
  EXPECT_EQ(sum("daily_stats", "conversions"), all_conversions);
  EXPECT_EQ(sum("variant_performance", "clicks"), all_clicks);
  EXPECT_EQ(sum("variant_performance", "conversions") + nameless,
            all_conversions);
  for (auto name : {"top_countries", "top_referrers", "top_browsers",
                    "top_devices", "top_operating_systems"}) {
    if (report.at(name).as_array().size() < 10) {
      EXPECT_EQ(sum(name, "clicks"), all_clicks) << name;
      EXPECT_EQ(sum(name, "conversions"), all_conversions) << name;
    }
  }
  counts expected{all_clicks, all_conversions, all_clicks, all_conversions,
                  all_clicks};
  EXPECT_EQ(counts_of(link), expected);
}

int64_t api_test::total_links() {
  return number(get(links_path).json(), "total");
}

http_client& api_test::client() {
  // The origin changes with every start of the service.
  if (!x_client || x_client_origin != service->origin()) {
    x_client_origin = service->origin();
    x_client = std::make_unique<http_client>(x_client_origin);
  }
  return *x_client;
}

std::string path_of(const json::value& link, const std::string& rest) {
  return links_path + "/" + text(link, "id") + rest;
}

void expect_error(const response& x, int status, const std::string& word) {
  EXPECT_EQ(x.status, status) << x.body.substr(0, 300);
  if (x.status != status)
    return;
  EXPECT_THAT(x.detail(), testing::HasSubstr(word));
}

} // namespace turnout::test
