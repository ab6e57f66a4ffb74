#pragma once

#include "storage/backend.hpp"

#include <memory>
#include <string>

namespace turnout::test {

/// Reaches into a store past its plugin. Statements are such that every
/// database understands them.
class raw_store {
public:
  virtual ~raw_store() = default;

  virtual void execute(const std::string& sql) = 0;

  /// Returns the first column of the first row.
  virtual int64_t number(const std::string& sql) = 0;
};

/// Opens the store that `plugin` keeps with these settings.
std::unique_ptr<raw_store> open_raw_store(const std::string& plugin,
                                          const storage::backend_settings&);

} // namespace turnout::test
