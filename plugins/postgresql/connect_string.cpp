#include "plugins/postgresql/connect_string.hpp"

#include <libpq-fe.h>

#include <array>
#include <memory>
#include <string_view>

namespace turnout::postgresql {

namespace {

struct option {
  std::string_view keyword;
  const char* value;
};

// https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-PARAMKEYWORDS
constexpr std::array defaults{
  option{"connect_timeout", "5"}, // seconds
  option{"keepalives_idle", "5"}, // seconds
  option{"keepalives_interval", "2"},
  option{"keepalives_count", "3"},
  option{"tcp_user_timeout", "10000"}, // milliseconds
  option{"target_session_attrs", "read-write"},
  option{"application_name", "turnout"},
  option{"client_encoding", "UTF8"},
};

void append(std::string& out, std::string_view keyword,
            std::string_view value) {
  if (!out.empty())
    out += ' ';
  out += keyword;
  out += "='";
  for (auto c : value) {
    if (c == '\'' || c == '\\')
      out += '\\';
    out += c;
  }
  out += '\'';
}

} // namespace

std::string complete(const std::string& dsn) {
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{
    PQconninfoParse(dsn.c_str(), nullptr), &PQconninfoFree};
  if (options == nullptr)
    return dsn;
  std::string result;
  for (const auto* x = options.get(); x->keyword != nullptr; ++x) {
    const auto* value = x->val;
    if (value == nullptr)
      for (const auto& y : defaults)
        if (y.keyword == x->keyword)
          value = y.value;
    if (value != nullptr)
      append(result, x->keyword, value);
  }
  return result;
}

} // namespace turnout::postgresql
