#pragma once

#include "storage/backend.hpp"

#include <memory>
#include <string>

namespace turnout::test {

/// A store that is reached into past its plugin. Statements are such that every
/// database understands them.
class raw_store {
public:
  virtual ~raw_store() = default;

  virtual void execute(const std::string& sql) = 0;

  /// Returns the first column of the first row.
  virtual int64_t number(const std::string& sql) = 0;
};

/// Makes a store for `plugin`, empty and gone at the end, and writes into
/// `settings` where it is.
std::unique_ptr<raw_store> make_raw_store(const std::string& plugin,
                                          storage::backend_settings& settings);

} // namespace turnout::test
