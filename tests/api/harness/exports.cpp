#include "tests/api/harness/exports.hpp"

#include <chrono>
#include <fstream>
#include <stdexcept>

namespace turnout::test {

namespace {

/// The ways in which a row is broken.
enum class fault {
  none,
  short_slug,
  reserved_slug,
  not_http,
  taken,
  repeated,
  // for tables only
  too_few_fields,
  stray_quote,
  // for JSON of Kutt only
  password,
};

fault fault_of(int i, const std::string& kind) {
  if (i % 100 != 99)
    return fault::none;
  const auto is_json = kind.ends_with(".json");
  const std::vector<fault> all
    = is_json ? std::vector{fault::short_slug, fault::reserved_slug,
                            fault::not_http, fault::taken, fault::repeated}
              : std::vector{fault::short_slug, fault::reserved_slug,
                            fault::not_http,   fault::taken,
                            fault::repeated,   fault::too_few_fields,
                            fault::stray_quote};
  if (kind == "kutt.json" && i % 1000 == 999)
    return fault::password;
  return all[static_cast<size_t>(i / 100) % all.size()];
}

const std::string slug_rule
  = "slug must be 3 to 32 characters of A-Z, a-z, 0-9, '-' and '_'";

std::string refusal_of(fault x, const std::string& slug, size_t columns) {
  switch (x) {
    case fault::short_slug:
      return slug_rule;
    case fault::reserved_slug:
      return "slug 'Admin' is reserved";
    case fault::not_http:
      return "variants[0].destination_url must be an absolute http or https "
             "URL";
    case fault::taken:
      return "Slug '" + slug + "' is already taken";
    case fault::too_few_fields:
      return "the row has 2 fields, the header " + std::to_string(columns);
    case fault::stray_quote:
      return "a quote must begin or end a field, or be doubled within one";
    case fault::password:
      return "the link has a password, which a link here cannot have; take it "
             "off to import the link without";
    default:
      return {};
  }
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (auto c : text)
    result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

std::string json_text(const std::string& text) {
  std::string result = "\"";
  for (auto c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"')
      result += '\\';
    result += c;
  }
  return result + '"';
}

/// What a row says.
struct row {
  std::string slug;
  std::string url;
  std::string title;
  /// Of the same link, so that a repeated row is the same.
  int number = 0;
};

std::string two_digits(int x) {
  return (x < 10 ? "0" : "") + std::to_string(x);
}

std::string date(const row& x, const std::string& between,
                 const std::string& zone) {
  return "2023-0" + std::to_string(1 + x.number % 9) + "-"
         + two_digits(1 + x.number % 28) + between + two_digits(x.number % 24)
         + ":30:" + two_digits(x.number % 60) + zone;
}

std::string clicks(const row& x) {
  return std::to_string(x.number % 50);
}

const char* header_of(const std::string& kind) {
  if (kind == "csv")
    return "slug,name,variant_1_label,variant_1_destination_url,"
           "variant_1_weight,variant_2_label,variant_2_destination_url,"
           "variant_2_weight,created_at,total_clicks,note\r\n";
  if (kind == "bitly")
    return "Title,Bitlink,Long URL,Created at,Total clicks,Tags\n";
  if (kind == "yourls")
    return "\"keyword\",\"url\",\"title\",\"timestamp\",\"ip\",\"clicks\"\n";
  if (kind == "kutt")
    return "\xef\xbb\xbf"
           "address;target;description;created_at;visit_count\r\n";
  return "createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\r\n";
}

size_t columns_of(const std::string& kind) {
  return kind == "csv"      ? 11
         : kind == "bitly"  ? 6
         : kind == "yourls" ? 6
         : kind == "kutt"   ? 5
                            : 8;
}

std::string table_row(const std::string& kind, const row& x) {
  const auto title = quoted(x.title);
  const auto url = quoted(x.url);
  if (kind == "csv")
    return x.slug + "," + title + ",\"A, first\"," + url + ",30,B,"
           + "https://b.example/,70," + date(x, "T", "Z") + "," + clicks(x)
           + ",\"=1+1\"\r\n";
  if (kind == "bitly")
    return title + ",https://bit.ly/" + x.slug + "," + url + ","
           + date(x, "T", "+0000") + "," + clicks(x) + ",a|b\n";
  if (kind == "yourls")
    return quoted(x.slug) + "," + url + "," + title + ","
           + quoted(date(x, " ", "")) + ",\"192.0.2.1\"," + quoted(clicks(x))
           + "\n";
  if (kind == "kutt")
    return x.slug + ";" + url + ";" + title + ";" + date(x, "T", ".000Z") + ";"
           + clicks(x) + "\r\n";
  return date(x, "T", "+02:00") + ",s.test," + x.slug + ",https://s.test/"
         + x.slug + "," + url + "," + title + ",a|b," + clicks(x) + "\r\n";
}

std::string json_row(const std::string& kind, const row& x, fault broken) {
  const auto title = json_text(x.title);
  if (kind == "bitly.json")
    return R"({"id":"bit.ly/)" + x.slug + R"(","link":"https://bit.ly/)"
           + x.slug + R"(","long_url":")" + x.url + R"(","title":)" + title
           + R"(,"archived":false,"tags":["a"],"created_at":")"
           + date(x, "T", "+0000") + R"("})";
  if (kind == "yourls.json")
    return R"("link_)" + std::to_string(x.number)
           + R"(":{"shorturl":"http://y.example/)" + x.slug + R"(","url":")"
           + x.url + R"(","title":)" + title + R"(,"timestamp":")"
           + date(x, " ", "") + R"(","ip":"192.0.2.1","clicks":")" + clicks(x)
           + R"("})";
  if (kind == "kutt.json")
    return R"({"address":")" + x.slug + R"(","banned":false,"created_at":")"
           + date(x, "T", ".000Z") + R"(","id":"x","link":"https://k.example/)"
           + x.slug + R"(","password":)"
           + (broken == fault::password ? "true" : "false") + R"(,"target":")"
           + x.url + R"(","description":)" + title + R"(,"visit_count":)"
           + clicks(x) + "}";
  return R"({"shortCode":")" + x.slug + R"(","shortUrl":"https://s.test/)"
         + x.slug + R"(","longUrl":")" + x.url + R"(","dateCreated":")"
         + date(x, "T", "+02:00") + R"(","visitsSummary":{"total":)" + clicks(x)
         + R"(,"nonBots":0,"bots":0},"tags":[],"meta":{"validSince":null,)"
         + R"("validUntil":null,"maxVisits":null},"domain":null,"title":)"
         + title + "}";
}

} // namespace

export_sample make_export(const std::string& kind, int rows) {
  export_sample result;
  const auto is_json = kind.ends_with(".json");
  const auto base = kind.substr(0, kind.find('.'));
  const auto rows_per_page = is_json && base != "yourls" ? 50 : rows;
  auto& text = result.text;
  if (!is_json)
    text = header_of(kind);
  int64_t line = is_json ? 1 : 2;
  row last;
  for (int i = 0; i < rows; ++i) {
    if (is_json && i % rows_per_page == 0) {
      text += base == "shlink"   ? R"({"shortUrls":{"data":[)"
              : base == "kutt"   ? R"({"limit":50,"data":[)"
              : base == "yourls" ? R"({"statusCode":200,"links":{)"
                                 : R"({"links":[)";
      text += '\n';
      ++line;
    }
    const auto broken = fault_of(i, kind);
    row x;
    x.number = i;
    x.slug = base + "_" + std::to_string(i);
    x.url = "https://a.example/" + std::to_string(i) + "?x=%2C,y;z";
    x.title = i % 7 == 0 ? "Two\nlines, \"quoted\"; number " + std::to_string(i)
                         : "Title " + std::to_string(i);
    // A name of our own table keeps to the rules.
    if (kind == "csv" && i % 7 == 0)
      x.title[3] = ' ';
    if (broken == fault::short_slug)
      x.slug = "ab";
    if (broken == fault::reserved_slug)
      x.slug = "Admin";
    if (broken == fault::not_http)
      x.url = "ftp://a.example/";
    if (broken == fault::taken)
      x.slug = last.slug;
    if (broken == fault::repeated)
      x = last;
    const auto columns = is_json ? 0 : columns_of(kind);
    auto rendered = is_json ? json_row(kind, x, broken) : table_row(kind, x);
    if (broken == fault::too_few_fields)
      rendered = kind == "kutt" ? "abcdef;only two\r\n" : "abcdef,only two\n";
    if (broken == fault::stray_quote)
      rendered = "abc\"def,x" + rendered.substr(rendered.size() - 1);
    const auto begin = line;
    if (is_json) {
      const auto ends = (i + 1) % rows_per_page == 0 || i + 1 == rows;
      rendered += ends ? "\n" : ",\n";
      if (ends)
        rendered += base == "shlink"   ? "],\"pagination\":{\"page\":1}}}\n"
                    : base == "yourls" ? "},\"message\":\"success\"}\n"
                                       : "]}\n";
    }
    for (auto c : rendered)
      line += c == '\n' ? 1 : 0;
    text += rendered;
    auto refusal = refusal_of(broken, x.slug, columns);
    if (!refusal.empty()) {
      result.refusals.push_back("turnout: line " + std::to_string(begin) + ": "
                                + refusal);
    } else if (broken == fault::repeated) {
      ++result.repeated;
    } else {
      ++result.links;
      if (kind != "bitly.json")
        result.clicks += x.number % 50;
      last = x;
    }
  }
  return result;
}

std::unique_ptr<process> begin_command(const server& service,
                                       const std::vector<std::string>& args,
                                       const std::filesystem::path& out,
                                       const std::filesystem::path& err) {
  return std::make_unique<process>(service.arguments(args), environment{}, out,
                                   err);
}

command_result run_long(const server& service,
                        const std::vector<std::string>& args) {
  temporary_directory dir;
  const auto out = dir.path() / "out";
  const auto err = dir.path() / "err";
  auto child = begin_command(service, args, out, err);
  const auto status = child->wait(std::chrono::minutes{4});
  return {status.value_or(-1000), read_file(out), read_file(err)};
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out{path, std::ios::binary};
  if (!out.write(text.data(), static_cast<std::streamsize>(text.size())))
    throw std::runtime_error("cannot write " + path.string());
}

std::string import_summary(int64_t imported, int64_t present, int64_t refused,
                           int64_t clicks) {
  return std::to_string(imported) + " imported, " + std::to_string(present)
         + " already there, " + std::to_string(refused) + " refused; "
         + std::to_string(clicks)
         + " clicks counted elsewhere came with them\n";
}

} // namespace turnout::test
