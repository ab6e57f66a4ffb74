#include "app/command_line.hpp"
#include "app/output.hpp"
#include "app/store.hpp"
#include "app/upkeep.hpp"
#include "journal/copy.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>

namespace turnout::app {

namespace {

namespace fs = std::filesystem;

/// Copies into a directory that is there. The journal before the store: an
/// event that leaves the journal meanwhile is in the store already, and one
/// that is in both is known by its position when the copy serves.
caf::error copy_all(const settings& options,
                    const storage::backup_function& copy_store,
                    const fs::path& to) {
  const auto& from = options.data_dir;
  for (const auto name : {"node_id", "session_secret"})
    if (auto err = journal::copy_file(from / name, to / name))
      return err;
  if (auto err = journal::copy_segments(from / "journal", to / "journal"))
    return err;
  if (copy_store)
    if (auto err = copy_store(to))
      return err;
  return journal::sync_directory(to);
}

caf::error cannot_make(const fs::path& dir, const std::string& why) {
  return make_error(ec::config,
                    "cannot make " + dir.string() + ": " + why
                      + "; name a directory that does not exist yet");
}

} // namespace

int back_up(const settings& options, const std::string& directory) {
  std::error_code failure;
  if (!fs::is_directory(options.data_dir, failure))
    return fail(make_error(ec::config, "there is no data directory "
                                         + options.data_dir.string()
                                         + "; name it with --data-dir"));
  auto copy_store = load_store_backup(options);
  if (!copy_store)
    return fail(copy_store.error());
  auto target = fs::path{directory}.lexically_normal();
  if (!target.has_filename())
    target = target.parent_path();
  if (fs::exists(target, failure))
    return fail(cannot_make(target, "it exists"));
  // Under another name until it is complete, so that a backup that is there is
  // a whole one.
  const fs::path draft = target.string() + ".incomplete";
  if (::mkdir(draft.c_str(), S_IRWXU) != 0)
    return fail(cannot_make(draft, std::strerror(errno)));
  auto err = copy_all(options, *copy_store, draft);
  if (!err) {
    fs::rename(draft, target, failure);
    if (failure)
      err = cannot_make(target, failure.message());
    else
      err = journal::sync_directory(fs::absolute(target).parent_path());
  }
  if (err) {
    fs::remove_all(draft, failure);
    return fail(err);
  }
  std::cout << "backup " << target.string() << '\n';
  if (!*copy_store)
    std::cout << "The store is a database server's: back that up next, not "
                 "before.\n";
  return done;
}

} // namespace turnout::app
