#include "http/codec/qr.hpp"

#include "http/codec/json.hpp"

#include <png.h>
#include <qrencode.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <memory>

namespace turnout {

namespace {

constexpr int min_size = 64;

constexpr int max_size = 2048;

constexpr int max_margin = 16;

QRecLevel level_of(char ecc) noexcept {
  switch (ecc) {
    case 'L':
      return QR_ECLEVEL_L;
    case 'Q':
      return QR_ECLEVEL_Q;
    case 'H':
      return QR_ECLEVEL_H;
    default:
      return QR_ECLEVEL_M;
  }
}

/// Where a PNG is written, one bit for a pixel.
struct png_writer {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string out;
  bool failed = false;

  ~png_writer() {
    png_destroy_write_struct(&png, &info);
  }

  /// Called by the library, written in C, which no exception may cross.
  static void take(png_structp png, png_bytep data, size_t size) noexcept {
    auto& self = *static_cast<png_writer*>(png_get_io_ptr(png));
    try {
      self.out.append(reinterpret_cast<const char*>(data), size);
    } catch (...) {
      self.failed = true;
    }
  }

  static void flush(png_structp) noexcept {
    // nop
  }
};

/// Writes all of an image; returns whether it succeeded. Makes no object that
/// the library's way of failing, a jump, would leave behind.
bool write(png_writer& to, png_bytepp rows, png_uint_32 size) noexcept {
  if (setjmp(png_jmpbuf(to.png)))
    return false;
  png_set_write_fn(to.png, &to, png_writer::take, png_writer::flush);
  png_set_IHDR(to.png, to.info, size, size, 1, PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(to.png, to.info);
  png_write_image(to.png, rows);
  png_write_end(to.png, to.info);
  return !to.failed;
}

} // namespace

caf::expected<qr_options> read_qr_options(const query_params& query) {
  qr_options result;
  auto format = query.get("format");
  if (!format)
    return std::move(format.error());
  if (*format) {
    if (**format != "svg" && **format != "png")
      return must_be("format", "\"svg\" or \"png\"");
    result.format = **format == "png" ? qr_options::file_format::png
                                      : qr_options::file_format::svg;
  }
  auto size = read_integer(query, "size", result.size, min_size, max_size);
  if (!size)
    return std::move(size.error());
  result.size = *size;
  auto margin = read_integer(query, "margin", result.margin, 0, max_margin);
  if (!margin)
    return std::move(margin.error());
  result.margin = *margin;
  auto ecc = query.get("ecc");
  if (!ecc)
    return std::move(ecc.error());
  if (*ecc) {
    if ((*ecc)->size() != 1
        || std::string_view{"LMQH"}.find((*ecc)->front())
             == std::string_view::npos)
      return must_be("ecc", "\"L\", \"M\", \"Q\" or \"H\"");
    result.ecc = (*ecc)->front();
  }
  return result;
}

caf::expected<qr_code> make_qr_code(const std::string& text,
                                    const qr_options& how) {
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> made{
    QRcode_encodeData(static_cast<int>(text.size()),
                      reinterpret_cast<const unsigned char*>(text.data()), 0,
                      level_of(how.ecc)),
    QRcode_free};
  if (!made)
    return make_error(ec::invalid, "The address is too long for a QR code with "
                                   "ecc \""
                                     + std::string{how.ecc} + '"');
  qr_code result;
  result.width = made->width;
  const auto n = static_cast<size_t>(made->width) * made->width;
  result.modules.reserve(n);
  for (size_t i = 0; i < n; ++i)
    result.modules.push_back((made->data[i] & 1) != 0);
  const auto least = result.width + 2 * how.margin;
  if (least > how.size)
    return make_error(ec::invalid, "size must be at least "
                                     + std::to_string(least)
                                     + " for this address, margin and ecc");
  return result;
}

std::string render_svg(const qr_code& code, const qr_options& how) {
  const auto side = std::to_string(code.width + 2 * how.margin);
  const auto size = std::to_string(how.size);
  auto result = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size
                + "\" height=\"" + size + "\" viewBox=\"0 0 " + side + ' '
                + side + "\" shape-rendering=\"crispEdges\"><path fill=\"#fff\""
                + " d=\"M0 0h" + side + 'v' + side + "H0z\"/><path d=\"";
  for (int y = 0; y < code.width; ++y) {
    for (int x = 0; x < code.width; ++x) {
      if (!code.is_dark(x, y))
        continue;
      const auto begin = x;
      while (x + 1 < code.width && code.is_dark(x + 1, y))
        ++x;
      const auto run = std::to_string(x + 1 - begin);
      result += 'M' + std::to_string(begin + how.margin) + ' '
                + std::to_string(y + how.margin) + 'h' + run + "v1h-" + run
                + 'z';
    }
  }
  result += "\"/></svg>\n";
  return result;
}

caf::expected<std::string> render_png(const qr_code& code,
                                      const qr_options& how) {
  const auto scale = how.size / (code.width + 2 * how.margin);
  const auto begin = (how.size - scale * code.width) / 2;
  const auto row_bytes = static_cast<size_t>(how.size + 7) / 8;
  // A line of modules is the same in each of its lines of pixels.
  std::vector<std::vector<png_byte>> lines(
    static_cast<size_t>(code.width) + 1,
    std::vector<png_byte>(row_bytes, 0xff));
  std::vector<png_bytep> rows(static_cast<size_t>(how.size),
                              lines.back().data());
  for (int y = 0; y < code.width; ++y) {
    auto& line = lines[static_cast<size_t>(y)];
    for (int x = 0; x < code.width; ++x)
      for (auto i = begin + x * scale;
           code.is_dark(x, y) && i < begin + (x + 1) * scale; ++i)
        line[static_cast<size_t>(i) / 8]
          &= static_cast<png_byte>(~(0x80 >> (i % 8)));
    std::fill_n(rows.begin() + begin + y * scale, scale, line.data());
  }
  png_writer to;
  to.png
    = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  if (to.png != nullptr)
    to.info = png_create_info_struct(to.png);
  if (to.info == nullptr
      || !write(to, rows.data(), static_cast<png_uint_32>(how.size)))
    return make_error(ec::internal, "a PNG cannot be written");
  return std::move(to.out);
}

} // namespace turnout
