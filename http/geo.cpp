#include "http/geo.hpp"

#include "core/error.hpp"
#include "core/rules.hpp"
#include "monitoring/log.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <maxminddb.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnout {

namespace {

class descriptor {
public:
  explicit descriptor(int fd) : x_fd{fd} {
    // nop
  }

  ~descriptor() {
    if (x_fd >= 0)
      ::close(x_fd);
  }

  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  int get() const noexcept {
    return x_fd;
  }

private:
  int x_fd;
};

std::string last_error() {
  return std::strerror(errno);
}

/// Copies the rest of a file; the text of the failure, or nothing.
std::string copy(int from, int to) {
  std::vector<char> buffer(1 << 20);
  for (;;) {
    auto n = ::read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return last_error();
    if (n == 0)
      return {};
    for (auto* pos = buffer.data(); n > 0;) {
      const auto written = ::write(to, pos, static_cast<size_t>(n));
      if (written < 0)
        return last_error();
      pos += written;
      n -= written;
    }
  }
}

uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

} // namespace

/// An open database.
class geo_lookup::database {
public:
  static caf::expected<std::shared_ptr<const database>>
  open(const std::filesystem::path& file) {
    descriptor source{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (source.get() < 0)
      return make_error(ec::config, last_error());
    // libmaxminddb maps the file it is given. Were that the user's file, then
    // overwriting it in place would end the process with SIGBUS.
    descriptor memory{::memfd_create("turnout-geo", MFD_CLOEXEC)};
    if (memory.get() < 0)
      return make_error(ec::config, last_error());
    if (auto failure = copy(source.get(), memory.get()); !failure.empty())
      return make_error(ec::config, std::move(failure));
    auto result = std::make_shared<database>();
    const auto path = "/proc/self/fd/" + std::to_string(memory.get());
    const auto status = MMDB_open(path.c_str(), MMDB_MODE_MMAP, &result->x_db);
    if (status != MMDB_SUCCESS)
      return make_error(ec::config, MMDB_strerror(status));
    result->x_open = true;
    return std::shared_ptr<const database>{std::move(result)};
  }

  database() = default;

  ~database() {
    if (x_open)
      MMDB_close(&x_db);
  }

  database(const database&) = delete;
  database& operator=(const database&) = delete;

  /// Returns where the file says something of an address; nullopt if nowhere.
  std::optional<MMDB_entry_s> find(const ip_address& x) const {
    auto error = 0;
    const auto found = look_up(x, error);
    if (error != MMDB_SUCCESS || !found.found_entry)
      return std::nullopt;
    return found.entry;
  }

  /// Seconds of Unix time.
  int64_t built() const noexcept {
    return static_cast<int64_t>(x_db.metadata.build_epoch);
  }

  std::string country(MMDB_entry_s entry) const {
    std::string result;
    MMDB_entry_data_s data;
    if (!is_text(MMDB_get_value(&entry, &data, "country", "iso_code", nullptr),
                 data)
        && !is_text(MMDB_get_value(&entry, &data, "country_code", nullptr),
                    data))
      return result;
    result.assign(data.utf8_string, data.data_size);
    if (!is_country_code(result))
      result.clear();
    return result;
  }

private:
  static bool is_text(int status, const MMDB_entry_data_s& data) noexcept {
    return status == MMDB_SUCCESS && data.has_data
           && data.type == MMDB_DATA_TYPE_UTF8_STRING && data.data_size == 2;
  }

  MMDB_lookup_result_s look_up(const ip_address& x, int& error) const {
    sockaddr_storage storage{};
    if (x.is_v4) {
      auto* addr = reinterpret_cast<sockaddr_in*>(&storage);
      addr->sin_family = AF_INET;
      std::memcpy(&addr->sin_addr, x.bytes.data(), 4);
    } else {
      auto* addr = reinterpret_cast<sockaddr_in6*>(&storage);
      addr->sin6_family = AF_INET6;
      std::memcpy(&addr->sin6_addr, x.bytes.data(), 16);
    }
    return MMDB_lookup_sockaddr(
      &x_db, reinterpret_cast<const sockaddr*>(&storage), &error);
  }

  MMDB_s x_db{};
  bool x_open = false;
};

geo_lookup::geo_lookup(std::filesystem::path file)
  : x_file{std::move(file)}, x_id{next_id()} {
  refresh();
}

geo_lookup::~geo_lookup() {
  // nop
}

/// What a thread keeps of its own, so that threads share neither a lock nor a
/// counter on the way of every visit.
struct geo_lookup::cached {
  std::string country(const ip_address& x) {
    if (!value)
      return {};
    const auto entry = value->find(x);
    if (!entry)
      return {};
    if (const auto i = codes.find(entry->offset); i != codes.end())
      return i->second;
    // Files with cities have an entry for each.
    if (codes.size() >= max_codes)
      codes.clear();
    return codes[entry->offset] = value->country(*entry);
  }

  static constexpr size_t max_codes = 1000;

  uint64_t owner = 0;
  uint64_t generation = 0;
  std::shared_ptr<const database> value;
  /// Countries by the offset of their entry: reading one takes longer than
  /// finding it.
  std::unordered_map<uint32_t, std::string> codes;
};

geo_lookup::cached& geo_lookup::current() const {
  thread_local cached mine;
  const auto generation = x_generation.load(std::memory_order_acquire);
  if (mine.owner != x_id || mine.generation != generation) {
    std::lock_guard guard{x_mtx};
    mine = {x_id, generation, x_database, {}};
  }
  return mine;
}

std::string geo_lookup::country(const ip_address& x) const {
  if (!x.is_public())
    return {};
  return current().country(x);
}

geo_lookup::stamp geo_lookup::current_stamp() const {
  struct stat info {};
  stamp result;
  if (::stat(x_file.c_str(), &info) == 0) {
    result.modified = static_cast<int64_t>(info.st_mtim.tv_sec) * 1'000'000'000
                      + info.st_mtim.tv_nsec;
    result.size = info.st_size;
    result.inode = info.st_ino;
  }
  return result;
}

std::optional<int64_t> geo_lookup::built() const {
  std::lock_guard guard{x_mtx};
  if (!x_database)
    return std::nullopt;
  return x_database->built();
}

void geo_lookup::refresh() {
  if (x_file.empty())
    return;
  const auto before = current_stamp();
  if (before.size < 0) {
    if (!std::exchange(x_warned_missing, true))
      log::warning("geo database not found, countries stay unknown or as old "
                   "as the last file; set geo.database to an .mmdb file",
                   {{"file", x_file.string()}});
    return;
  }
  x_warned_missing = false;
  if (before == x_seen)
    return;
  auto opened = database::open(x_file);
  // A file that is being written is looked at again by the next call.
  if (current_stamp() != before)
    return;
  x_seen = before;
  if (!opened) {
    log::warning(
      "geo database cannot be read, countries stay unknown or as "
      "old as the last file",
      {{"file", x_file.string()}, {"error", detail(opened.error())}});
    return;
  }
  publish(std::move(*opened));
}

caf::error geo_lookup::use(std::filesystem::path file) {
  if (file == x_file)
    return caf::none;
  std::shared_ptr<const database> next;
  if (!file.empty()) {
    auto opened = database::open(file);
    if (!opened)
      return make_error(ec::config,
                        "geo database " + file.string()
                          + " cannot be read: " + detail(opened.error()));
    next = std::move(*opened);
  }
  x_file = std::move(file);
  // A change that came after the file was opened is found by `refresh`.
  x_seen = {};
  x_warned_missing = false;
  publish(std::move(next));
  return caf::none;
}

void geo_lookup::publish(std::shared_ptr<const database> next) {
  {
    std::lock_guard guard{x_mtx};
    x_database = std::move(next);
  }
  x_generation.fetch_add(1, std::memory_order_release);
  if (!x_file.empty())
    log::info("geo database loaded", {{"file", x_file.string()}});
}

} // namespace turnout
