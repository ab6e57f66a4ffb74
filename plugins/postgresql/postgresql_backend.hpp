#pragma once

#include "plugins/postgresql/partitions.hpp"
#include "plugins/sql/sql_backend.hpp"

#include <memory>
#include <string>

namespace turnout::postgresql {

using plugins::connection;

/// Keeps everything in the PostgreSQL database that `storage.dsn` names. Any
/// number of nodes may use it at once.
class postgresql_backend : public plugins::sql_backend {
public:
  explicit postgresql_backend(const storage::backend_settings& settings);

  ~postgresql_backend() override;

  bool wait_for_change(std::chrono::milliseconds timeout) override;

  caf::expected<int64_t> purge_clicks(day_number before) override;

protected:
  connection& open() override;

  void close() noexcept override;

  verdict handle_exception(const char* what) noexcept override;

  const std::vector<storage::migration>& schema() const override;

  void lock_migrations(connection& db) override;

  void lock_events(connection& db) override;

  void allow_long_work(connection& db) override;

  void allow_slow_batch(connection& db) override;

  void prepare_for(connection& db, const storage::event_batch& batch) override;

  std::unique_ptr<plugins::event_tables> tables(connection& db) override;

private:
  void connect();

  std::string x_connect_string;
  std::unique_ptr<connection> x_connection;
  bool x_listening = false;
  partition_maker x_click_partitions{clicks_table};
  partition_maker x_visitor_partitions{visitors_table};
};

} // namespace turnout::postgresql
