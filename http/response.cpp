#include "http/response.hpp"

#include "core/ascii.hpp"
#include "http/error_table.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>

namespace turnout {

namespace {

std::string_view reason_of(int status) noexcept {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

bool is_control(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

void append_number(std::string& out, size_t x) {
  char buf[24];
  const auto [end, err] = std::to_chars(buf, buf + sizeof(buf), x);
  out.append(buf, end);
}

/// Appends the status line and all headers but those about the body's length.
void append_start(std::string& out, const response& x, bool keep_alive) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<size_t>(x.status));
  out += ' ';
  out += reason_of(x.status);
  out += keep_alive ? "\r\nConnection: keep-alive\r\n"
                    : "\r\nConnection: close\r\n";
  out += x.fields;
}

} // namespace

response& response::header(std::string_view name, std::string_view value) {
  fields.reserve(fields.size() + name.size() + value.size() + 4);
  fields += name;
  fields += ": ";
  if (is_printable(value)) {
    fields += value;
  } else {
    for (auto c : value)
      if (!is_control(c))
        fields += c;
  }
  fields += "\r\n";
  return *this;
}

response& response::content(std::string_view type, std::string text) {
  header("Content-Type", type);
  body = std::move(text);
  return *this;
}

response json_response(int status, std::string body) {
  response result{status};
  result.content("application/json", std::move(body));
  return result;
}

response detail_response(int status, std::string_view detail) {
  std::string body = R"({"detail":)";
  body += boost::json::serialize(
    boost::json::value(boost::json::string_view(detail.data(), detail.size())));
  body += '}';
  return json_response(status, std::move(body));
}

response error_response(const caf::error& err) {
  const auto& row = row_of(code_of(err));
  auto result
    = detail_response(row.status, row.detail ? row.detail : detail(err));
  if (row.retry_after)
    result.header("Retry-After", row.retry_after);
  if (row.code == ec::no_session)
    result.header("WWW-Authenticate", "Bearer");
  // What is left of a body that was too large is not worth reading.
  result.close = row.code == ec::too_large || row.code == ec::headers_too_large;
  return result;
}

response sign_in_error_response(const caf::error& err) {
  auto result = error_response(err);
  const auto code = code_of(err);
  auto name = "invalid_request";
  if (code == ec::unauthorized) {
    result.status = 400;
    name = "invalid_grant";
  } else if (code == ec::forbidden) {
    result.status = 401;
    name = "invalid_client";
  } else if (code == ec::no_session) {
    name = "invalid_token";
  } else if (code == ec::not_found) {
    name = "not_found";
  } else if (code == ec::rate_limited) {
    name = "over_request_rate_limit";
  } else if (result.status == 503) {
    name = "temporarily_unavailable";
  } else if (result.status == 500) {
    name = "server_error";
  }
  const auto& row = row_of(code);
  const auto text = row.detail ? row.detail : detail(err);
  result.body = boost::json::serialize(boost::json::object{
    {"error", name}, {"error_description", text}, {"detail", text}});
  return result;
}

std::string render_head(const response& x, bool keep_alive, bool chunked) {
  std::string result;
  append_start(result, x, keep_alive);
  result += chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n";
  return result;
}

std::string render_chunk(std::string_view part) {
  char size[24];
  const auto [end, err]
    = std::to_chars(size, size + sizeof(size), part.size(), 16);
  std::string result;
  result.reserve(part.size() + 24);
  result.append(size, end);
  result += "\r\n";
  result += part;
  result += "\r\n";
  return result;
}

std::string render(const response& x, bool head, bool keep_alive) {
  const auto has_body = x.status != 204 && x.status != 304;
  std::string result;
  result.reserve(x.fields.size() + x.body.size() + 120);
  append_start(result, x, keep_alive);
  if (has_body) {
    result += "Content-Length: ";
    append_number(result, x.body.size());
    result += "\r\n";
  }
  result += "\r\n";
  if (!head && has_body)
    result += x.body;
  return result;
}

} // namespace turnout
