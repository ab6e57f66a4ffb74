// Keeps accounts in memory, and nothing else.
#include "storage/plugin.hpp"

#include <utility>

namespace turnout::storage {

namespace {

caf::error not_kept() {
  return caf::make_error(ec::unavailable,
                         std::string{"The memory plugin keeps accounts only."});
}

class memory_backend : public backend {
public:
  caf::error ping() override {
    return caf::none;
  }

  caf::expected<int> schema_version() override {
    return 1;
  }

  int newest_schema_version() const override {
    return 1;
  }

  caf::error migrate() override {
    return caf::none;
  }

  caf::expected<std::vector<std::string>> verify(bool) override {
    return std::vector<std::string>{};
  }

  caf::error add_account(const account& x) override {
    for (const auto& known : x_accounts)
      if (known.id == x.id || known.email == x.email)
        return caf::make_error(ec::conflict, std::string{"taken"});
    x_accounts.emplace_back(x);
    return caf::none;
  }

  caf::expected<std::optional<account>>
  find_account(const std::string& email) override {
    std::optional<account> result;
    for (const auto& known : x_accounts)
      if (known.email == email)
        result = known;
    return result;
  }

  caf::expected<std::vector<account>> list_accounts() override {
    return x_accounts;
  }

  caf::error update_account(const account&) override {
    return not_kept();
  }

  caf::error add_key(const api_key&) override {
    return not_kept();
  }

  caf::expected<std::vector<api_key>> list_keys() override {
    return not_kept();
  }

  caf::expected<std::vector<api_key>> account_keys(const uuid&) override {
    return not_kept();
  }

  caf::error add_refresh_token(const refresh_token&) override {
    return not_kept();
  }

  caf::expected<rotation> rotate_refresh_token(const std::string&,
                                               const std::string&, timestamp,
                                               timestamp) override {
    return not_kept();
  }

  caf::error add_web_session(const web_session&) override {
    return not_kept();
  }

  caf::error end_web_session(const std::string&) override {
    return not_kept();
  }

  caf::expected<std::vector<web_session>>
  list_web_sessions(timestamp) override {
    return std::vector<web_session>{};
  }

  caf::expected<std::optional<web_session>>
  find_web_session(const std::string&, timestamp) override {
    return std::optional<web_session>{};
  }

  caf::error revoke_key(const uuid&, const uuid&) override {
    return not_kept();
  }

  caf::error
  touch_keys(const std::vector<std::pair<uuid, timestamp>>&) override {
    return not_kept();
  }

  caf::expected<creation>
  create_link(const link&, const std::optional<idempotency>&) override {
    return not_kept();
  }

  caf::expected<std::optional<link>> load_link(const std::string&) override {
    return not_kept();
  }

  caf::expected<std::optional<link>> load_link(const uuid&) override {
    return not_kept();
  }

  caf::expected<link> save_link(const link&) override {
    return not_kept();
  }

  caf::expected<std::vector<stratum>> strata(row_key) override {
    return not_kept();
  }

  caf::expected<link_page> list_links(const uuid&, int, int,
                                      const link_selection&) override {
    return not_kept();
  }

  caf::expected<std::vector<counted_link>>
  links_before(const uuid&, const std::optional<link_place>&, int) override {
    return not_kept();
  }

  caf::expected<store_result> store_events(const event_batch&) override {
    return not_kept();
  }

  caf::expected<std::vector<journal_range>>
  journal_positions(const uuid&) override {
    return not_kept();
  }

  caf::expected<conversion_result>
  add_conversion(const uuid&, const conversion_request&) override {
    return not_kept();
  }

  caf::expected<std::vector<day_secret>>
  day_secrets(const std::vector<day_number>&) override {
    return not_kept();
  }

  caf::expected<analytics_report> analytics(const uuid&, const uuid&,
                                            std::optional<day_number>,
                                            std::optional<day_number>,
                                            day_number) override {
    return not_kept();
  }

  caf::expected<click_page> clicks(const uuid&, const uuid&, const click_range&,
                                   int, int) override {
    return not_kept();
  }

  caf::expected<std::optional<winner_evidence>> evidence(const uuid&) override {
    return not_kept();
  }

  caf::expected<recommendation_result>
  add_recommendation(const recommendation&) override {
    return not_kept();
  }

  caf::expected<std::vector<click_row>> clicks_before(const uuid&, const uuid&,
                                                      const click_range&,
                                                      const uuid&,
                                                      int) override {
    return not_kept();
  }

  caf::expected<std::vector<admitted>> admit(const std::vector<admission>&,
                                             int64_t) override {
    return not_kept();
  }

  caf::expected<int64_t> last_change() override {
    return not_kept();
  }

  caf::expected<std::vector<change>> changes_since(int64_t) override {
    return not_kept();
  }

private:
  std::vector<account> x_accounts;
};

backend* open_memory(const backend_settings&) {
  return new memory_backend;
}

} // namespace

} // namespace turnout::storage

TURNOUT_STORAGE_PLUGIN("memory", turnout::storage::open_memory);
