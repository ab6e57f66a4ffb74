#include "tests/api/harness/http_client.hpp"

#include <httplib.h>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <stdexcept>

namespace turnout::test {

namespace {

std::string to_lower(std::string x) {
  std::transform(x.begin(), x.end(), x.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return x;
}

} // namespace

bool response::has(const std::string& name) const {
  return headers.count(name) > 0;
}

std::string response::header(const std::string& name) const {
  auto values = all(name);
  if (values.size() != 1)
    throw std::runtime_error("header " + name + " stands "
                             + std::to_string(values.size())
                             + " times in an answer " + std::to_string(status));
  return values.front();
}

std::vector<std::string> response::all(const std::string& name) const {
  std::vector<std::string> result;
  auto [first, last] = headers.equal_range(name);
  for (; first != last; ++first)
    result.push_back(first->second);
  return result;
}

json::value response::json() const {
  boost::system::error_code err;
  auto result = json::parse(body, err);
  if (err)
    throw std::runtime_error("answer " + std::to_string(status)
                             + " is not JSON: " + body.substr(0, 200));
  return result;
}

std::string response::detail() const {
  auto value = json();
  auto obj = value.if_object();
  if (obj == nullptr || obj->size() != 1 || !obj->contains("detail")
      || !obj->at("detail").is_string()
      || obj->at("detail").get_string().empty())
    throw std::runtime_error("answer " + std::to_string(status)
                             + " is not {\"detail\": \"...\"}: "
                             + body.substr(0, 200));
  return std::string{obj->at("detail").get_string()};
}

struct http_client::state {
  explicit state(const std::string& address) : origin(address), client(address) {
    client.set_follow_location(false);
    client.set_keep_alive(true);
    client.set_tcp_nodelay(true);
    client.set_url_encode(false);
    client.set_decompress(false);
    client.set_connection_timeout(20);
    client.set_read_timeout(60);
    client.set_write_timeout(60);
  }

  std::string origin;
  httplib::Client client;
};

http_client::http_client(const std::string& origin)
  : x_state(std::make_unique<state>(origin)) {
  // nop
}

http_client::http_client(http_client&&) noexcept = default;

http_client& http_client::operator=(http_client&&) noexcept = default;

http_client::~http_client() = default;

response http_client::send(const std::string& method, const std::string& path,
                           const header_list& headers,
                           const std::string& body) {
  httplib::Request req;
  req.method = method;
  req.path = path;
  for (auto& [name, value] : headers)
    req.headers.emplace(name, value);
  req.body = body;
  if (!body.empty() && !req.has_header("Content-Type"))
    req.headers.emplace("Content-Type", "application/json");
  auto answer = x_state->client.send(req);
  if (!answer)
    throw std::runtime_error("no answer from " + x_state->origin + " to "
                             + method + " " + path.substr(0, 100) + ": "
                             + httplib::to_string(answer.error()));
  response result;
  result.status = answer->status;
  result.body = answer->body;
  for (auto& [name, value] : answer->headers)
    result.headers.emplace(to_lower(name), value);
  return result;
}

} // namespace turnout::test
