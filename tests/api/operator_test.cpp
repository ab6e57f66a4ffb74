#include "tests/api/harness/api_test.hpp"

using namespace turnout::test;
using testing::HasSubstr;
using testing::Not;

namespace {

class operator_test : public api_test {
protected:
  response operate(const std::string& path, const std::string& method = "GET") {
    http_client client{service->operator_origin()};
    return client.send(method, path);
  }
};

} // namespace

TEST_F(operator_test, health_and_readiness) {
  EXPECT_EQ(operate("/healthz").status, 200);
  EXPECT_EQ(operate("/readyz").status, 200);
}

TEST_F(operator_test, metrics_are_prometheus_text) {
  auto link = make_split();
  visit_many(text(link, "slug"), 5);
  visit("unknown-1");
  auto answer = operate("/metrics");
  ASSERT_EQ(answer.status, 200);
  EXPECT_THAT(answer.header("content-type"), HasSubstr("text/plain"));
  EXPECT_THAT(answer.body, HasSubstr("# TYPE turnout_"));
  EXPECT_THAT(answer.body, HasSubstr("# HELP turnout_"));
}

TEST_F(operator_test, case_101_metrics_name_no_slug_and_no_id) {
  auto link = make_split();
  auto slug = text(link, "slug");
  visit(slug);
  visit("unknown-slug-1");
  get(path_of(link));
  get(links_path + "/" + unknown_id);
  send("GET", "/api/v1/public/some-unknown-path");
  auto body = operate("/metrics").body;
  for (auto& word :
       {slug, text(link, "id"), unknown_id, std::string{"unknown-slug-1"},
        std::string{"some-unknown-path"}, secret_key})
    EXPECT_THAT(body, Not(HasSubstr(word)));
}

TEST_F(operator_test, case_101_expected_errors_are_no_error_lines) {
  for (int i = 0; i < 50; ++i) {
    visit("unknown-1");
    get(links_path + "/" + unknown_id);
    call("POST", links_path, {}, "{");
    send("GET", links_path);
    operate("/healthz");
  }
  EXPECT_THAT(service->errors(), HasSubstr(R"("level":"info")"));
  EXPECT_THAT(service->errors(), Not(HasSubstr(R"("level":"error")")));
}

TEST_F(operator_test, its_paths_are_not_on_the_public_port) {
  for (auto path : {"/metrics", "/healthz", "/readyz"})
    EXPECT_EQ(send("GET", path).status, 404) << path;
}

TEST_F(operator_test, the_public_paths_are_not_on_its_port) {
  make_single("d-1");
  EXPECT_EQ(operate("/d-1").status, 404);
  EXPECT_EQ(operate(links_path).status, 404);
  EXPECT_EQ(operate("/").status, 404);
}

TEST_F(operator_test, other_methods_change_nothing) {
  EXPECT_GE(operate("/metrics", "POST").status, 400);
  EXPECT_GE(operate("/healthz", "DELETE").status, 400);
}
