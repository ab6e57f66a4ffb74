#pragma once

#include "plugins/sql/sql_backend.hpp"
#include "plugins/sqlite/event_tables.hpp"

#include <filesystem>
#include <functional>
#include <memory>

namespace turnout::sqlite {

using plugins::connection;
using plugins::fail;

/// Keeps everything in the file `turnout.db` of the data directory. Several
/// processes may use it at once.
class sqlite_backend : public plugins::sql_backend {
public:
  explicit sqlite_backend(const storage::backend_settings& settings);

  void on_progress(std::function<void()> f) override;

  caf::expected<int64_t> purge_clicks(day_number before) override;

protected:
  connection& open() override;

  void close() noexcept override;

  verdict handle_exception(const char* what) noexcept override;

  const std::vector<storage::migration>& schema() const override;

  void prepare_for(connection& db, const storage::event_batch& batch) override;

  std::unique_ptr<plugins::event_tables> tables(connection& db) override;

private:
  void open_file();

  /// Makes the connection ready for storing events.
  void prepare_for_batches(connection& db);

  std::filesystem::path x_directory;
  std::filesystem::path x_file;
  /// Before the connection, which calls it.
  std::function<void()> x_on_progress;
  std::unique_ptr<connection> x_connection;
  /// Those of the connection, which they must not outlive.
  std::unique_ptr<statement_cache> x_statements;
  /// Whether the connection is ready for storing events.
  bool x_takes_batches = false;
  sqlite::event_tables::memory x_known;
};

} // namespace turnout::sqlite
