#include "core/changes.hpp"
#include "core/identifiers.hpp"
#include "transfer/link_csv.hpp"
#include "transfer/link_json.hpp"
#include "transfer/readers.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

namespace turnout::transfer {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

const auto t0 = from_micros(1'770'000'000'123'456);

const auto owner = make_uuid(t0);

/// A link with everything that a link may have.
storage::counted_link full_link() {
  link x;
  x.created_at = t0;
  x.id = make_uuid(t0);
  x.user_id = owner;
  x.slug = "Full-1_x";
  x.name = "=HYPERLINK(\"x\"), \"quoted\"; \xf0\x9f\x94\x97";
  x.is_active = false;
  x.auto_winner = true;
  x.auto_winner_threshold = 12'345;
  x.routing = routing_type::geo;
  x.enable_conversion_tracking = false;
  x.conversion_redirect_url = "https://t.example/?a=%2C,b";
  x.variants = make_variants({{" a,b ", "https://a.example/?x=\"", 0},
                              {"B", "https://b.example/", 100},
                              {"007", "https://c.example/", 0}},
                             t0 + std::chrono::seconds{1});
  x.variants[1].is_winner = true;
  x.geo = geo_rules{{"DE", " a,b "}, {"default", "B"}, {"AT", "007"}};
  auto retired = make_variants({{"old", "https://o.example/", 40}}, t0).front();
  retired.retired = true;
  retired.position = 3;
  x.variants.push_back(retired);
  x.updated_at = t0 + std::chrono::microseconds{987'654'321};
  x.imported_clicks = 40;
  return {x, 2};
}

/// Reads a text and returns the bodies, or the errors.
std::vector<caf::expected<json::object>> read(file_format format,
                                              const std::string& text) {
  std::vector<caf::expected<json::object>> result;
  auto reader = make_reader(
    format,
    [&](record x) -> caf::error {
      result.push_back(std::move(x.body));
      return {};
    },
    [](const std::string&) {});
  auto err = reader->feed(text);
  if (!err)
    err = reader->finish();
  if (err)
    result.emplace_back(std::move(err));
  return result;
}

/// Returns what reading one link of a text gives; throws when it does not.
link read_one(file_format format, const std::string& text) {
  auto bodies = read(format, text);
  if (bodies.size() != 1 || !bodies[0])
    throw std::runtime_error{bodies.empty() ? "nothing read"
                                            : detail(bodies[0].error())};
  auto draft = read_link(*bodies[0], {}, owner, now());
  if (!draft)
    throw std::runtime_error{detail(draft.error())};
  return draft->subject;
}

std::string error_of(const std::string& text, const own_hosts& own = {}) {
  auto draft = read_link(json::parse(text).get_object(), own, owner, now());
  return draft ? "" : detail(draft.error());
}

std::string error_of_row(const std::string& text) {
  auto bodies = read(file_format::csv, text);
  if (bodies.size() != 1)
    return std::to_string(bodies.size()) + " rows";
  if (!bodies[0])
    return detail(bodies[0].error());
  return error_of(json::serialize(*bodies[0]));
}

/// A link as JSON with further members.
std::string with(const std::string& more, const std::string& variant = "") {
  return R"({"name":"n","slug":"abc","variants":[
    {"label":"A","destination_url":"https://a.example/","weight":100)"
         + variant + R"(},
    {"label":"B","destination_url":"https://b.example/","weight":0}])"
         + more + "}";
}

} // namespace

TEST(link_formats, json_keeps_everything) {
  auto x = full_link();
  auto text = json::serialize(to_json(x)) + "\n";
  auto back = read_one(file_format::jsonl, text);
  auto expected = x.subject;
  expected.imported_clicks = 42;
  EXPECT_EQ(back, expected);
  EXPECT_EQ(json::serialize(to_json({back, 0})) + "\n", text);
}

TEST(link_formats, csv_keeps_everything) {
  auto x = full_link();
  auto text = links_csv_header();
  append_links_csv(text, x);
  auto back = read_one(file_format::csv, text);
  auto expected = x.subject;
  expected.imported_clicks = 42;
  EXPECT_EQ(back, expected);
  auto again = links_csv_header();
  append_links_csv(again, {back, 0});
  EXPECT_EQ(again, text);
}

TEST(link_formats, cells_are_written_as_they_are) {
  auto x = full_link();
  std::string text;
  append_links_csv(text, x);
  EXPECT_THAT(text, HasSubstr("Full-1_x,\"=HYPERLINK(\"\"x\"\"), "));
}

TEST(link_formats, a_table_of_a_spreadsheet) {
  auto x = read_one(
    file_format::csv,
    "\xef\xbb\xbfName;Slug;Variant 1 Label;Variant 1 Destination URL;Variant 1 "
    "Weight;Variant 2 Label;Variant 2 Destination URL;Variant 2 Weight;Is "
    "Active;Note\r\n"
    "Sale;sale;A;https://a.example/;60;B;https://b.example/;40;FALSE;mine\r\n");
  EXPECT_EQ(x.slug, "sale");
  EXPECT_EQ(x.name, "Sale");
  EXPECT_FALSE(x.is_active);
  ASSERT_EQ(x.variants.size(), 2u);
  EXPECT_EQ(x.variants[0].weight, 60);
  EXPECT_EQ(x.variants[1].destination_url, "https://b.example/");
}

TEST(link_formats, the_short_form_of_a_table) {
  auto x = read_one(file_format::csv,
                    "slug,destination_url\nsale,https://a.example/\n");
  EXPECT_EQ(x.name, "sale");
  ASSERT_EQ(x.variants.size(), 2u);
  EXPECT_EQ(x.variants[0].weight, 100);
  EXPECT_EQ(x.variants[1].weight, 0);
  EXPECT_EQ(x.variants[1].destination_url, "https://a.example/");
}

TEST(link_formats, rows_break_the_rules_of_the_api) {
  const std::string header = "slug,name,variant_1_label,"
                             "variant_1_destination_url,variant_1_weight,"
                             "variant_2_label,variant_2_destination_url,"
                             "variant_2_weight,is_active\n";
  const std::string tail = ",B,https://b.example/,50,\n";
  EXPECT_EQ(error_of_row(header + "a b,n,A,https://a.example/,50" + tail),
            "slug must be 3 to 32 characters of A-Z, a-z, 0-9, '-' and '_'");
  EXPECT_EQ(error_of_row(header + "api,n,A,https://a.example/,50" + tail),
            "slug 'api' is reserved");
  EXPECT_EQ(error_of_row(header + "abc,,A,https://a.example/,50" + tail),
            "field required: name");
  EXPECT_EQ(error_of_row(header + "abc,n,,https://a.example/,50" + tail),
            "field required: variants[0].label");
  EXPECT_EQ(error_of_row(header + "abc,n,A,https://a.example/,5x" + tail),
            "variants[0].weight must be an integer");
  EXPECT_EQ(error_of_row(header + "abc,n,A,https://a.example/,49" + tail),
            "Variant weights must sum to 100, got 99");
  EXPECT_EQ(error_of_row(header + "abc,n,A,ftp://a.example/,50" + tail),
            "variants[0].destination_url must be an absolute http or https "
            "URL");
  EXPECT_EQ(error_of_row(header + "abc,n,A,https://a.example/,100,,,,\n"),
            "variants must be 2 to 5 objects, got 1");
  EXPECT_EQ(error_of_row(header + "abc,n,,,,,,,\n"),
            "field required: variants");
  EXPECT_EQ(
    error_of_row(header
                 + "abc,n,A,https://a.example/,50,B,https://b.example/,50,x\n"),
    "is_active must be a boolean");
  EXPECT_EQ(error_of_row(header + "abc,n\n"),
            "the row has 2 fields, the header 9");
  EXPECT_EQ(error_of_row(header
                         + "abc,n,A,https://a.example/,50,B,"
                           "https://b.example/,50,,x\n"),
            "the row has 10 fields, the header 9");
}

TEST(link_formats, headers_that_do_not_do) {
  auto error = [](const std::string& text) {
    auto out = read(file_format::csv, text);
    return out.size() == 1 && !out[0] ? detail(out[0].error()) : "read";
  };
  EXPECT_THAT(error("slug,name\nabc,n\n"), HasSubstr("line 1: "));
  EXPECT_THAT(error("slug,name\n"), HasSubstr("destination_url"));
  EXPECT_THAT(error("slug,Slug,destination_url\n"), HasSubstr("twice"));
  EXPECT_THAT(error(""), HasSubstr("empty"));
  EXPECT_THAT(error("%PDF-1.7\n\x01\x02"), HasSubstr("line 1: "));
  EXPECT_THAT(error(std::string("\x7f"
                                "ELF\0\0\0\0\n",
                                9)),
              HasSubstr("line 1: "));
}

TEST(link_formats, what_only_an_import_takes_is_checked_too) {
  EXPECT_EQ(error_of(with("")), "");
  EXPECT_EQ(error_of(with(R"(,"id":"x")")), "id must be a UUID");
  EXPECT_EQ(error_of(with(R"(,"is_active":1)")), "is_active must be a boolean");
  EXPECT_EQ(error_of(with(R"(,"total_clicks":-1)")),
            "total_clicks must be 0 or more");
  EXPECT_EQ(error_of(with(R"(,"total_clicks":"many")")),
            "total_clicks must be an integer");
  EXPECT_THAT(error_of(with(R"(,"created_at":"yesterday")")),
              HasSubstr("created_at must be a date"));
  EXPECT_EQ(error_of(with(R"(,"created_at":"2999-01-01")")),
            "created_at must not be in the future");
  EXPECT_THAT(error_of(with("", R"(,"created_at":"x")")),
              HasSubstr("variants[0].created_at must be a date"));
  EXPECT_EQ(error_of(with("", R"(,"id":7)")), "variants[0].id must be a UUID");
  EXPECT_EQ(error_of(with(R"(,"retired_variants":[{"label":"A",
    "destination_url":"https://a.example/"}])")),
            "Variant label 'A' is used more than once");
  EXPECT_EQ(error_of(with(R"(,"retired_variants":[{"label":"C"}])")),
            "field required: retired_variants[0].destination_url");
  EXPECT_EQ(error_of(with(R"(,"retired_variants":{})")),
            "retired_variants must be an array");
  EXPECT_THAT(error_of(with(R"(,"retired_variants":[{"label":"C",
    "destination_url":"https://go.example/"}])"),
                       own_hosts{{"go.example"}}),
              HasSubstr("retired_variants[0].destination_url must not point"));
  const std::string id = R"("01890000-0000-7000-8000-000000000001")";
  EXPECT_THAT(error_of(with(R"(,"retired_variants":[{"label":"C","id":)" + id
                              + R"(,"destination_url":"https://c.example/"}])",
                            R"(,"id":)" + id)),
              HasSubstr("used more than once"));
  auto half = with("");
  half.replace(half.find("100"), 3, R"(50,"is_winner":true)");
  half.replace(half.find("\"weight\":0"), 10, "\"weight\":50");
  EXPECT_EQ(error_of(half), "variants[0].is_winner needs weight 100");
}

TEST(link_formats, lines_of_json_are_read_apart) {
  auto out = read(file_format::jsonl, with("") + "\n");
  EXPECT_EQ(out.size(), 3u) << "the text has line ends";
  auto text = json::serialize(json::parse(with("")));
  out = read(file_format::jsonl,
             "\xef\xbb\xbf" + text + "\r\n\nnothing\n[]\n" + text);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_TRUE(out[0]);
  EXPECT_EQ(detail(out[1].error()), "the line is no JSON");
  EXPECT_EQ(detail(out[2].error()), "the line is no JSON object");
  EXPECT_TRUE(out[3]);
}

TEST(link_formats, columns_without_meaning_are_noted) {
  EXPECT_THAT(unknown_link_columns({"Slug", "Note", "", "variant_6_label"}),
              ElementsAre("Note", "variant_6_label"));
  EXPECT_THAT(unknown_link_columns({"Destination URL", "Variant 5 ID"}),
              IsEmpty());
}

} // namespace turnout::transfer
