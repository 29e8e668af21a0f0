// PixelRows: row after row of a picture of whole numbers. Rows of a picture that is kept in planes are made
// when they are asked for.
#pragma once

#include <array>
#include <cstdint>

#include "io/image/picture.h"

namespace cantik {

inline constexpr int64_t kSlack = 16;  // loops may read behind the last pixel of a row

class PixelRows {
 public:
  // A part of each row: `width` pixels from `left` on. The picture outlives the rows.
  PixelRows(const Picture& picture, int64_t left, int64_t width);

  using Row = std::array<const uint8_t*, 3>;  // of each channel
  // Until another one is asked for.
  Row at(int64_t y);

 private:
  void make(int64_t y);
  // A row of a plane of colour at full width.
  const uint8_t* colour(int plane, int64_t y);

  const Picture& picture_;
  int64_t left_, width_;
  int64_t first_ = 0, count_ = 0;  // samples of colour that the part is made of
  int64_t made_ = -1;
  MemoryBlock memory_;
  std::array<uint8_t*, 3> pixels_{};
  std::array<uint8_t*, 3> colours_{};
  uint16_t* sums_ = nullptr;
};

}  // namespace cantik
