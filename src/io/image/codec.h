// What the library of picture formats and of deflate offers, in plain C. It is loaded with the first picture
// or compressed file, so that libcantik needs none of the libraries behind it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CANTIK_CODEC_VERSION 2
#define CANTIK_CODEC_MESSAGE 200

extern "C" {

struct cantik_picture_size {
  int32_t width, height;
  int32_t orientation;  // of EXIF: 1 to 8, 1 where nothing is said
};

struct cantik_inflater;  // a stream of deflate while it is unpacked

// Calls return 0, or 1 with a text in `message`, which has room for CANTIK_CODEC_MESSAGE characters.
struct cantik_codec {
  uint32_t version;
  int (*size)(const uint8_t* data, size_t bytes, struct cantik_picture_size* size, char* message);
  // channels: 3, blue first, or 1. pixels: [height, width, channels] of the size that `size` gave.
  int (*decode)(const uint8_t* data, size_t bytes, int channels, uint8_t* pixels, char* message);
  // Deflate without a header, as zip archives have it; `out_bytes` have to come.
  int (*inflate)(const uint8_t* data, size_t bytes, uint8_t* out, size_t out_bytes, char* message);

  // A stream from its beginning, with a header of gzip or without one; or from a place between two blocks of
  // it: `bits` bits of `byte` belong to the next block, and `window` is what came last. Null: no memory.
  struct cantik_inflater* (*inflate_open)(int gzip, const uint8_t* window, size_t window_bytes, int bits,
                                          int byte);
  // Goes on until there is no more input or room, or between two blocks if `blocks` is not 0. Returns 2 at
  // the end of the stream. *block: bits of the last byte that belong to the next block, -1 within a block.
  int (*inflate_some)(struct cantik_inflater* stream, const uint8_t** in, const uint8_t* in_end,
                      uint8_t** out, uint8_t* out_end, int blocks, int* block, char* message);
  void (*inflate_close)(struct cantik_inflater* stream);
};

const struct cantik_codec* cantik_picture_codec(void);
}
