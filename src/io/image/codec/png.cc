// PNG by libspng: transparency is dropped, 16 bits become 8.
#include <spng.h>

#include <cstring>
#include <memory>

#include "io/image/codec/formats.h"

namespace cantik::codec {
namespace {

constexpr size_t kMostOfAChunk = size_t{1} << 26;

struct Free {
  void operator()(spng_ctx* c) const { spng_ctx_free(c); }
};
using Context = std::unique_ptr<spng_ctx, Free>;

int open(const uint8_t* data, size_t bytes, Context& context, spng_ihdr& header, char* message) {
  context.reset(spng_ctx_new(0));
  if (!context) return fail(message, "there is no memory to read it");
  spng_set_chunk_limits(context.get(), kMostOfAChunk, kMostOfAChunk);
  spng_set_png_buffer(context.get(), data, bytes);
  if (int e = spng_get_ihdr(context.get(), &header)) return fail(message, spng_strerror(e));
  return 0;
}

}  // namespace

bool is_png(const uint8_t* p, size_t n) { return n > 8 && std::memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0; }

int png_size(const uint8_t* data, size_t bytes, cantik_picture_size* size, char* message) {
  Context context;
  spng_ihdr header;
  if (open(data, bytes, context, header, message)) return 1;
  if (header.width > INT32_MAX || header.height > INT32_MAX) return fail(message, "it is too large");
  size->width = static_cast<int32_t>(header.width);
  size->height = static_cast<int32_t>(header.height);
  size->orientation = 1;
  return refuse_large(static_cast<int64_t>(header.width) * header.height, message);
}

int decode_png(const uint8_t* data, size_t bytes, int channels, uint8_t* pixels, char* message) {
  Context context;
  spng_ihdr header;
  if (open(data, bytes, context, header, message)) return 1;
  const size_t count = static_cast<size_t>(header.width) * header.height;
  std::unique_ptr<uint8_t[]> own;
  uint8_t* rgb = pixels;
  if (channels == 1) {
    own.reset(new (std::nothrow) uint8_t[3 * count]);
    if (!own) return fail(message, "there is no memory to read it");
    rgb = own.get();
  }
  if (int e = spng_decode_image(context.get(), rgb, 3 * count, SPNG_FMT_RGB8, 0))
    return fail(message, spng_strerror(e));
  for (size_t i = 0; i < count; ++i) {
    const uint8_t red = rgb[3 * i], green = rgb[3 * i + 1], blue = rgb[3 * i + 2];
    if (channels == 1) {
      pixels[i] = grey(blue, green, red);
    } else {
      pixels[3 * i] = blue;
      pixels[3 * i + 2] = red;
    }
  }
  return 0;
}

}  // namespace cantik::codec
