// One function each for what a format can do; codec.cc chooses by the first bytes.
#pragma once

#include <cstdio>

#include "io/image/codec.h"

namespace cantik::codec {

inline int fail(char* message, const char* text) {
  std::snprintf(message, CANTIK_CODEC_MESSAGE, "%s", text);
  return 1;
}
// At most so many pixels: a damaged file does not ask for all memory.
inline int refuse_large(int64_t pixels, char* message) {
  constexpr int64_t kMostPixels = int64_t{1} << 28;
  return pixels <= kMostPixels ? 0 : fail(message, "it has more pixels than can be read, 268435456");
}
// The grey of a pixel, 0.299 red + 0.587 green + 0.114 blue, in fixed point.
inline uint8_t grey(int blue, int green, int red) {
  return static_cast<uint8_t>((4899 * red + 9617 * green + 1868 * blue + 8192) >> 14);
}

bool is_jpeg(const uint8_t* data, size_t bytes);
int jpeg_size(const uint8_t* data, size_t bytes, int reduced, cantik_picture_size* size, char* message);
int decode_jpeg(const uint8_t* data, size_t bytes, int reduced, int channels, uint8_t* pixels, char* message);
int jpeg_planes(const uint8_t* data, size_t bytes, int reduced, const cantik_planes& planes, char* message);

bool is_png(const uint8_t* data, size_t bytes);
int png_size(const uint8_t* data, size_t bytes, cantik_picture_size* size, char* message);
int decode_png(const uint8_t* data, size_t bytes, int channels, uint8_t* pixels, char* message);

}  // namespace cantik::codec
