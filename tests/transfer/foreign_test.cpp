#include "transfer/foreign.hpp"

#include "core/time.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

using namespace turnout;
using namespace turnout::transfer;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

field_map fields(const std::string& text) {
  return flatten(json::parse(text).get_object());
}

std::string converted(service from, const std::string& text) {
  auto out = convert(from, fields(text));
  return out ? json::serialize(*out) : "refused: " + detail(out.error());
}

std::string expected(const std::string& slug, const std::string& name,
                     const std::string& more) {
  return R"({"name":")" + name + R"(","slug":")" + slug
         + R"(","variants":[{"label":"A","destination_url":"https://a.example/",)"
           R"("weight":100},{"label":"B","destination_url":"https://a.example/",)"
           R"("weight":0}])"
         + more + "}";
}

} // namespace

TEST(foreign, what_the_apis_list) {
  EXPECT_EQ(
    converted(service::bitly,
              R"({"id":"bit.ly/3abc","link":"https://bit.ly/3abc",
    "long_url":"https://a.example/","title":"T","tags":["x"],"archived":false,
    "created_at":"2019-10-08T22:51:46+0000"})"),
    expected("3abc", "T", R"(,"created_at":"2019-10-08T22:51:46+00:00")"));
  EXPECT_EQ(converted(service::yourls,
                      R"({"shorturl":"http://y.example/ozh",
    "url":"https://a.example/","title":"","timestamp":"2023-01-02 03:04:05",
    "ip":"1.2.3.4","clicks":"17"})"),
            expected("ozh", "ozh",
                     R"(,"created_at":"2023-01-02T03:04:05",)"
                     R"("total_clicks":17)"));
  EXPECT_EQ(converted(service::kutt,
                      R"({"address":"k1","link":"https://kutt.it/k1",
    "target":"https://a.example/","description":null,"banned":true,
    "password":false,"visit_count":3,"created_at":"2024-05-06T07:08:09.000Z"})"),
            expected("k1", "k1",
                     R"(,"is_active":false,)"
                     R"("created_at":"2024-05-06T07:08:09.000Z",)"
                     R"("total_clicks":3)"));
  EXPECT_EQ(converted(service::shlink,
                      R"({"shortCode":"12C18","shortUrl":"https://s.test/12C18",
    "longUrl":"https://a.example/","dateCreated":"2016-08-21T20:34:16+02:00",
    "visitsSummary":{"total":328,"nonBots":300,"bots":28},"tags":["g"],
    "meta":{"validSince":null,"validUntil":null,"maxVisits":null},
    "domain":null,"title":"Ti"})"),
            expected("12C18", "Ti",
                     R"(,"created_at":"2016-08-21T20:34:16+02:00",)"
                     R"("total_clicks":328)"));
}

TEST(foreign, what_cannot_be_kept_is_refused) {
  for (const auto& [text, word] :
       {std::pair{R"({"address":"k","target":"t","password":true})",
                  "a password"},
        {R"({"address":"k","target":"t","expire_in":"2030-01-01T00:00:00Z"})",
         "an end"}})
    EXPECT_THAT(converted(service::kutt, text), HasSubstr(word));
  for (const auto& [text, word] :
       {std::pair{R"({"shortCode":"s","meta":{"validUntil":"2030-01-01"}})",
                  "an end"},
        {R"({"shortCode":"s","meta":{"validSince":"2030-01-01"}})",
         "a beginning"},
        {R"({"shortCode":"s","meta":{"maxVisits":5}})", "a limit of visits"}})
    EXPECT_THAT(converted(service::shlink, text), HasSubstr(word));
}

TEST(foreign, columns_that_must_be_there) {
  EXPECT_THAT(detail(check_columns(service::yourls, {"url", "title"})),
              HasSubstr("keyword, shorturl, source"));
  EXPECT_THAT(detail(check_columns(service::bitly, {"link", "title"})),
              HasSubstr("longurl"));
  EXPECT_FALSE(check_columns(service::yourls, {"source", "target", "hits"}));
  EXPECT_FALSE(check_columns(service::shlink, {"shortcode", "longurl"}));
}

TEST(foreign, paths_of_addresses) {
  EXPECT_EQ(path_of_address("https://bit.ly/3abc"), "3abc");
  EXPECT_EQ(path_of_address("bit.ly/3abc"), "3abc");
  EXPECT_EQ(path_of_address("/abc/"), "abc");
  EXPECT_EQ(path_of_address("abc"), "abc");
  EXPECT_EQ(path_of_address("https://s.example/a/b?x=1#y"), "a/b");
  EXPECT_EQ(path_of_address("https://s.example"), "");
  EXPECT_EQ(path_of_address("https://s.example/"), "");
  EXPECT_EQ(path_of_address(""), "");
}

TEST(foreign, times) {
  for (const auto& [from, to] :
       {std::pair{"2019-10-08T22:51:46+0000", "2019-10-08T22:51:46.000Z"},
        {"2019-10-08 22:51:46", "2019-10-08T22:51:46.000Z"},
        {"2019-10-08 22:51:46 UTC", "2019-10-08T22:51:46.000Z"},
        {"2019-10-08T22:51:46-02:30", "2019-10-09T01:21:46.000Z"},
        {"2019-10-08 22:51:46 +0000", ""},
        {"2019-10-08", "2019-10-08T00:00:00.000Z"},
        {"1570575106", "2019-10-08T22:51:46.000Z"},
        {"Oct 8, 2019", ""}}) {
    auto time = parse_date_or_time(normal_time(from));
    EXPECT_EQ(time ? to_iso8601(time->at) : "", to) << from;
  }
}

TEST(foreign, titles_become_names) {
  EXPECT_EQ(normal_name("  a\r\nb\t "), "a  b");
  EXPECT_EQ(normal_name(" \n "), "");
  std::string umlauts;
  for (int i = 0; i < 150; ++i)
    umlauts += "\xc3\xbc";
  EXPECT_EQ(normal_name(umlauts), umlauts.substr(0, 200));
  EXPECT_EQ(normal_name(std::string(99, 'x') + " y"), std::string(99, 'x'));
}

TEST(fields, names_are_folded_and_the_best_one_counts) {
  EXPECT_EQ(fold_field("Long URL"), "longurl");
  EXPECT_EQ(fold_field("visits_Summary.total"), "visitssummarytotal");
  auto x = fields(R"({"a":"","b":"2","A":"3"})");
  EXPECT_EQ(x.first({"a", "b"}), "2");
  EXPECT_THAT(x.get("c"), IsEmpty());
}
