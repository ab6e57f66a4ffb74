#include "app/transfer.hpp"

#include "app/accounts.hpp"
#include "app/command_line.hpp"
#include "app/output.hpp"
#include "app/store.hpp"
#include "core/utf8.hpp"
#include "http/reachable_address.hpp"
#include "transfer/exporter.hpp"
#include "transfer/importer.hpp"
#include "transfer/progress.hpp"
#include "transfer/readers.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <utility>

namespace turnout::app {

namespace {

using transfer::progress_bar;

/// Small, so that the bar moves.
constexpr size_t chunk_size = 16 * 1024;

struct file_closer {
  void operator()(std::FILE* x) const {
    if (x != stdin && x != stdout)
      std::fclose(x);
  }
};

using file_ptr = std::unique_ptr<std::FILE, file_closer>;

std::string system_error() {
  return std::strerror(errno);
}

/// Returns the size of a regular file; 0 for anything else.
int64_t size_of(std::FILE* x) {
  struct stat info {};
  if (fstat(fileno(x), &info) != 0 || !S_ISREG(info.st_mode))
    return 0;
  return info.st_size;
}

/// Returns the account that was named, or the only one. What is ambiguous is
/// wrong usage.
struct chosen_account {
  account who;
  int status = done;
};

chosen_account choose_account(storage::backend& db, const std::string& email) {
  if (!email.empty()) {
    auto found = find_account(db, email);
    if (!found)
      return {{}, fail(found.error())};
    return {std::move(*found)};
  }
  auto accounts = db.list_accounts();
  if (!accounts)
    return {{}, fail(accounts.error())};
  if (accounts->size() == 1)
    return {std::move(accounts->front())};
  if (accounts->empty())
    return {{},
            fail(make_error(ec::not_found,
                            "there is no account; make one with turnout user "
                            "add"))};
  std::cerr << "turnout: there are " << accounts->size()
            << " accounts; name one with --email (see: turnout user list)\n";
  return {{}, wrong_usage};
}

/// Returns a text that takes one line, whatever a file had in it.
std::string one_line(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [code, size] = first_char(text);
    if (size == 0 || is_control(code))
      result += '?';
    else
      result += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

/// Hosts that destinations must not have, as the service derives them.
own_hosts forbidden_hosts(const settings& options) {
  if (options.redirect.allow_own_host)
    return {};
  return host_of_short_links(options.http.short_base.empty()
                               ? reachable_address(options.http.listen)
                               : options.http.short_base);
}

/// Reads a file to its end.
caf::error read_all(std::FILE* in, transfer::record_reader& reader,
                    const std::function<void(size_t)>& progress) {
  std::array<char, chunk_size> buf;
  for (;;) {
    const auto n = std::fread(buf.data(), 1, buf.size(), in);
    if (n > 0)
      if (auto err = reader.feed({buf.data(), n}))
        return err;
    progress(n);
    if (n < buf.size()) {
      if (std::ferror(in) != 0)
        return make_error(ec::invalid,
                          "the file cannot be read: " + system_error());
      return reader.finish();
    }
  }
}

} // namespace

int import_links(const settings& options, const import_request& what) {
  file_ptr in{what.file == "-" ? stdin : std::fopen(what.file.c_str(), "rb")};
  if (!in)
    return fail(make_error(ec::invalid,
                           "cannot read " + what.file + ": " + system_error()));
  auto db = open_store(options);
  if (!db)
    return fail(db.error());
  const auto owner = choose_account(**db, what.email);
  if (owner.status != done)
    return owner.status;
  transfer::import_options how;
  how.owner = owner.who.id;
  how.own = forbidden_hosts(options);
  how.slug_length = options.slug.length;
  how.per_account = options.links.per_account;
  how.dry_run = what.dry_run;
  transfer::importer work{**db, how};
  progress_bar bar{stderr, true};
  const auto tell = [&](const std::string& line) {
    bar.clear();
    std::cerr << "turnout: " << one_line(line) << '\n';
  };
  const auto size = size_of(in.get());
  int64_t bytes = 0;
  const auto rows = [&] {
    const auto& n = work.counts();
    return n.imported + n.present + n.refused;
  };
  auto reader = transfer::make_reader(
    *transfer::parse_file_format(what.format),
    [&](const transfer::record& x) -> caf::error {
      auto err = work.take(x);
      bar.update(bytes, size, rows());
      if (!err)
        return {};
      if (!transfer::is_refusal(err))
        return err;
      tell("line " + std::to_string(x.line) + ": " + detail(err));
      return {};
    },
    tell);
  auto err = read_all(in.get(), *reader, [&](size_t n) {
    bytes += static_cast<int64_t>(n);
    bar.update(bytes, size, rows());
  });
  bar.clear();
  const auto& n = work.counts();
  std::cout << (what.dry_run ? "dry run, nothing is stored: " : "")
            << n.imported << " imported, " << n.present << " already there, "
            << n.refused << " refused; " << n.clicks
            << " clicks counted elsewhere came with them" << std::endl;
  if (err)
    tell(detail(err)
         + (code_of(err) == ec::invalid
              ? "; nothing behind it is read"
              : "; run the same command again to go on"));
  return err || n.refused > 0 ? failed : done;
}

int export_links(const settings& options, const export_request& what) {
  auto db = open_store(options);
  if (!db)
    return fail(db.error());
  const auto owner = choose_account(**db, what.email);
  if (owner.status != done)
    return owner.status;
  const auto name
    = what.output.empty() ? std::string{"standard output"} : what.output;
  file_ptr out{what.output.empty() ? stdout
                                   : std::fopen(what.output.c_str(), "wb")};
  if (!out)
    return fail(
      make_error(ec::invalid, "cannot write " + name + ": " + system_error()));
  auto links = (*db)->list_links(owner.who.id, 1, 1);
  if (!links)
    return fail(links.error());
  transfer::export_options how;
  how.owner = owner.who.id;
  how.json_lines = what.format == "jsonl";
  how.clicks = what.what == "clicks";
  // Not among the rows themselves.
  progress_bar bar{stderr, isatty(fileno(out.get())) == 0};
  const auto cannot_write = [&] {
    return make_error(ec::invalid, "cannot write " + name + ": "
                                     + system_error()
                                     + "; what was written is incomplete");
  };
  auto err = transfer::write_export(
    **db, how,
    [&](std::string_view part) -> caf::error {
      if (std::fwrite(part.data(), 1, part.size(), out.get()) != part.size())
        return cannot_write();
      return {};
    },
    [&](int64_t done, int64_t rows) { bar.update(done, links->total, rows); });
  if (!err && std::fflush(out.get()) != 0)
    err = cannot_write();
  bar.clear();
  return err ? fail(err) : done;
}

} // namespace turnout::app
