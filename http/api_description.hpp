#pragma once

#include <string>
#include <string_view>

namespace turnout {

/// The description of the API, with the addresses of this service.
struct api_description {
  /// An OpenAPI 3.1 document in JSON.
  std::string text;
  /// The document's entity tag, quotes included.
  std::string etag;
};

/// Makes the description.
/// @param base_url full address of the API.
/// @param public_root full address of the public listener.
/// @param short_base full address below which short links are.
api_description describe_api(std::string_view base_url,
                             std::string_view public_root,
                             std::string_view short_base);

} // namespace turnout
