#include "tests/api/harness/response.hpp"

#include <boost/json/parse.hpp>

#include <stdexcept>

namespace turnout::test {

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

} // namespace turnout::test
