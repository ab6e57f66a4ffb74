#pragma once

#include "http/exchange.hpp"
#include "http/router.hpp"
#include "http/site.hpp"
#include "tests/http/fake_service.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnout::test {

/// A request without a socket. What it answers outlives it.
struct call_spec {
  http_method method = http_method::get;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string peer = "198.41.0.4";
  size_t load = 1;
};

/// What came back.
struct outcome {
  int answers = 0;
  std::optional<response> last;
  /// Sizes of the parts of a body that was streamed.
  std::vector<size_t> parts;
  /// Set when such a body ended.
  std::optional<bool> complete;
  /// To be set by the test: nobody takes the parts.
  bool client_left = false;

  int status() const {
    return last ? last->status : 0;
  }

  std::string header(const std::string& name) const {
    if (!last)
      return "";
    const auto lines = "\r\n" + last->fields;
    const auto pos = lines.find("\r\n" + name + ": ");
    if (pos == std::string::npos)
      return "";
    const auto begin = pos + name.size() + 4;
    return lines.substr(begin, lines.find("\r\n", begin) - begin);
  }

  boost::json::value json() const {
    return boost::json::parse(last ? last->body : "null");
  }

  std::string detail() const {
    const auto x = json();
    if (!x.is_object() || !x.as_object().contains("detail"))
      return "";
    return x.as_object().at("detail").as_string().c_str();
  }
};

class fake_exchange final : public exchange {
public:
  fake_exchange(call_spec spec, std::shared_ptr<outcome> out)
    : x_spec{std::move(spec)}, x_out{std::move(out)} {
    x_in.method = x_spec.method;
    x_in.set_target(x_spec.target);
    x_in.body = x_spec.body;
    x_in.peer = *ip_address::parse(x_spec.peer);
    x_in.load = x_spec.load;
    for (const auto& [name, value] : x_spec.headers)
      x_in.add_header(name, value, "CF-IPCountry");
  }

  ~fake_exchange() override {
    if (x_out->answers == 0)
      send(unanswered());
    finish(false);
  }

  void send(response x) override {
    ++x_out->answers;
    x_out->last = std::move(x);
  }

  void start(response head) override {
    ++x_out->answers;
    x_out->last = std::move(head);
    x_streams = true;
  }

  void send_part(std::string part, std::function<void(bool)> then) override {
    x_out->last->body += part;
    x_out->parts.push_back(part.size());
    then(!x_out->client_left);
  }

  void finish(bool complete) override {
    if (std::exchange(x_streams, false))
      x_out->complete = complete;
  }

  bool is_here() const noexcept override {
    return true;
  }

  void post(std::function<void()> f) override {
    f();
  }

private:
  call_spec x_spec;
  std::shared_ptr<outcome> x_out;
  bool x_streams = false;
};

inline settings test_settings() {
  settings result;
  result.http.short_base = "https://s.example";
  result.http.base_url = "https://s.example/api/v1";
  result.http.cors_origin = "*";
  result.http.trusted_proxies = {"127.0.0.0/8", "::1"};
  result.http.max_in_flight = 100;
  result.redirect.allow_own_host = false;
  result.rate_limit.bad_keys_per_minute = 300;
  return result;
}

/// A site over a fake service.
class http_test : public ::testing::Test {
public:
  http_test() : where{actors, test_settings(), counters, geo, 1} {
    // nop
  }

  std::shared_ptr<outcome> send(call_spec spec) {
    auto result = std::make_shared<outcome>();
    route_request(where,
                  std::make_shared<fake_exchange>(std::move(spec), result));
    return result;
  }

  std::shared_ptr<outcome> get(std::string target) {
    return send({http_method::get, std::move(target), {}, ""});
  }

  /// Calls the API with a key.
  std::shared_ptr<outcome> api(http_method method, const std::string& path,
                               std::string body = "",
                               std::string key = fake_service::secret_key) {
    return send({method,
                 "/api/v1" + path,
                 {{"X-API-Key", std::move(key)}},
                 std::move(body)});
  }

  /// Adds a link with the variants a (60) and b (40).
  link add_link(const std::string& slug = "promo-24") {
    link x;
    const auto n = std::to_string(actors.links.size() + 1);
    x.id = *uuid::parse("00000000-0000-7000-8000-0000000001" + ("0" + n));
    x.user_id = actors.owner;
    x.slug = slug;
    x.name = "Promo";
    x.created_at = x.updated_at = timestamp{std::chrono::hours{480000}};
    for (std::string label : {"a", "b"}) {
      variant v;
      v.id = *uuid::parse("00000000-0000-7000-8000-0000000002" + n
                          + (label == "a" ? "0" : "1"));
      v.label = label;
      v.destination_url = "https://" + label + ".example/";
      v.weight = label == "a" ? 60 : 40;
      v.position = label == "a" ? 0 : 1;
      v.created_at = x.created_at;
      x.variants.push_back(v);
    }
    actors.links[x.id] = x;
    return x;
  }

  fake_service actors;
  metrics counters;
  geo_lookup geo{""};
  site where;
};

} // namespace turnout::test
