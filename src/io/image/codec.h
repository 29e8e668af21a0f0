// What the library of picture formats and of deflate offers, in plain C. It is loaded with the first picture
// or compressed file, so that libcantik needs none of the libraries behind it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CANTIK_CODEC_VERSION 3
#define CANTIK_CODEC_MESSAGE 200

extern "C" {

struct cantik_picture_size {
  int32_t width, height;
  int32_t orientation;  // of EXIF: 1 to 8, 1 where nothing is said
  // Where a JPEG file has planes that `planes` gives: 1 or 2, how many pixels along each axis share a sample
  // of colour; 0 otherwise.
  int32_t across, down;
  int32_t colour_width, colour_height;  // of a plane of colour
  int32_t stride, colour_stride;        // room for a row: at least so many bytes
};

// The samples of a JPEG file: brightness, and two planes of colour (blue and red), in rows of these strides.
struct cantik_planes {
  uint8_t* plane[3];
  int32_t stride, colour_stride;
  int32_t rows;  // of the picture, from the top, that are wanted; what is below is not read
};

struct cantik_inflater;  // a stream of deflate while it is unpacked

// Calls return 0, or 1 with a text in `message`, which has room for CANTIK_CODEC_MESSAGE characters.
struct cantik_codec {
  uint32_t version;
  // reduced: 1, 2, 4 or 8. A JPEG file is decoded at this part of its width and height, by the DCT; other
  // files as they are.
  int (*size)(const uint8_t* data, size_t bytes, int reduced, struct cantik_picture_size* size,
              char* message);
  // channels: 3, blue first, or 1. pixels: [height, width, channels] of the size that `size` gave.
  int (*decode)(const uint8_t* data, size_t bytes, int reduced, int channels, uint8_t* pixels, char* message);
  // The samples themselves, for pictures that have planes.
  int (*planes)(const uint8_t* data, size_t bytes, int reduced, const struct cantik_planes* planes,
                char* message);
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
