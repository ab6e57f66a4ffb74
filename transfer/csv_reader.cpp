#include "transfer/csv_reader.hpp"

#include <csv.h>

#include <algorithm>
#include <new>
#include <utility>

namespace turnout::transfer {

namespace {

/// Spaces belong to the cells.
int no_space(unsigned char) {
  return 0;
}

/// Returns the separator that the first line has most of outside of quotes; a
/// comma when in doubt.
char find_separator(std::string_view text) {
  constexpr std::string_view candidates = ",;\t";
  size_t counts[candidates.size()] = {};
  auto quoted = false;
  for (auto c : text) {
    if (c == '"')
      quoted = !quoted;
    if (quoted)
      continue;
    if (c == '\n' || c == '\r')
      break;
    if (auto i = candidates.find(c); i != std::string_view::npos)
      ++counts[i];
  }
  const auto* most = std::max_element(std::begin(counts), std::end(counts));
  return candidates[static_cast<size_t>(most - std::begin(counts))];
}

int64_t count_line_ends(std::string_view text) {
  int64_t result = 0;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n'
        || (text[i] == '\r' && !text.substr(i + 1).starts_with('\n')))
      ++result;
  return result;
}

} // namespace

caf::error broken_line(int64_t line, std::string_view text) {
  return make_error(ec::invalid,
                    "line " + std::to_string(line) + ": " + std::string{text});
}

struct csv_reader::state {
  explicit state(row_sink x) : sink(std::move(x)) {
    open();
  }

  ~state() {
    csv_free(&parser);
  }

  void open() {
    // Strict, as a parser that guesses where a field ends shifts cells.
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0)
      throw std::bad_alloc{};
    csv_set_space_func(&parser, no_space);
    csv_set_delim(&parser, static_cast<unsigned char>(separator));
  }

  void reopen() {
    csv_free(&parser);
    open();
  }

  static void on_cell(void* text, size_t size, void* self) {
    auto& st = *static_cast<state*>(self);
    if (st.row.cells.empty())
      st.row.line = st.line;
    std::string_view cell{static_cast<const char*>(text), size};
    st.line += count_line_ends(cell);
    st.row_bytes += size;
    st.row.cells.emplace_back(cell);
    st.after_return = false;
  }

  static void on_row(int end, void* self) {
    auto& st = *static_cast<state*>(self);
    // "\r\n" comes as two ends, but it is one line.
    if (!(end == '\n' && std::exchange(st.after_return, false)) && end >= 0)
      ++st.line;
    st.after_return = end == '\r';
    if (!st.row.cells.empty())
      st.rows.push_back(std::exchange(st.row, {}));
    st.row_bytes = 0;
  }

  /// Text of the cell that is not complete.
  std::string_view open_cell() const {
    return {reinterpret_cast<const char*>(parser.entry_buf), parser.entry_pos};
  }

  /// Refuses the row under way.
  void refuse(std::string problem) {
    if (row.cells.empty())
      row.line = line;
    line += count_line_ends(open_cell());
    row.problem = std::move(problem);
    row.cells.clear();
    rows.push_back(std::exchange(row, {}));
    row_bytes = 0;
    reopen();
  }

  caf::error deliver() {
    for (auto& x : rows)
      if (auto err = sink(std::move(x)))
        return err;
    rows.clear();
    return {};
  }

  row_sink sink;
  csv_parser parser{};
  char separator = ',';
  /// What came before the first line was complete.
  std::string head;
  bool has_begun = false;
  /// Line of the next byte.
  int64_t line = 1;
  bool after_return = false;
  /// Whether the rest of a refused row's line is still to be skipped.
  bool skipping = false;
  csv_row row;
  size_t row_bytes = 0;
  std::vector<csv_row> rows;

  caf::error begin() {
    has_begun = true;
    std::string_view text = head;
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
      return broken_line(1, "the file is UTF-16; save it as CSV UTF-8");
    if (text.starts_with(byte_order_mark))
      text.remove_prefix(byte_order_mark.size());
    separator = find_separator(text);
    csv_set_delim(&parser, static_cast<unsigned char>(separator));
    return parse(text);
  }

  caf::error parse(std::string_view text) {
    while (!text.empty()) {
      if (skipping) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos)
          return {};
        skipping = false;
        ++line;
        text.remove_prefix(end + 1);
        continue;
      }
      const auto n
        = csv_parse(&parser, text.data(), text.size(), on_cell, on_row, this);
      if (n < text.size() && csv_error(&parser) != CSV_EPARSE)
        return broken_line(line, csv_strerror(csv_error(&parser)));
      if (n < text.size()) {
        refuse("a quote must begin or end a field, or be doubled within one");
        skipping = true;
      }
      text.remove_prefix(n);
      if (auto err = deliver())
        return err;
      if (row_bytes + parser.entry_pos > max_record_bytes)
        return broken_line(row.cells.empty() ? line : row.line,
                           "the row is longer than 1 MiB (is a quote missing, "
                           "or is the file no CSV?)");
    }
    return {};
  }
};

csv_reader::csv_reader(row_sink sink)
  : x_state{std::make_unique<state>(std::move(sink))} {
  // nop
}

csv_reader::~csv_reader() = default;

caf::error csv_reader::feed(std::string_view bytes) {
  auto& st = *x_state;
  // The marks of UTF-16 come before its NUL bytes.
  if (!st.has_begun) {
    st.head += bytes;
    if (st.head.find_first_of("\r\n") == std::string::npos
        && st.head.size() < max_record_bytes)
      return {};
    if (auto err = st.begin())
      return err;
    st.head.clear();
    return {};
  }
  return st.parse(bytes);
}

caf::error csv_reader::finish() {
  auto& st = *x_state;
  if (!st.has_begun)
    if (auto err = st.begin())
      return err;
  if (st.skipping)
    return {};
  if (csv_fini(&st.parser, state::on_cell, state::on_row, x_state.get()) != 0)
    st.refuse("the file ends within a quoted field (is it complete?)");
  return st.deliver();
}

} // namespace turnout::transfer
