#pragma once

#include "core/error.hpp"
#include "http/codec/query.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace turnout {

/// How a QR code is asked for.
struct qr_options {
  enum class file_format : uint8_t { svg, png };
  file_format format = file_format::svg;
  /// Width and height of the image in pixels, 64-2048.
  int size = 256;
  /// Free space around the code in modules, 0-16; readers count on 4.
  int margin = 4;
  /// How much may be damaged: 'L', 'M', 'Q' or 'H' (7, 15, 25 or 30 percent).
  char ecc = 'M';
};

/// Reads `format`, `size`, `margin` and `ecc`.
caf::expected<qr_options> read_qr_options(const query_params& query);

/// A QR code: a square of dark and light modules.
struct qr_code {
  /// Modules of a side.
  int width = 0;
  /// Row by row; true for dark ones.
  std::vector<bool> modules;

  bool is_dark(int x, int y) const {
    return modules[static_cast<size_t>(y) * static_cast<size_t>(width)
                   + static_cast<size_t>(x)];
  }
};

/// Makes the QR code of a text, as bytes. Fails with `ec::invalid` when the
/// text is too long, or its code with the margin too large for the size.
caf::expected<qr_code> make_qr_code(const std::string& text,
                                    const qr_options& how);

/// Renders a code that `make_qr_code` made for the same options.
std::string render_svg(const qr_code& code, const qr_options& how);

/// Renders a code that `make_qr_code` made for the same options, with modules
/// of whole pixels: what is left becomes margin.
caf::expected<std::string> render_png(const qr_code& code,
                                      const qr_options& how);

} // namespace turnout
