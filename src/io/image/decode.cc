// Pictures through the library of formats.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <cantik/error.h>
#include <cantik/image.h>

#include "base/looks_like.h"
#include "base/text.h"
#include "io/image/codec_library.h"
#include "io/image/picture.h"

namespace cantik {
namespace {

Error unreadable(const std::string& name, std::span<const uint8_t> file, const char* message) {
  Error e = runtime_error(cat("the picture cannot be read: ", message)).line("picture", name);
  const std::string_view kind = looks_like({reinterpret_cast<const char*>(file.data()), file.size()});
  if (kind.empty() || kind == "a JPEG picture" || kind == "a PNG picture") return e;
  return std::move(e).line("looks", cat("like ", kind));
}

cantik_picture_size described(std::span<const uint8_t> file, int reduced, const std::string& name) {
  char message[CANTIK_CODEC_MESSAGE];
  cantik_picture_size size;
  if (codec().size(file.data(), file.size(), reduced, &size, message)) throw unreadable(name, file, message);
  return size;
}

Picture in_planes(std::span<const uint8_t> file, const Decoding& how, const cantik_picture_size& size,
                  const std::string& name) {
  Picture p = Picture::of_planes(size.height, size.width,
                                 {.across = size.across,
                                  .down = size.down,
                                  .colour_width = size.colour_width,
                                  .colour_height = size.colour_height,
                                  .stride = size.stride,
                                  .colour_stride = size.colour_stride});
  uint8_t* const* at = p.planes().plane;
  // pixels between two rows of colour need both
  const int64_t rows = std::min<int64_t>(how.rows, size.height - 2) + 2;
  const cantik_planes planes{
      {at[0], at[1], at[2]}, size.stride, size.colour_stride, static_cast<int32_t>(rows)};
  char message[CANTIK_CODEC_MESSAGE];
  if (codec().planes(file.data(), file.size(), how.reduced, &planes, message))
    throw unreadable(name, file, message);
  return p;
}

Picture in_pixels(std::span<const uint8_t> file, const Decoding& how, const cantik_picture_size& size,
                  const std::string& name) {
  const int64_t channels = how.channels;
  Picture p = Picture::of_bytes(size.height, size.width, channels);
  const MemoryBlock memory = allocate_block(p.count());
  auto* pixels = static_cast<uint8_t*>(memory.get());  // [height, width, channels]
  char message[CANTIK_CODEC_MESSAGE];
  if (codec().decode(file.data(), file.size(), how.reduced, static_cast<int>(channels), pixels, message))
    throw unreadable(name, file, message);
  uint8_t* into = p.bytes();
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = 0; i < p.height * p.width; ++i) *into++ = pixels[i * channels + c];
  return p;
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
  for (int64_t c = 0; c < p.channels; ++c)
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x) {
        const int64_t row = exchanged ? x : y, column = exchanged ? y : x;
        const int64_t from_row = from_below ? p.height - 1 - row : row,
                      from_column = from_right ? p.width - 1 - column : column;
        *to++ = p.bytes()[(c * p.height + from_row) * p.width + from_column];
      }
  return out;
}

}  // namespace

Picture decode_picture(std::span<const uint8_t> file, const Decoding& how, const std::string& name) {
  const cantik_picture_size size = described(file, how.reduced, name);
  if (how.channels == 3 && size.across > 0 && size.orientation == 1) return in_planes(file, how, size, name);
  return upright(in_pixels(file, how, size, name), size.orientation);
}

PictureSize size_of_picture(std::span<const uint8_t> file, const std::string& name) {
  const cantik_picture_size size = described(file, 1, name);
  const bool exchanged = size.orientation >= 5;
  return {exchanged ? size.height : size.width, exchanged ? size.width : size.height};
}

Tensor decode_image(const void* data, size_t size, int64_t channels) {
  if (channels != 1 && channels != 3)
    throw value_error(cat("channels is ", channels)).remedy("give 3, or 1 for grey pictures");
  const Picture p =
      decode_picture({static_cast<const uint8_t*>(data), size}, {.channels = channels}, "in memory")
          .as_real();
  Tensor t(DType::float32, {p.height, p.width, p.channels});
  float* into = t.data<float>();
  const int64_t pixels = p.height * p.width;
  for (int64_t i = 0; i < pixels; ++i)
    for (int64_t c = 0; c < channels; ++c) *into++ = p.numbers()[c * pixels + i];
  return t;
}

}  // namespace cantik
