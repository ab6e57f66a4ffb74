#include "tests/api/harness/api_test.hpp"

#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

using namespace turnout::test;

namespace {

/// What every operation may answer, mutated or not: no fault of ours is among
/// them. The description of the API says for each operation which of these; the
/// check after all tests looks at that.
const std::set<int> allowed{200, 201, 204, 302, 400, 401, 403, 404,
                            405, 409, 413, 415, 422, 429, 431};

struct valid_request {
  std::string method;
  std::string path;
  json::value body;
};

/// Draws everything from one seed.
class mutator {
public:
  explicit mutator(uint64_t seed) : x_engine{seed} {
    // nop
  }

  size_t below(size_t n) {
    return std::uniform_int_distribution<size_t>{0, n - 1}(x_engine);
  }

  bool one_in(size_t n) {
    return below(n) == 0;
  }

  template <class Container>
  const auto& pick(const Container& xs) {
    return xs[below(xs.size())];
  }

  /// Changes one place of a JSON value.
  void change(json::value& x) {
    if (auto object = x.if_object(); object && !object->empty() && !one_in(6)) {
      auto i = object->begin();
      std::advance(i, below(object->size()));
      std::string name{i->key()};
      switch (below(4)) {
        case 0:
          object->erase(name);
          return;
        case 1:
          (*object)[odd_text()] = odd_value();
          return;
        default:
          return change((*object)[name]);
      }
    }
    if (auto array = x.if_array(); array && !array->empty() && !one_in(4)) {
      switch (below(4)) {
        case 0:
          array->erase(array->begin());
          return;
        case 1:
          array->push_back(array->at(below(array->size())));
          return;
        default:
          return change(array->at(below(array->size())));
      }
    }
    x = odd_value();
  }

  /// Changes some bytes of a text.
  void garble(std::string& x) {
    for (auto n = below(4) + 1; n > 0; --n) {
      auto pos = below(x.size() + 1);
      switch (below(4)) {
        case 0:
          x.insert(pos, 1, static_cast<char>(below(256)));
          break;
        case 1:
          x.erase(pos, below(8));
          break;
        case 2:
          x.insert(pos, pick(fragments));
          break;
        default:
          if (pos < x.size())
            x[pos] = static_cast<char>(below(256));
      }
    }
  }

  /// Changes a path with query, so that it stays one line without spaces.
  void garble_path(std::string& x) {
    static const std::vector<std::string> parts{
      "%",
      "%00",
      "%2F",
      "%2e%2e",
      "/",
      "//",
      "..",
      "?",
      "&",
      "=",
      "page=",
      "per_page=0",
      "?page=-1",
      "?start_date=2026-02-30",
      "?from_date=x",
      "?end_date=9999-12-31T23:59:59.999Z",
      "%FF%FE",
      "+",
      "*",
      "{id}",
      "'",
      "\xC3\xA9",
      ";",
      ":",
      "@",
      "0",
      "zz",
      "?page=99999999999999999999"};
    auto n = below(3) + 1;
    for (; n > 0; --n) {
      auto pos = 1 + below(x.size());
      switch (below(3)) {
        case 0:
          x.insert(pos, pick(parts));
          break;
        case 1:
          x.erase(pos, below(6));
          break;
        default:
          x += pick(parts);
      }
    }
  }

  std::string odd_text() {
    static const std::vector<std::string> texts{
      "",
      " ",
      "x",
      "/",
      "..",
      "null",
      "\t",
      "\x7F",
      "\xF0\x9F\x98\x80",
      "e\xCC\x81",
      "\xE2\x80\xAE",
      "'; DROP TABLE links; --",
      "%00",
      "${7*7}",
      "<script>",
      "javascript:alert(1)",
      "https://a.example/",
      "http://[::1",
      "geo",
      "ab_test",
      "default",
      "a",
      "b",
      "DE",
      "2026-11-27",
      "01890000-0000-7000-8000-000000000000",
      "9007199254740993",
      "-0",
      "1e999",
      std::string(51, 'l'),
      std::string(101, 'n'),
      std::string(2049, 'u'),
      std::string(70000, 'x')};
    return pick(texts);
  }

  json::value odd_value() {
    switch (below(10)) {
      case 0:
        return nullptr;
      case 1:
        return one_in(2);
      case 2:
        return static_cast<int64_t>(below(300)) - 100;
      case 3:
        return std::numeric_limits<int64_t>::min();
      case 4:
        return std::numeric_limits<uint64_t>::max();
      case 5:
        return 0.1 * static_cast<double>(below(1000));
      case 6:
        return json::array(below(8), json::value(odd_text()));
      case 7: {
        json::value nested = 1;
        for (auto n = below(40); n > 0; --n)
          nested = json::array{nested};
        return nested;
      }
      case 8:
        return json::object{{odd_text(), odd_text()}};
      default:
        return json::value(odd_text());
    }
  }

private:
  const std::vector<std::string> fragments{"\"",
                                           "\\",
                                           "{",
                                           "}",
                                           "[",
                                           "]",
                                           ",",
                                           ":",
                                           "null",
                                           "1e400",
                                           "\\u0000",
                                           "\\ud800",
                                           "\"a\":1,\"a\":2",
                                           "//",
                                           "\xEF\xBB\xBF",
                                           "\xFF",
                                           "NaN",
                                           "-",
                                           "00",
                                           "\r\n"};
  std::mt19937_64 x_engine;
};

class random_test : public api_test {
protected:
  static uint64_t seed() {
    if (auto text = std::getenv("TURNOUT_TEST_SEED"))
      return std::stoull(text);
    return std::random_device{}();
  }

  std::vector<valid_request> requests() {
    auto link = make_split();
    auto id = text(link, "id");
    auto slug = "/" + text(link, "slug");
    json::object create{
      {"name", "x"},
      {"variants", two_variants()},
      {"auto_winner", true},
      {"auto_winner_threshold", 50},
      {"routing_type", "geo"},
      {"geo_rules", json::object{{"DE", "a"}, {"default", "b"}}},
      {"enable_conversion_tracking", true},
      {"conversion_redirect_url", "https://a.example/thanks"}};
    json::object update = create;
    update.erase("variants");
    update["is_active"] = true;
    json::object conversion{{"link_id", id},
                            {"event_id", "e"},
                            {"value", "1.50"},
                            {"currency", "EUR"},
                            {"occurred_at", "2026-01-01T00:00:00Z"}};
    auto one = path_of(link);
    json::value none;
    return {
      {"GET", links_path + "?page=1&per_page=20", none},
      {"POST", links_path, create},
      {"GET", one, none},
      {"PUT", one, update},
      {"DELETE", links_path + "/" + unknown_id, none},
      {"PUT", one + "/variants", two_variants(20, 80)},
      {"POST", one + "/promote-winner",
       json::object{{"variant_id", variant_id(link, "a")}}},
      {"GET", one + "/clicks?page=1&per_page=5&start_date=2026-11-01", none},
      {"GET", one + "/clicks.csv?start_date=2026-11-01", none},
      {"GET", one + "/analytics?from_date=2026-11-01&to_date=2026-11-30", none},
      {"GET", one + "/analytics/winner", none},
      {"POST", conversions_path, conversion},
      {"POST", "/api/v1/public/keys?name=x&type=secret", none},
      {"GET", "/api/v1/public/keys", none},
      {"GET", "/api/v1/public/keys/rate-limit", none},
      {"DELETE", "/api/v1/public/keys/" + unknown_id, none},
      {"GET", "/api/v1/openapi.json", none},
      {"POST", "/auth/v1/token?grant_type=password",
       json::object{{"email", owner_email}, {"password", "wrong"}}},
      {"GET", slug + "?a=1", none},
      {"HEAD", slug, none},
      {"GET", "/c/" + id + ".gif?event_id=e&value=1&currency=EUR", none},
      {"GET", "/c/" + id + "?event_id=e", none},
      {"GET", "/c.js", none},
      {"GET", "/docs", none},
    };
  }

  /// Sends a request with one thing wrong, or a few.
  response send_mutated(mutator& draw, const valid_request& valid) {
    auto method = valid.method;
    auto path = valid.path;
    auto value = valid.body;
    auto has_body = !value.is_null();
    auto kind = draw.below(10);
    if (has_body && kind < 7)
      draw.change(value);
    auto body = has_body ? json::serialize(value) : std::string{};
    if (has_body && (kind == 7 || draw.one_in(8)))
      draw.garble(body);
    if (kind >= 8 || (!has_body && kind < 7))
      draw.garble_path(path);
    header_list headers;
    static const std::vector<std::string> types{
      "application/json",
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "",
      "application/json; charset=x"};
    static const std::vector<std::string> once{"a", "", std::string(256, 'k'),
                                               "\xC3\xA9", "b c"};
    static const std::vector<std::string> methods{"GET",    "PUT",   "POST",
                                                  "DELETE", "PATCH", "OPTIONS"};
    if (draw.one_in(8))
      headers.emplace_back("Content-Type", draw.pick(types));
    if (draw.one_in(8))
      headers.emplace_back("Idempotency-Key", draw.pick(once));
    if (draw.one_in(8))
      headers.emplace_back("Authorization", "Bearer " + std::string(30, 'x'));
    if (draw.one_in(16))
      method = draw.pick(methods);
    if (!draw.one_in(24))
      headers.emplace_back("X-API-Key", secret_key);
    what = method + " " + path.substr(0, 200) + " " + body.substr(0, 500);
    return send(method, path, headers, body);
  }

  /// The request under way, to tell when something is wrong.
  std::string what;
};

/// Checks that an error says what is wrong, and nothing else.
void expect_one_detail(const response& x, const std::string& path) {
  if (path.starts_with("/auth/")) {
    // The sign-in adds two fields of its own.
    EXPECT_FALSE(text(x.json(), "detail").empty());
    return;
  }
  EXPECT_NO_THROW(x.detail()) << x.body.substr(0, 300);
}

} // namespace

TEST_F(random_test, mutated_requests_are_answered_as_described) {
  auto number = seed();
  std::cout << "TURNOUT_TEST_SEED=" << number << std::endl;
  SCOPED_TRACE("TURNOUT_TEST_SEED=" + std::to_string(number));
  mutator draw{number};
  auto valid = requests();
  std::map<int, int> statuses;
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    auto& request = valid[draw.below(valid.size())];
    auto answer = send_mutated(draw, request);
    SCOPED_TRACE(what);
    ++statuses[answer.status];
    EXPECT_TRUE(allowed.contains(answer.status))
      << answer.status << ' ' << answer.body.substr(0, 300);
    if (answer.status >= 400 && !what.starts_with("HEAD "))
      expect_one_detail(answer, request.path);
    if (i % 100 == 99) {
      // Nothing of that harms those who ask for the right thing.
      ASSERT_TRUE(service->child().running());
      auto link = make_split();
      EXPECT_EQ(visit(text(link, "slug")).status, 302);
      EXPECT_EQ(get(path_of(link)).status, 200);
      EXPECT_EQ(del(path_of(link)).status, 204);
    }
  }
  // The mutations reach the rules, and leave some requests whole.
  EXPECT_GT(statuses[422], 100);
  EXPECT_GT(statuses[200] + statuses[201], 50);
  EXPECT_EQ(service->errors().find("exception"), std::string::npos);
  EXPECT_EQ(service->stop(), 0);
}
