#pragma once

#include <boost/json/value.hpp>

#include <map>
#include <string>
#include <vector>

namespace turnout::test {

namespace json = boost::json;

/// An answer.
struct response {
  int status = 0;
  /// By name in lower case.
  std::multimap<std::string, std::string> headers;
  std::string body;

  bool has(const std::string& name) const;

  /// Returns the value of a header (the name in lower case); throws when there
  /// is none or more than one.
  std::string header(const std::string& name) const;

  /// Returns all values of a header.
  std::vector<std::string> all(const std::string& name) const;

  /// Parses the body; throws with the body's start when it is not JSON.
  json::value json() const;

  /// Returns the error text. Throws unless the body is an object with nothing
  /// but a non-empty string `detail`.
  std::string detail() const;
};

} // namespace turnout::test
