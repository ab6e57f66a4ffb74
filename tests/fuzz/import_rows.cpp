// Files to import. The first byte chooses the format, the second the size of
// the pieces that the file comes in.

#include "tests/fuzz/fuzz.hpp"
#include "transfer/link_csv.hpp"
#include "transfer/link_json.hpp"
#include "transfer/readers.hpp"

#include <boost/json/serialize.hpp>

#include <string>
#include <vector>

using namespace turnout;
using namespace turnout::transfer;

namespace {

const timestamp now{std::chrono::seconds{1'800'000'000}};

struct outcome {
  std::vector<int64_t> lines;
  /// The bodies as text, or what is wrong with them.
  std::vector<std::string> texts;
  std::vector<json::object> bodies;
  std::vector<std::string> notes;
  std::string error;

  bool operator==(const outcome& y) const {
    return lines == y.lines && texts == y.texts && notes == y.notes
           && error == y.error;
  }
};

outcome read(file_format format, std::string_view text, size_t piece) {
  outcome result;
  const auto reader = make_reader(
    format,
    [&](record x) -> caf::error {
      result.lines.push_back(x.line);
      if (!x.body) {
        HOLDS(!detail(x.body.error()).empty());
        result.texts.push_back(detail(x.body.error()));
      } else {
        result.texts.push_back(json::serialize(*x.body));
        result.bodies.push_back(*x.body);
      }
      return {};
    },
    [&](const std::string& note) { result.notes.push_back(note); });
  while (!text.empty()) {
    const auto part = text.substr(0, piece);
    text.remove_prefix(part.size());
    if (auto err = reader->feed(part)) {
      result.error = detail(err);
      HOLDS(!result.error.empty());
      return result;
    }
  }
  if (auto err = reader->finish()) {
    result.error = detail(err);
    HOLDS(!result.error.empty());
  }
  return result;
}

/// A link that was taken can be written and read again.
void check_round_trip(const json::object& body) {
  const auto draft = read_link(body, {}, uuid{}, now);
  if (!draft) {
    HOLDS(!detail(draft.error()).empty());
    return;
  }
  storage::counted_link x;
  x.subject = draft->subject;
  if (x.subject.slug.empty())
    x.subject.slug = "abc";
  auto csv = links_csv_header();
  append_links_csv(csv, x);
  const auto by_csv = read(file_format::csv, csv, csv.size());
  HOLDS(by_csv.error.empty());
  HOLDS(by_csv.bodies.size() == 1);
  const auto from_csv = read_link(by_csv.bodies[0], {}, uuid{}, now);
  HOLDS(from_csv);
  HOLDS(is_same_link(from_csv->subject, x.subject));
  const auto line = json::serialize(transfer::to_json(x)) + "\n";
  const auto by_line = read(file_format::jsonl, line, line.size());
  HOLDS(by_line.error.empty());
  HOLDS(by_line.bodies.size() == 1);
  const auto from_line = read_link(by_line.bodies[0], {}, uuid{}, now);
  HOLDS(from_line);
  HOLDS(is_same_link(from_line->subject, x.subject));
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text{reinterpret_cast<const char*>(data), size};
  // Letters, so that people can write seeds.
  const auto format
    = static_cast<file_format>((fuzz::take_byte(text) - 'a') & 0xff);
  if (format > file_format::shlink)
    return 0;
  const auto piece = static_cast<size_t>(fuzz::take_byte(text)) % 17 + 1;
  const auto whole = read(format, text, size + 1);
  // Where the pieces end makes no difference.
  HOLDS(read(format, text, piece) == whole);
  for (size_t i = 1; i < whole.lines.size(); ++i)
    HOLDS(whole.lines[i] >= whole.lines[i - 1]);
  for (const auto& body : whole.bodies)
    check_round_trip(body);
  return 0;
}
