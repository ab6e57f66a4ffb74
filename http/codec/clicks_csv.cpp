#include "http/codec/clicks_csv.hpp"

namespace turnout {

void append_csv_field(std::string& out, std::string_view value) {
  if (value.find_first_of("\",\r\n") == std::string_view::npos) {
    out += value;
    return;
  }
  out += '"';
  for (auto c : value) {
    if (c == '"')
      out += '"';
    out += c;
  }
  out += '"';
}

std::string_view clicks_csv_header() noexcept {
  return "id,link_id,variant_id,ip_address,user_agent,referrer,country,"
         "is_conversion,created_at\r\n";
}

void append_clicks_csv(std::string& out, std::string_view link_id,
                       const click_row& x) {
  out += x.id.str();
  out += ',';
  out += link_id;
  out += ',';
  out += x.variant_id.str();
  out += ',';
  append_csv_field(out, x.ip_address);
  out += ',';
  append_csv_field(out, x.user_agent);
  out += ',';
  append_csv_field(out, x.referrer);
  out += ',';
  append_csv_field(out, x.country);
  out += x.is_conversion ? ",true," : ",false,";
  out += to_iso8601(x.created_at);
  out += "\r\n";
}

} // namespace turnout
