// Fills a store with links and clicks through its plugin, as the DRAIN would
// have: the roll-ups come from the same code, so that `turnout verify` finds
// nothing.

#include "core/changes.hpp"
#include "core/identifiers.hpp"
#include "core/visitor.hpp"
#include "storage/plugin_loader.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace turnout {

namespace {

/// Links in one transaction.
constexpr size_t links_at_once = 1000;

struct options {
  std::string data_dir = "./data";
  std::string plugin = "sqlite";
  std::string dsn;
  std::string plugin_dir;
  std::string slugs;
  std::string email = "bench@example.com";
  int64_t links = 1000;
  int64_t clicks = 0;
  int days = 90;
  double hot = 0;
  double converting = 0.02;
  int64_t batch = 100'000;
  uint64_t seed = 1;
};

/// Returns the value, or throws the error.
template <class T>
T get(caf::expected<T> x) {
  if (!x)
    throw std::runtime_error(detail(x.error()));
  return std::move(*x);
}

void check(const caf::error& x) {
  if (x)
    throw std::runtime_error(detail(x));
}

std::vector<std::string> read_lines(const char* name) {
  std::ifstream in{std::filesystem::path{TURNOUT_BENCH_DATA} / name};
  std::vector<std::string> result;
  for (std::string line; std::getline(in, line);)
    if (!line.empty())
      result.push_back(line);
  if (result.empty())
    throw std::runtime_error(std::string{"cannot read "} + name);
  return result;
}

/// A client as clicks show it, classified once.
struct browser {
  std::string user_agent;
  agent_class what;
};

struct referrer {
  std::string url;
  std::string value;
};

struct network {
  std::string country;
  std::string address;
};

class filler {
public:
  filler(const options& what, storage::backend& db)
    : x_options(what),
      x_db(db),
      x_random(what.seed),
      x_end(start_of(day_of(now()))),
      x_start(x_end - std::chrono::days{what.days}) {
    for (auto& x : read_lines("browsers.txt"))
      x_browsers.push_back({x, classify_agent(x)});
    for (auto& x : read_lines("referrers.txt"))
      x_referrers.push_back({x, referrer_class(x)});
    x_referrers.push_back({"", referrer_class("")});
    for (auto& x : read_lines("networks.txt"))
      x_networks.push_back({x.substr(0, 2), x.substr(3) + ".0"});
  }

  /// Makes an account without a password and prints a key for it, unless there
  /// is one.
  void add_account() {
    if (auto found = get(x_db.find_account(x_options.email))) {
      x_owner = found->id;
      return;
    }
    account owner;
    owner.created_at = x_start;
    owner.id = x_owner = make_uuid(now());
    owner.email = x_options.email;
    owner.rate_limit = 1'000'000'000;
    check(x_db.add_account(owner));
    const auto text = make_key(key_type::secret);
    api_key key;
    key.created_at = now();
    key.id = make_uuid(key.created_at);
    key.account_id = owner.id;
    key.name = "benchmarks";
    key.prefix = key_prefix(text);
    key.hash = sha256_hex(text);
    check(x_db.add_key(key));
    std::printf("key %s\n", text.c_str());
  }

  void add_links() {
    std::ofstream out;
    if (!x_options.slugs.empty())
      out.open(x_options.slugs);
    std::vector<storage::new_link> batch;
    const auto store = [&] {
      for (auto& made : x_db.create_links(batch)) {
        x_links.push_back(get(std::move(made)).created);
        auto& x = x_links.back();
        if (out)
          out << x.slug << ' ' << x.id.str() << '\n';
        // What is not needed for clicks would fill the memory.
        x.name = {};
      }
      batch.clear();
    };
    for (int64_t i = 0; i < x_options.links; ++i) {
      auto& x = batch.emplace_back().draft;
      x.created_at = x.updated_at = x_start;
      x.id = make_uuid(x_start);
      x.user_id = x_owner;
      x.slug = make_slug(8);
      x.name = "Link " + std::to_string(i);
      const auto site
        = "https://www.example.com/campaigns/" + std::to_string(i);
      x.variants = make_variants({{"A", site + "/a?utm_source=link", 50},
                                  {"B", site + "/b?utm_source=link", 30},
                                  {"C", site + "/c?utm_source=link", 20}},
                                 x_start);
      if (batch.size() == links_at_once)
        store();
    }
    store();
  }

  void add_clicks() {
    const auto began = std::chrono::steady_clock::now();
    x_node = make_uuid(now());
    for (int64_t done = 0; done < x_options.clicks;) {
      const auto size = std::min(x_options.batch, x_options.clicks - done);
      storage::event_batch batch;
      batch.node = x_node;
      for (int64_t i = 0; i < size; ++i)
        add_click(batch, done + i);
      batch.ranges.push_back({0, x_position});
      const auto stored = get(x_db.store_events(batch));
      if (stored.clicks != size || stored.conversions_dropped > 0)
        throw std::runtime_error("the store did not take all events");
      done += size;
      const std::chrono::duration<double> took
        = std::chrono::steady_clock::now() - began;
      std::fprintf(stderr, "\r%lld of %lld clicks, %.0f a second ",
                   static_cast<long long>(done),
                   static_cast<long long>(x_options.clicks),
                   static_cast<double>(done) / took.count());
    }
    std::fprintf(stderr, "\n");
  }

private:
  bool chance(double share) {
    return std::uniform_real_distribution<>{}(x_random) < share;
  }

  template <class T>
  const T& pick(const std::vector<T>& xs) {
    return xs[x_random() % xs.size()];
  }

  void add_click(storage::event_batch& batch, int64_t number) {
    const auto& l = chance(x_options.hot) ? x_links.front() : pick(x_links);
    const auto draw = static_cast<int>(x_random() % 100);
    const auto& v = l.variants[draw < 50 ? 0 : draw < 80 ? 1 : 2];
    const auto& agent = pick(x_browsers);
    const auto& from = pick(x_referrers);
    const auto& net = pick(x_networks);
    click x;
    const auto share
      = static_cast<double>(number) / static_cast<double>(x_options.clicks);
    const std::chrono::duration<double, std::micro> since{
      share * static_cast<double>((x_end - x_start).count())};
    x.created_at
      = x_start + std::chrono::duration_cast<timestamp::duration>(since);
    x.id = make_uuid(x.created_at);
    x.link_key = l.key;
    x.variant_key = v.key;
    x.stratum = l.stratum;
    x.is_repeat = chance(0.05);
    x.visitor = static_cast<int64_t>(x_random() >> 1) | 1;
    x.ip_address = net.address;
    x.country = net.country;
    x.user_agent = agent.user_agent;
    x.referrer = from.url;
    storage::click_classes classes;
    const auto put = [&](dimension d, const std::string& value) {
      classes.values[static_cast<size_t>(d)] = value;
    };
    put(dimension::country, x.country);
    put(dimension::referrer, from.value);
    put(dimension::browser, agent.what.browser);
    put(dimension::device, agent.what.device);
    put(dimension::system, agent.what.system);
    batch.classes.push_back(std::move(classes));
    batch.click_places.push_back({0, ++x_position});
    if (chance(x_options.converting)) {
      conversion_request c;
      c.created_at = c.occurred_at = x.created_at + std::chrono::minutes{3};
      c.id = make_uuid(c.created_at);
      c.link_id = l.id;
      c.click_id = x.id;
      c.value = "19.90";
      c.currency = "EUR";
      batch.conversions.push_back(std::move(c));
      batch.conversion_places.push_back({0, ++x_position});
    }
    batch.clicks.push_back(std::move(x));
  }

  const options& x_options;
  storage::backend& x_db;
  std::mt19937_64 x_random;
  timestamp x_end;
  timestamp x_start;
  std::vector<browser> x_browsers;
  std::vector<referrer> x_referrers;
  std::vector<network> x_networks;
  std::vector<link> x_links;
  uuid x_owner;
  uuid x_node;
  int64_t x_position = 0;
};

void fill(const options& what) {
  std::filesystem::create_directories(what.data_dir);
  const auto open = get(storage::load_plugin(
    what.plugin, storage::plugin_directories(what.plugin_dir),
    {what.data_dir, what.dsn}));
  const auto db = get(open());
  check(db->migrate());
  filler x{what, *db};
  x.add_account();
  x.add_links();
  x.add_clicks();
}

int run(int argc, char** argv) {
  options what;
  CLI::App cli{"Fills a store with links and clicks that end yesterday, for "
               "measurements and trials. Prints an API key when it makes the "
               "account."};
  cli.option_defaults()->always_capture_default();
  cli.add_option("--data-dir", what.data_dir, "Directory of the data");
  cli.add_option("--storage", what.plugin, "Storage plugin");
  cli.add_option("--dsn", what.dsn, "Connection string of the store");
  cli.add_option("--plugin-dir", what.plugin_dir, "Where the plugin is");
  cli.add_option("--email", what.email, "Account that owns the links");
  cli.add_option("--links", what.links, "Links to add")
    ->check(CLI::Range(int64_t{1}, int64_t{10'000'000}));
  cli.add_option("--clicks", what.clicks, "Clicks to add")
    ->check(CLI::Range(int64_t{0}, int64_t{1'000'000'000}));
  cli.add_option("--days", what.days, "Days that the clicks are spread over")
    ->check(CLI::Range(1, 3650));
  cli.add_option("--hot", what.hot, "Share of the clicks on the first link")
    ->check(CLI::Range(0.0, 1.0));
  cli.add_option("--converting", what.converting, "Share that converts")
    ->check(CLI::Range(0.0, 1.0));
  cli.add_option("--batch", what.batch, "Clicks in one transaction")
    ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}));
  cli.add_option("--slugs", what.slugs,
                 "File to write slug and id of each link");
  cli.add_option("--seed", what.seed, "Seed of the random choices");
  CLI11_PARSE(cli, argc, argv);
  try {
    fill(what);
    return 0;
  } catch (const std::exception& x) {
    std::fprintf(stderr, "fill_store: %s\n", x.what());
    return 1;
  }
}

} // namespace

} // namespace turnout

int main(int argc, char** argv) {
  return turnout::run(argc, argv);
}
