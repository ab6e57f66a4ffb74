#include "actors/node_id.hpp"

#include "core/identifiers.hpp"
#include "core/time.hpp"

#include <fstream>
#include <string>

namespace turnout {

caf::expected<uuid> load_node_id(const std::filesystem::path& data_dir) {
  const auto path = data_dir / "node_id";
  std::string text;
  if (std::ifstream in{path}; in)
    in >> text;
  if (!text.empty()) {
    if (auto id = uuid::parse(text))
      return *id;
    return make_error(ec::config, path.string()
                                    + " does not hold a node id; restore it "
                                      "from a backup of this node");
  }
  const auto id = make_uuid(now());
  // Written aside first, so that a power cut leaves no half of it.
  const auto draft = data_dir / "node_id.new";
  {
    std::ofstream out{draft, std::ios::trunc};
    out << id.str() << '\n';
    out.flush();
    if (!out)
      return make_error(ec::config, "cannot write " + draft.string()
                                      + "; check permissions and space");
  }
  std::error_code failure;
  std::filesystem::rename(draft, path, failure);
  if (failure)
    return make_error(ec::config, "cannot write " + path.string() + ": "
                                    + failure.message());
  return id;
}

} // namespace turnout
