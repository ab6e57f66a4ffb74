#include "transfer/exporter.hpp"

#include "http/codec/clicks_csv.hpp"
#include "http/codec/report.hpp"
#include "transfer/link_csv.hpp"
#include "transfer/link_json.hpp"

#include <boost/json/serialize.hpp>

#include <optional>

namespace turnout::transfer {

namespace {

/// Rows that are in memory at a time.
constexpr int rows_per_part = 500;

/// An export under way.
struct export_run {
  storage::backend& db;
  const export_options& options;
  const part_sink& sink;
  const std::function<void(int64_t, int64_t)>& progress;
  int64_t links = 0;
  int64_t rows = 0;

  caf::error head() {
    if (options.json_lines)
      return {};
    return sink(options.clicks ? clicks_csv_header()
                               : std::string_view{links_csv_header()});
  }

  caf::error write_links(const std::vector<storage::counted_link>& page) {
    std::string part;
    for (const auto& x : page) {
      if (options.json_lines)
        part += json::serialize(to_json(x)) + '\n';
      else
        append_links_csv(part, x);
    }
    links += static_cast<int64_t>(page.size());
    rows = links;
    return sink(part);
  }

  caf::error write_clicks(const uuid& link_id) {
    const auto id_text = link_id.str();
    uuid last;
    for (;;) {
      auto page
        = db.clicks_before(options.owner, link_id, {}, last, rows_per_part);
      if (!page) {
        // Deleted since the page of links was read.
        if (code_of(page.error()) == ec::not_found)
          return {};
        return std::move(page.error());
      }
      std::string part;
      for (const auto& x : *page) {
        if (options.json_lines)
          part += json::serialize(to_json(x, id_text)) + '\n';
        else
          append_clicks_csv(part, id_text, x);
      }
      rows += static_cast<int64_t>(page->size());
      if (auto err = sink(part))
        return err;
      progress(links, rows);
      if (page->size() < static_cast<size_t>(rows_per_part))
        return {};
      last = page->back().id;
    }
  }

  caf::error run() {
    if (auto err = head())
      return err;
    std::optional<storage::link_place> last;
    for (;;) {
      auto page = db.links_before(options.owner, last, rows_per_part);
      if (!page)
        return std::move(page.error());
      if (!options.clicks) {
        if (auto err = write_links(*page))
          return err;
      } else {
        for (const auto& x : *page) {
          if (auto err = write_clicks(x.subject.id))
            return err;
          ++links;
        }
      }
      progress(links, rows);
      if (page->size() < static_cast<size_t>(rows_per_part))
        return {};
      const auto& end = page->back().subject;
      last = storage::link_place{end.created_at, end.id};
    }
  }
};

} // namespace

caf::error write_export(storage::backend& db, const export_options& options,
                        const part_sink& sink,
                        const std::function<void(int64_t, int64_t)>& progress) {
  export_run run{db, options, sink, progress};
  return run.run();
}

} // namespace turnout::transfer
