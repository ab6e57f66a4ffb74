#include "plugins/sql/sql_backend.hpp"
#include "plugins/sql/statements.hpp"

namespace turnout::plugins {

caf::error sql_backend::ping() {
  return attempt("reach the store", [](connection& db) {
    auto has_schema = 0;
    db.first(db.words().has_schema, std::tie(has_schema));
  });
}

caf::expected<int> sql_backend::schema_version() {
  return load_schema_version(default_tries);
}

caf::expected<int> sql_backend::load_schema_version(int max_tries) {
  return attempt(
    "read the version of the store",
    [](connection& db) {
      auto has_schema = 0;
      auto version = 0;
      db.first(db.words().has_schema, std::tie(has_schema));
      if (has_schema != 0)
        db.first(sql::schema_version, std::tie(version));
      return version;
    },
    max_tries);
}

int sql_backend::newest_schema_version() const {
  return schema().back().version;
}

caf::error sql_backend::migrate() {
  static constexpr char what[] = "migrate the store";
  // Never tried again in the middle of a step: that would be on a connection
  // without its transaction.
  static constexpr auto once = 1;
  struct target : storage::migration_target {
    sql_backend& self;

    explicit target(sql_backend& x) : self(x) {
      // nop
    }

    caf::expected<int> version() override {
      return self.load_schema_version(once);
    }

    caf::error begin() override {
      return self.attempt(
        what,
        [this](connection& db) {
          db.run(db.words().begin_write);
          self.allow_long_work(db);
          self.lock_migrations(db);
        },
        once);
    }

    caf::expected<int64_t> apply(const std::string& statement) override {
      return self.attempt(
        what,
        [&](connection& db) {
          self.allow_long_work(db);
          return db.run_once(statement);
        },
        once);
    }

    caf::error record(const storage::migration& step) override {
      return self.attempt(
        what,
        [&](connection& db) {
          auto at = to_micros(now());
          db.run(sql::add_migration, step.version, step.title, at);
        },
        once);
    }

    caf::error commit() override {
      return self.attempt(
        what, [](connection& db) { db.run_once("COMMIT"); }, once);
    }

    void roll_back() noexcept override {
      self.close();
    }
  };
  target here{*this};
  return storage::run_migrations(here, schema());
}

} // namespace turnout::plugins
