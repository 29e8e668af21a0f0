// What the library of picture formats offers, in plain C. It is loaded with the first picture, so that
// libcantik needs none of the libraries behind it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CANTIK_CODEC_VERSION 1
#define CANTIK_CODEC_MESSAGE 200

extern "C" {

struct cantik_picture_size {
  int32_t width, height;
  int32_t orientation;  // of EXIF: 1 to 8, 1 where nothing is said
};

// Calls return 0, or 1 with a text in `message`, which has room for CANTIK_CODEC_MESSAGE characters.
struct cantik_codec {
  uint32_t version;
  int (*size)(const uint8_t* data, size_t bytes, struct cantik_picture_size* size, char* message);
  // channels: 3, blue first, or 1. pixels: [height, width, channels] of the size that `size` gave.
  int (*decode)(const uint8_t* data, size_t bytes, int channels, uint8_t* pixels, char* message);
  // Deflate without a header, as zip archives have it; `out_bytes` have to come.
  int (*inflate)(const uint8_t* data, size_t bytes, uint8_t* out, size_t out_bytes, char* message);
};

const struct cantik_codec* cantik_picture_codec(void);
}
