#include "tests/api/harness/api_test.hpp"
#include "tests/api/harness/exports.hpp"

#include <algorithm>
#include <fstream>

using namespace turnout::test;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

namespace {

/// Imports beside a running service.
class import_test : public api_test {
protected:
  /// Writes a file and returns its path.
  std::string file(const std::string& text) {
    auto path = x_dir.path() / ("file" + std::to_string(x_next++));
    write_file(path, text);
    return path.string();
  }

  /// Imports a text for the owner.
  command_result import(const std::string& format, const std::string& content,
                        std::vector<std::string> more = {}) {
    std::vector<std::string> args{"import",  "--format",  format,
                                  "--email", owner_email, file(content)};
    args.insert(args.end(), more.begin(), more.end());
    return service->run(args);
  }

  json::value by_slug(const std::string& slug) {
    auto items = get(links_path + "?per_page=100").json();
    for (const auto& x : items.at("items").as_array())
      if (text(x, "slug") == slug)
        return get(path_of(x)).json();
    throw std::runtime_error("no link " + slug);
  }

private:
  temporary_directory x_dir;
  int x_next = 0;
};

class limited_import_test : public import_test {
protected:
  environment settings() const override {
    return {{"TURNOUT_LINKS_PER_ACCOUNT", "3"}};
  }
};

const std::string short_header = "slug,destination_url\n";

void expect_one_error(const command_result& x, int status,
                      const std::string& word) {
  EXPECT_EQ(x.status, status) << x.out << x.err;
  EXPECT_THAT(x.err, HasSubstr(word));
  EXPECT_EQ(std::count(x.err.begin(), x.err.end(), '\n'), 1) << x.err;
}

} // namespace

TEST_F(import_test, an_imported_link_has_one_destination_and_old_clicks) {
  auto out = import("yourls", "keyword,url,title,timestamp,ip,clicks\n"
                              "ozh,https://a.example/,A title,"
                              "2020-02-03 04:05:06,192.0.2.1,41\n");
  EXPECT_EQ(out.status, 0) << out.err;
  EXPECT_EQ(out.out, import_summary(1, 0, 0, 41));
  EXPECT_THAT(out.err, IsEmpty());
  EXPECT_TRUE(eventually([&] { return visit("ozh").status == 302; }));
  auto link = by_slug("ozh");
  EXPECT_EQ(text(link, "name"), "A title");
  EXPECT_EQ(text(link, "created_at"), "2020-02-03T04:05:06.000Z");
  EXPECT_EQ(number(link, "imported_clicks"), 41);
  const auto& variants = link.at("variants").as_array();
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(number(variants[0], "weight"), 100);
  EXPECT_EQ(number(variants[1], "weight"), 0);
  for (const auto& x : variants)
    EXPECT_EQ(text(x, "destination_url"), "https://a.example/");
  EXPECT_EQ(visit_many("ozh", 9),
            (std::map<std::string, int>{{"https://a.example/", 9}}));
  // Clicks that were counted elsewhere are in no total.
  expect_counts(link, 10);
  expect_sums_agree(link);
  EXPECT_EQ(service->run({"verify"}).status, 0);
  // A link that was made here has none.
  EXPECT_FALSE(make_split().as_object().contains("imported_clicks"));
}

TEST_F(import_test, rows_are_refused_with_the_texts_of_the_api) {
  auto taken = make_split();
  auto variant = [](const std::string& label, const std::string& url,
                    const json::value& weight) {
    return variant_body(label, url, weight);
  };
  const json::array good{variant("A", "https://a.example/", 50),
                         variant("B", "https://b.example/", 50)};
  auto body = [&](const json::object& more) {
    json::object result{{"name", "n"}, {"variants", good}};
    for (const auto& [key, value] : more)
      result[key] = value;
    return result;
  };
  const std::vector<json::object> bodies{
    body({{"slug", "x"}}),
    body({{"slug", "docs"}}),
    body({{"slug", text(taken, "slug")}}),
    body({{"slug", 7}}),
    body({{"name", std::string(101, 'n')}}),
    body({{"name", " "}}),
    body({{"name", "a\nb"}}),
    {{"slug", "no-name"}},
    {{"name", "n"}},
    body({{"variants", json::array{good[0]}}}),
    body({{"variants",
           json::array{variant("A", "https://a.example/", "50"), good[1]}}}),
    body({{"variants",
           json::array{variant("A", "https://a.example/", 51), good[1]}}}),
    body({{"variants",
           json::array{variant("B", "https://a.example/", 50), good[1]}}}),
    body({{"variants",
           json::array{variant("A", "javascript:alert(1)", 50), good[1]}}}),
    body({{"variants",
           json::array{variant("A", "https://u:p@a.example/", 50), good[1]}}}),
    body(
      {{"variants",
        json::array{variant("A", "https://a.example/\xc3\xbc", 50), good[1]}}}),
    body({{"variants",
           json::array{variant(std::string(51, 'l'), "https://a.example/", 50),
                       good[1]}}}),
    body({{"auto_winner_threshold", 9}}),
    body({{"auto_winner", "yes"}}),
    body({{"routing_type", "random"}}),
    body({{"routing_type", "geo"}}),
    body({{"geo_rules", json::object{{"DE", "A"}}}}),
    body({{"geo_rules", json::object{{"de", "A"}, {"default", "B"}}}}),
    body({{"geo_rules", json::object{{"default", "C"}}}}),
    body({{"conversion_redirect_url", "x"}}),
    body({{"enable_conversion_tracking", 1}}),
  };
  std::string lines;
  std::string expected;
  int line = 0;
  for (const auto& x : bodies) {
    auto answer = post(links_path, x);
    ASSERT_THAT(answer.status, AnyOf(409, 422)) << json::serialize(x);
    lines += json::serialize(x) + "\n";
    expected += "turnout: line " + std::to_string(++line) + ": "
                + answer.detail() + "\n";
  }
  for (const auto& more : {std::vector<std::string>{}, {"--dry-run"}}) {
    auto out = import("jsonl", lines, more);
    EXPECT_EQ(out.status, 1);
    EXPECT_EQ(out.err, expected);
  }
  EXPECT_EQ(total_links(), 1);
}

TEST_F(import_test, a_repeated_import_changes_nothing) {
  const auto table = short_header
                     + "one,https://a.example/1\n"
                       "two,https://a.example/2\n"
                       "two,https://a.example/2\n";
  EXPECT_EQ(import("csv", table).out, import_summary(2, 1, 0, 0));
  EXPECT_EQ(import("csv", table).out, import_summary(0, 3, 0, 0));
  // A link that is another by now is not touched.
  auto one = by_slug("one");
  EXPECT_EQ(put(path_of(one), json::object{{"name", "Renamed"}}).status, 200);
  auto out = import("csv", table);
  EXPECT_EQ(out.out, import_summary(0, 2, 1, 0));
  expect_one_error(out, 1, "turnout: line 2: Slug 'one' is already taken");
  EXPECT_EQ(text(by_slug("one"), "name"), "Renamed");
  // Nor does a deleted one come back.
  EXPECT_EQ(del(path_of(by_slug("two"))).status, 204);
  out = import("csv", short_header + "two,https://a.example/2\n");
  expect_one_error(out, 1, "turnout: line 2: Slug 'two' is already taken");
  EXPECT_EQ(total_links(), 1);
}

TEST_F(import_test, links_of_others_are_not_there) {
  const auto table = short_header + "mine,https://a.example/1\n";
  EXPECT_EQ(import("csv", table).status, 0);
  service->add_user("other@example.com");
  auto out = service->run(
    {"import", "--format", "csv", "--email", "other@example.com", file(table)});
  expect_one_error(out, 1, "turnout: line 2: Slug 'mine' is already taken");
  EXPECT_EQ(total_links(), 1);
}

TEST_F(import_test, rows_without_a_slug_are_made_once) {
  std::string lines;
  for (int i = 0; i < 5; ++i)
    lines += R"({"name":"n","variants":[
{"label":"A","destination_url":"https://a.example/","weight":50},
{"label":"B","destination_url":"https://b.example/","weight":50}]})";
  lines.erase(std::remove(lines.begin(), lines.end(), '\n'), lines.end());
  for (auto pos = lines.find("}{"); pos != std::string::npos;
       pos = lines.find("}{", pos))
    lines.insert(pos + 1, "\n");
  EXPECT_EQ(import("jsonl", lines).out, import_summary(5, 0, 0, 0));
  EXPECT_EQ(import("jsonl", lines, {"--dry-run"}).out,
            "dry run, nothing is stored: " + import_summary(0, 5, 0, 0));
  EXPECT_EQ(import("jsonl", lines).out, import_summary(0, 5, 0, 0));
  EXPECT_EQ(total_links(), 5);
  auto links = get(links_path).json();
  for (const auto& x : links.at("items").as_array())
    EXPECT_THAT(text(x, "slug"), MatchesRegex("[A-Za-z0-9]{7}"));
  // A deleted one is not made again.
  EXPECT_EQ(del(path_of(links.at("items").as_array()[0])).status, 204);
  auto out = import("jsonl", lines);
  EXPECT_EQ(out.out, import_summary(0, 4, 1, 0));
  EXPECT_THAT(out.err, HasSubstr("deleted since"));
}

TEST_F(import_test, an_id_belongs_to_one_link) {
  auto line = [](const std::string& slug) {
    return R"({"id":"01890000-0000-7000-8000-000000000001","name":"n","slug":")"
           + slug
           + R"(","variants":[{"label":"A","destination_url":)"
             R"("https://a.example/","weight":50},{"label":"B",)"
             R"("destination_url":"https://b.example/","weight":50}]})"
             "\n";
  };
  EXPECT_EQ(import("jsonl", line("first")).status, 0);
  EXPECT_EQ(text(by_slug("first"), "id"),
            "01890000-0000-7000-8000-000000000001");
  expect_one_error(import("jsonl", line("second")), 1,
                   "belongs to the link with slug 'first' already");
  auto other = line("third");
  other.replace(other.find("0001"), 4, "0002");
  auto again = other;
  again.replace(again.find("third"), 5, "forth");
  expect_one_error(import("jsonl", other + again, {"--dry-run"}), 1,
                   "belongs to another row already");
  EXPECT_EQ(import("jsonl", line("first")).out, import_summary(0, 1, 0, 0));
}

TEST_F(import_test, the_account_must_be_clear) {
  const auto path = file(short_header + "one,https://a.example/1\n");
  // The first start made one, the fixture another.
  auto out = service->run({"import", "--format", "csv", path});
  expect_one_error(out, 2, "--email");
  out = service->run({"export"});
  expect_one_error(out, 2, "--email");
  out = service->run(
    {"import", "--format", "csv", "--email", "nobody@example.com", path});
  expect_one_error(out, 1, "nobody@example.com");
  EXPECT_EQ(total_links(), 0);
  out = service->run({"import", "--format", "csv", "--email", owner_id, path});
  EXPECT_EQ(out.status, 0) << out.err;
  EXPECT_EQ(total_links(), 1);
}

TEST_F(import_test, the_only_account_needs_no_name) {
  server other;
  EXPECT_EQ(other.run({"migrate"}).status, 0);
  const auto path = file(short_header + "one,https://a.example/1\n");
  expect_one_error(other.run({"import", "--format", "csv", path}), 1,
                   "user add");
  other.add_user("only@example.com");
  EXPECT_EQ(other.run({"import", "--format", "csv", path}).out,
            import_summary(1, 0, 0, 0));
}

TEST_F(import_test, no_destination_is_on_the_host_of_the_short_links) {
  const auto table = short_header + "one,https://go.example/x\n";
  auto out = import("csv", table, {"--short-base", "https://go.example"});
  expect_one_error(out, 1,
                   "variants[0].destination_url must not point at the host of "
                   "the short links");
  EXPECT_EQ(import("csv", table, {"--short-base", "https://s.example"}).status,
            0);
}

TEST_F(limited_import_test, an_account_gets_no_more_links_than_it_may_have) {
  make_split();
  std::string table = short_header;
  for (int i = 0; i < 4; ++i)
    table += "many-" + std::to_string(i) + ",https://a.example/\n";
  auto refused = [&](const command_result& out) {
    EXPECT_EQ(std::count(out.err.begin(), out.err.end(), '\n'), 2);
    EXPECT_THAT(out.err, HasSubstr("as many links as it may have (3)"));
    return out.out;
  };
  EXPECT_EQ(refused(import("csv", table, {"--dry-run"})),
            "dry run, nothing is stored: " + import_summary(2, 0, 2, 0));
  EXPECT_EQ(refused(import("csv", table)), import_summary(2, 0, 2, 0));
  EXPECT_EQ(total_links(), 3);
}

TEST_F(import_test, files_that_are_none_of_theirs) {
  for (const auto& [format, content, word] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
         {"csv", "", "line 1: the file is empty"},
         {"csv", "slug,name\nabc,n\n", "variant_1_destination_url"},
         {"csv", "%PDF-1.7\n\x01\x02\n", "line 1: "},
         {"csv", std::string{"\xff\xfe"} + std::string("s\0\n\0", 4), "UTF-16"},
         {"yourls", "slug,target_url\n", "line 1: the file has no column"},
         {"bitly", "{\"message\":\"FORBIDDEN\"}", "no list of links"},
         {"kutt", "{\"data\":[{\"address\":\"abc\",", "complete"},
         {"shlink", "[{]", "line 1: this is no JSON"}}) {
    auto out = import(format, content);
    expect_one_error(out, 1, word);
    EXPECT_EQ(out.out, import_summary(0, 0, 0, 0));
  }
  auto out = service->run({"import", "--format", "csv", "--email", owner_email,
                           "/nonexistent/x.csv"});
  expect_one_error(out, 1, "/nonexistent/x.csv");
  out
    = service->run({"import", "--format", "csv", "--email", owner_email, "/"});
  EXPECT_EQ(out.status, 1);
  EXPECT_THAT(out.err, HasSubstr("cannot be read"));
  for (const auto& args : std::vector<std::vector<std::string>>{
         {"import"},
         {"import", "--format", "csv"},
         {"import", "x.csv"},
         {"import", "--format", "xml", "x.xml"},
         {"export", "--format", "bitly"},
         {"export", "--what", "keys"}})
    EXPECT_EQ(service->run(args).status, 2) << args.back();
}

TEST_F(import_test, a_truncated_file_gives_what_is_whole) {
  auto out = import("csv", short_header
                             + "one,https://a.example/1\n"
                               "two,\"https://a.exam");
  EXPECT_EQ(out.out, import_summary(1, 0, 1, 0));
  expect_one_error(out, 1, "turnout: line 3: the file ends within a quoted");
  out = import("csv", short_header + "three");
  expect_one_error(out, 1, "line 2: the row has 1 fields, the header 2");
  out = import("kutt", R"({"data":[{"address":"four","target":)"
                       R"("https://a.example/"},{"address":"fi)");
  EXPECT_EQ(out.out, import_summary(1, 0, 0, 0));
  expect_one_error(out, 1, "nothing behind it is read");
}

TEST_F(import_test, standard_input_is_a_file) {
  auto out
    = service->run({"import", "--format", "csv", "--email", owner_email, "-"},
                   short_header + "piped,https://a.example/\n");
  EXPECT_EQ(out.out, import_summary(1, 0, 0, 0)) << out.err;
}

TEST_F(import_test, what_is_told_takes_one_line) {
  auto out
    = import("jsonl", R"({"name":"n","slug":"abc","geo_rules":)"
                      R"({"a\nb":"A","default":"A"},"variants":[)"
                      R"({"label":"A","destination_url":)"
                      R"("https://a.example/","weight":50},{"label":"B",)"
                      R"("destination_url":"https://b.example/",)"
                      R"("weight":50}]})"
                      "\n");
  expect_one_error(out, 1, "geo_rules key 'a?b'");
}

TEST_F(import_test, a_killed_import_is_completed_by_the_next) {
  constexpr int rows = 4000;
  std::string lines;
  for (int i = 0; i < rows; ++i) {
    const auto n = std::to_string(i);
    // Every other one has no slug.
    lines += "{\"name\":\"n" + n + "\","
             + (i % 2 == 0 ? "\"slug\":\"slug-" + n + "\"," : std::string{})
             + R"("variants":[{"label":"A","destination_url":)"
               R"("https://a.example/","weight":50},{"label":"B",)"
               R"("destination_url":"https://b.example/","weight":50}]})"
               "\n";
  }
  const auto path = file(lines);
  const std::vector<std::string> args{"import",  "--format",  "jsonl",
                                      "--email", owner_email, path};
  int64_t after_kill = 0;
  for (int64_t bound : {200, 1200}) {
    temporary_directory dir;
    auto child
      = begin_command(*service, args, dir.path() / "out", dir.path() / "err");
    ASSERT_TRUE(eventually([&] { return total_links() > bound; }));
    child->signal(SIGKILL);
    EXPECT_EQ(child->wait(patience), -SIGKILL);
    after_kill = total_links();
    EXPECT_LT(after_kill, rows);
  }
  auto out = run_long(*service, args);
  EXPECT_EQ(out.status, 0) << out.err;
  EXPECT_EQ(out.out, import_summary(rows - after_kill, after_kill, 0, 0));
  EXPECT_EQ(total_links(), rows);
  EXPECT_EQ(service->run({"verify"}).status, 0);
}

TEST_F(import_test, a_large_file_is_read_in_bounded_memory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer keeps what was freed";
#endif
  // 100 MB in rows of half a megabyte, most of it in a column that means
  // nothing here.
  const auto path = file("");
  auto write_rows = [&](int rows) {
    std::ofstream out{path, std::ios::binary};
    out << "slug,destination_url,note\n";
    const auto note = std::string(500'000, 'x');
    for (int i = 0; i < rows; ++i)
      out << "big-" << i << ",https://a.example/,\"" << note << "\"\n";
  };
  auto peak = [&] {
    temporary_directory dir;
    auto child = begin_command(
      *service,
      {"import", "--format", "csv", "--email", owner_email, path, "--dry-run"},
      dir.path() / "out", dir.path() / "err");
    const auto status = "/proc/" + std::to_string(child->pid()) + "/status";
    int64_t result = 0;
    while (child->running()) {
      const auto text = read_file(status);
      if (const auto pos = text.find("VmHWM:"); pos != std::string::npos)
        result = std::max<int64_t>(result, std::stoll(text.substr(pos + 6)));
    }
    EXPECT_EQ(child->wait(patience), 0) << read_file(dir.path() / "err");
    return result;
  };
  write_rows(20);
  const auto small = peak();
  write_rows(200);
  const auto large = peak();
  EXPECT_GT(small, 0);
  EXPECT_LT(large, small + 8 * 1024) << "KiB";
}

TEST_F(import_test, a_terminal_sees_how_far_it_is) {
  const auto sample = make_export("yourls", 3000);
  const auto path = file(sample.text);
  const std::vector<std::string> args{"import",  "--format",  "yourls",
                                      "--email", owner_email, path};
  auto quiet = run_long(*service, args);
  EXPECT_THAT(quiet.err, Not(HasSubstr("\r")));
  EXPECT_THAT(quiet.err, Not(HasSubstr("rows")));
  // `script` runs a command on a terminal.
  std::string line;
  for (const auto& x : service->arguments(args))
    line += " '" + x + "'";
  auto shown = run_command({"/usr/bin/script", "-qefc", line, "/dev/null"}, {});
  EXPECT_EQ(shown.status, 1);
  EXPECT_THAT(shown.out, HasSubstr("\r["));
  EXPECT_THAT(shown.out, HasSubstr("% "));
  EXPECT_THAT(shown.out, HasSubstr(" rows"));
  EXPECT_THAT(shown.out, HasSubstr("\x1b[K" + sample.refusals.front()));
  EXPECT_THAT(shown.out, HasSubstr(" already there, "));
}
