#include "journal/files.hpp"

#include "journal/fault.hpp"
#include "journal/file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>
#include <system_error>
#include <tuple>

namespace turnout::journal {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view suffix = ".journal";

constexpr size_t position_digits = 20;

template <class T>
bool parse_number(std::string_view text, T& out) {
  if (text.empty() || text.front() == '-')
    return false;
  auto end = text.data() + text.size();
  auto [ptr, err] = std::from_chars(text.data(), end, out);
  return err == std::errc{} && ptr == end;
}

caf::error failed(const char* what, const fs::path& path,
                  const std::error_code& err) {
  return make_error(ec::journal, std::string{"cannot "} + what + " "
                                   + path.string() + ": " + err.message());
}

} // namespace

segment_file make_segment_file(const fs::path& dir, int journal,
                               int64_t first) {
  char name[64];
  std::snprintf(name, sizeof(name), "%d-%020lld.journal", journal,
                static_cast<long long>(first));
  return {journal, first, dir / name};
}

std::optional<segment_file> parse_segment_name(std::string_view name) {
  if (!name.ends_with(suffix))
    return std::nullopt;
  auto stem = name.substr(0, name.size() - suffix.size());
  auto dash = stem.find('-');
  if (dash == std::string_view::npos
      || stem.size() - dash - 1 != position_digits)
    return std::nullopt;
  segment_file result;
  if (!parse_number(stem.substr(0, dash), result.journal)
      || !parse_number(stem.substr(dash + 1), result.first))
    return std::nullopt;
  return result;
}

fs::path unfinished_segment(const fs::path& dir, int journal) {
  return dir / (std::to_string(journal) + ".new");
}

caf::expected<std::vector<segment_file>>
list_segments(const fs::path& dir, std::optional<int> journal) {
  std::vector<segment_file> result;
  std::error_code err;
  fs::directory_iterator i{dir, err};
  for (; !err && i != fs::directory_iterator{}; i.increment(err)) {
    auto x = parse_segment_name(i->path().filename().native());
    if (!x || (journal && x->journal != *journal))
      continue;
    x->path = i->path();
    result.push_back(std::move(*x));
  }
  if (err)
    return failed("list the directory", dir, err);
  std::sort(result.begin(), result.end(), [](auto& x, auto& y) {
    return std::tie(x.journal, x.first) < std::tie(y.journal, y.first);
  });
  return result;
}

int64_t segment_bytes(const fs::path& path) {
  std::error_code err;
  const auto result = fs::file_size(path, err);
  return err ? 0 : static_cast<int64_t>(result);
}

bool is_gone(const fs::path& path) {
  std::error_code err;
  return !fs::exists(path, err) && !err;
}

caf::error remove_segment(const fs::path& path) {
  try {
    remove_file(path);
    return caf::error{};
  } catch (const segment_error& x) {
    return make_error(ec::journal,
                      "cannot delete " + path.string() + ": " + x.what());
  }
}

caf::error set_aside(const fs::path& path) {
  auto target = path;
  target += ".corrupt";
  std::error_code err;
  fs::rename(path, target, err);
  return err ? failed("rename", path, err) : caf::error{};
}

caf::error make_private_directory(const fs::path& dir) {
  std::error_code err;
  auto made = fs::create_directories(dir, err);
  if (!err && made)
    fs::permissions(dir, fs::perms::owner_all, err);
  if (err)
    return failed("make the directory", dir, err);
  return caf::error{};
}

} // namespace turnout::journal
