// Pictures out of the bytes of their files: JPEG and PNG.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "io/image/codec_library.h"
#include "onnx/computed.h"

namespace cantik::onnx {
namespace {

// Formats that are known by how their files begin, and are not decoded.
void refuse_others(std::string_view bytes) {
  using std::literals::operator""sv;
  static constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"BM"sv, "BMP"},
      {"GIF8"sv, "GIF"},
      {"II*\0"sv, "TIFF"},
      {"MM\0*"sv, "TIFF"},
      {"RIFF"sv, "WebP"},
      {"\0\0\0\x0cjP  "sv, "JPEG 2000"},
      {"\xff\x4f\xff\x51"sv, "JPEG 2000"}};
  for (const auto& [begin, name] : kOthers)
    if (bytes.starts_with(begin))
      throw unsupported(cat("a picture is a file of ", name, ", which is not decoded"));
  if (bytes.size() > 1 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7')
    throw unsupported("a picture is a file of PNM, which is not decoded");
}

// x: [bytes]; y: [height, width, channels]
Computed decoded(const ComputedNode& n) {
  const std::string format = n.text("pixel_format", "RGB");
  if (format != "RGB" && format != "BGR" && format != "Grayscale")
    throw value_error(cat("pictures have no pixel format ", format));
  const int64_t channels = format == "Grayscale" ? 1 : 3;
  return {{{{-1, -1, channels}, kUint8}}, [=](const std::vector<Array>& in) {
            std::vector<uint8_t> bytes;
            for (double b : in[0].numbers) {
              if (!(b >= 0 && b <= 255)) throw value_error(cat("a picture's file has the byte ", b));
              bytes.push_back(static_cast<uint8_t>(b));
            }
            refuse_others({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
            char message[CANTIK_CODEC_MESSAGE] = {};
            auto check = [&](int status) {
              if (status) throw value_error(cat("a picture cannot be decoded: ", message));
            };
            cantik_picture_size size{};
            check(codec().size(bytes.data(), bytes.size(), 1, &size, message));
            Array y = sized({size.height, size.width, channels});
            const size_t pixels = y.numbers.size() / static_cast<size_t>(channels);
            std::vector<uint8_t> colours(3 * pixels);  // blue first
            check(codec().decode(bytes.data(), bytes.size(), 1, 3, colours.data(), message));
            for (size_t i = 0; i < pixels; ++i) {
              const uint8_t blue = colours[3 * i], green = colours[3 * i + 1], red = colours[3 * i + 2];
              double* to = y.numbers.data() + static_cast<size_t>(channels) * i;
              if (channels == 1)  // ITU-R BT.601, with weights of 16 bits
                to[0] = (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16;
              else
                to[0] = format == "RGB" ? red : blue, to[1] = green, to[2] = format == "RGB" ? blue : red;
            }
            return std::vector<Array>{y};
          }};
}

constexpr ComputedRule kImageFileRules[] = {{"ImageDecoder", "1", decoded}};

}  // namespace

std::span<const ComputedRule> computed_image_files() { return kImageFileRules; }

}  // namespace cantik::onnx
