// Inner loops of pictures, compiled once for each instruction set. Whole numbers all along,
// so every level makes the same pixels.
#pragma once

#include <cstdint>

namespace cantik::host {

// How a row of pixels is scaled: each pixel of the result is a sum of two, with weights in 2048ths.
struct LinearColumns {
  const int32_t* from = nullptr;     // [n, 2]: the two
  const int16_t* weights = nullptr;  // [n, 2]
  int64_t n = 0;
  // For four pixels of the result at a time, where what they read lies in 16 bytes; null otherwise. n counts
  // up to a multiple of kColumnsTogether then, and the numbers above go on with zeros.
  const int32_t* windows = nullptr;  // [n / 4]: where the bytes begin
  const uint8_t* places = nullptr;   // [n, 4]: which bytes of them, each as a number of two bytes
};
inline constexpr int64_t kColumnsTogether = 16;

struct PixelTable {
  const char* name;  // of the instruction set
  // Samples of colour for twice as many pixels, into[2 n]: three parts of the nearer sample, one of the
  // other.
  void (*widen)(const uint8_t* row, int64_t n, uint8_t* into);
  // The same between two rows, of which the first is nearer. sums: room for n + 2 numbers.
  void (*widen_between)(const uint8_t* near, const uint8_t* far, int64_t n, uint16_t* sums, uint8_t* into);
  // Brightness and colour (ITU-R BT.601, as JFIF has it) as blue, green and red, rounded as libjpeg does.
  void (*colours)(const uint8_t* y, const uint8_t* blue, const uint8_t* red, int64_t n, uint8_t* const* into);
  // A row scaled across, in 128ths. Reads 16 bytes behind the last pixel; `into` has room for a multiple of
  // kColumnsTogether.
  void (*across)(const uint8_t* row, const LinearColumns& columns, int16_t* into);
  // Two such rows as a row of pixels: their sum with weights in 2048ths.
  void (*down)(const int16_t* above, const int16_t* below, int16_t weight_above, int16_t weight_below,
               int64_t n, uint8_t* into);
  // The same numbers.
  void (*widen_numbers)(const uint8_t* from, int64_t n, int16_t* into);
  void (*to_float)(const int16_t* from, int64_t n, float* into);
};

// The table in use; and all the processor can run, best first, for tests.
const PixelTable& pixel_table();
const PixelTable* const* pixel_tables(int* count);

}  // namespace cantik::host
