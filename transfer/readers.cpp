#include "transfer/readers.hpp"

#include "http/codec/json.hpp"
#include "transfer/csv_reader.hpp"
#include "transfer/foreign.hpp"
#include "transfer/json_reader.hpp"
#include "transfer/link_csv.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace turnout::transfer {

namespace {

using note_sink = std::function<void(const std::string&)>;

// -- CSV ----------------------------------------------------------------------

/// Reads rows under a header.
class table_reader : public record_reader {
public:
  /// What to do with a format's columns and rows.
  struct layout {
    std::function<caf::error(const std::vector<std::string>&)> check;
    std::function<std::vector<std::string>(const std::vector<std::string>&)>
      unknown;
    std::function<caf::expected<json::object>(const field_map&)> convert;
  };

  table_reader(layout how, record_sink sink, note_sink notes)
    : x_how{std::move(how)},
      x_sink{std::move(sink)},
      x_notes{std::move(notes)},
      x_rows{[this](csv_row row) { return take(std::move(row)); }} {
    // nop
  }

  caf::error feed(std::string_view bytes) override {
    return x_rows.feed(bytes);
  }

  caf::error finish() override {
    if (auto err = x_rows.finish())
      return err;
    if (x_columns.empty())
      return broken_line(1, "the file is empty; it needs a header");
    return {};
  }

private:
  caf::error take(csv_row row) {
    if (!x_columns.empty())
      return x_sink(record{row.line, read(row)});
    if (!row.problem.empty())
      return broken_line(row.line, row.problem);
    for (const auto& name : row.cells)
      x_columns.emplace_back(fold_field(name));
    if (auto err = x_how.check(x_columns))
      return err;
    if (x_how.unknown)
      for (const auto& name : x_how.unknown(row.cells))
        x_notes("the column '" + name + "' means nothing here and is left out");
    return {};
  }

  caf::expected<json::object> read(csv_row& row) {
    if (!row.problem.empty())
      return make_error(ec::invalid, row.problem);
    // Spreadsheets leave empty cells at the end.
    while (row.cells.size() > x_columns.size() && row.cells.back().empty())
      row.cells.pop_back();
    if (row.cells.size() != x_columns.size())
      return make_error(ec::invalid, "the row has "
                                       + std::to_string(row.cells.size())
                                       + " fields, the header "
                                       + std::to_string(x_columns.size()));
    field_map fields;
    for (size_t i = 0; i < x_columns.size(); ++i)
      fields.add(x_columns[i], std::move(row.cells[i]));
    return x_how.convert(fields);
  }

  layout x_how;
  record_sink x_sink;
  note_sink x_notes;
  csv_reader x_rows;
  /// Folded names; empty before the header came.
  std::vector<std::string> x_columns;
};

std::unique_ptr<record_reader> make_link_table(record_sink sink,
                                               note_sink notes) {
  table_reader::layout how{check_link_columns, unknown_link_columns,
                           link_of_row};
  return std::make_unique<table_reader>(std::move(how), std::move(sink),
                                        std::move(notes));
}

// -- JSON Lines ---------------------------------------------------------------

/// Reads a link from each line.
class line_reader : public record_reader {
public:
  explicit line_reader(record_sink sink) : x_sink{std::move(sink)} {
    // nop
  }

  caf::error feed(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto end = bytes.find('\n');
      x_text += bytes.substr(0, end);
      if (x_text.size() > max_record_bytes)
        return broken_line(x_line, "the line is longer than 1 MiB");
      if (end == std::string_view::npos)
        return {};
      if (auto err = take())
        return err;
      bytes.remove_prefix(end + 1);
    }
    return {};
  }

  caf::error finish() override {
    return take();
  }

private:
  caf::error take() {
    const auto line = x_line++;
    auto text = std::exchange(x_text, {});
    if (line == 1 && text.starts_with(byte_order_mark))
      text.erase(0, byte_order_mark.size());
    if (text.find_first_not_of(" \t\r") == std::string::npos)
      return {};
    return x_sink(record{line, read(text)});
  }

  static caf::expected<json::object> read(const std::string& text) {
    auto value = parse_json(text);
    if (!value)
      return make_error(ec::invalid, "the line is no JSON");
    auto* object = value->if_object();
    if (!object)
      return make_error(ec::invalid, "the line is no JSON object");
    return std::move(*object);
  }

  record_sink x_sink;
  std::string x_text;
  int64_t x_line = 1;
};

// -- other services -----------------------------------------------------------

/// Reads the objects of a service's API.
class object_reader : public record_reader {
public:
  object_reader(service from, record_sink sink)
    : x_objects{[from, sink = std::move(sink)](json_item x) {
        return sink(record{x.line, convert(from, flatten(x.value))});
      }} {
    // nop
  }

  caf::error feed(std::string_view bytes) override {
    return x_objects.feed(bytes);
  }

  caf::error finish() override {
    return x_objects.finish();
  }

private:
  json_reader x_objects;
};

/// Finds out what the file is: JSON begins with a bracket, no CSV header does.
class service_reader : public record_reader {
public:
  service_reader(service from, record_sink sink, note_sink notes)
    : x_from{from}, x_sink{std::move(sink)}, x_notes{std::move(notes)} {
    // nop
  }

  caf::error feed(std::string_view bytes) override {
    if (x_reader)
      return x_reader->feed(bytes);
    x_head += bytes;
    // The pieces of a pipe may be small: wait for what tells.
    if (first_of_text() == std::string::npos
        && x_head.size() < max_record_bytes)
      return {};
    return begin();
  }

  caf::error finish() override {
    if (!x_reader)
      if (auto err = begin())
        return err;
    return x_reader->finish();
  }

private:
  /// Returns where the text begins behind byte order mark and white space, or
  /// npos when that has not come yet.
  size_t first_of_text() const noexcept {
    constexpr auto n = byte_order_mark.size();
    if (x_head.size() < n && byte_order_mark.starts_with(x_head))
      return std::string::npos;
    return x_head.find_first_not_of(
      " \t\r\n", x_head.starts_with(byte_order_mark) ? n : 0);
  }

  caf::error begin() {
    const auto first = first_of_text();
    if (first != std::string::npos
        && (x_head[first] == '{' || x_head[first] == '[')) {
      x_reader = std::make_unique<object_reader>(x_from, std::move(x_sink));
      std::string_view text = x_head;
      if (text.starts_with(byte_order_mark))
        text.remove_prefix(byte_order_mark.size());
      return x_reader->feed(text);
    }
    table_reader::layout how;
    how.check = [from = x_from](const auto& columns) {
      return check_columns(from, columns);
    };
    how.convert
      = [from = x_from](const field_map& x) { return convert(from, x); };
    x_reader = std::make_unique<table_reader>(std::move(how), std::move(x_sink),
                                              x_notes);
    return x_reader->feed(x_head);
  }

  service x_from;
  record_sink x_sink;
  note_sink x_notes;
  std::string x_head;
  std::unique_ptr<record_reader> x_reader;
};

} // namespace

std::optional<file_format> parse_file_format(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 6> names
    = {"csv", "jsonl", "bitly", "yourls", "kutt", "shlink"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return std::nullopt;
  return static_cast<file_format>(found - names.begin());
}

std::unique_ptr<record_reader>
make_reader(file_format format, record_sink sink,
            std::function<void(const std::string&)> notes) {
  const auto make_service = [&](service from) {
    return std::make_unique<service_reader>(from, std::move(sink),
                                            std::move(notes));
  };
  switch (format) {
    case file_format::bitly:
      return make_service(service::bitly);
    case file_format::yourls:
      return make_service(service::yourls);
    case file_format::kutt:
      return make_service(service::kutt);
    case file_format::shlink:
      return make_service(service::shlink);
    case file_format::jsonl:
      return std::make_unique<line_reader>(std::move(sink));
    default:
      return make_link_table(std::move(sink), std::move(notes));
  }
}

} // namespace turnout::transfer
