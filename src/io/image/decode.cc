// Pictures through the library of formats.
#include <algorithm>
#include <span>
#include <string>

#include <cantik/error.h>
#include <cantik/image.h>

#include "base/text.h"
#include "io/image/codec_library.h"
#include "io/image/picture.h"

namespace cantik {
namespace {

Error unreadable(const std::string& name, const char* message) {
  return runtime_error(cat("the picture cannot be read: ", message)).line("picture", name);
}

// Turned and mirrored as a camera's file says. Orientations 5 to 8 exchange rows and columns.
Picture upright(Picture p, int orientation) {
  if (orientation <= 1) return p;
  const bool exchanged = orientation >= 5;
  const int64_t height = exchanged ? p.width : p.height, width = exchanged ? p.height : p.width;
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Picture out = Picture::of_bytes(height, width, p.channels);
  uint8_t* to = out.bytes();
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      const int64_t row = exchanged ? x : y, column = exchanged ? y : x;
      const int64_t from_row = from_below ? p.height - 1 - row : row,
                    from_column = from_right ? p.width - 1 - column : column;
      to = std::copy_n(p.bytes() + (from_row * p.width + from_column) * p.channels, p.channels, to);
    }
  return out;
}

}  // namespace

Picture decode_picture(std::span<const uint8_t> file, int64_t channels, const std::string& name) {
  const cantik_codec& c = codec();
  char message[CANTIK_CODEC_MESSAGE];
  cantik_picture_size size;
  if (c.size(file.data(), file.size(), &size, message)) throw unreadable(name, message);
  Picture p = Picture::of_bytes(size.height, size.width, channels);
  if (c.decode(file.data(), file.size(), static_cast<int>(channels), p.bytes(), message))
    throw unreadable(name, message);
  return upright(std::move(p), size.orientation);
}

Tensor decode_image(const void* data, size_t size, int64_t channels) {
  if (channels != 1 && channels != 3)
    throw value_error(cat("channels is ", channels)).remedy("give 3, or 1 for grey pictures");
  const Picture p =
      decode_picture({static_cast<const uint8_t*>(data), size}, channels, "in memory").as_real();
  Tensor t(DType::float32, {p.height, p.width, p.channels});
  std::copy_n(p.numbers(), p.count(), t.data<float>());
  return t;
}

}  // namespace cantik
