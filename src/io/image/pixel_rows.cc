#include "io/image/pixel_rows.h"

#include <algorithm>
#include <utility>

#include "backends/host/pixels.h"

namespace cantik {

// A sample more on either side than pixels are made of: beside it the picture seems to end.
PixelRows::PixelRows(const Picture& picture, int64_t left, int64_t width)
    : picture_(picture), left_(left), width_(width) {
  if (!picture.has_planes()) return;
  const JpegPlanes& p = picture.planes();
  first_ = std::max<int64_t>(left / p.across - 1, 0);
  count_ = std::min((left + width - 1) / p.across + 2, p.colour_width) - first_;
  const int64_t room = width + kSlack, wide = p.across * count_ + kSlack,
                sums = (count_ + kSlack) * static_cast<int64_t>(sizeof(uint16_t));
  memory_ = allocate_block(static_cast<size_t>(sums + 3 * room + 2 * wide));
  auto* at = static_cast<uint8_t*>(memory_.get());
  sums_ = reinterpret_cast<uint16_t*>(at);
  at += sums;
  for (uint8_t*& c : pixels_) c = std::exchange(at, at + room);
  for (int c : {1, 2}) colours_[c] = std::exchange(at, at + wide);
}

PixelRows::Row PixelRows::at(int64_t y) {
  if (picture_.has_planes()) {
    if (made_ != y) make(y);
    return {pixels_[0], pixels_[1], pixels_[2]};
  }
  const uint8_t* row = picture_.bytes() + y * picture_.width + left_;
  const int64_t plane = picture_.height * picture_.width, last = picture_.channels - 1;
  return {row, row + std::min<int64_t>(last, 1) * plane, row + std::min<int64_t>(last, 2) * plane};
}

const uint8_t* PixelRows::colour(int plane, int64_t y) {
  const JpegPlanes& p = picture_.planes();
  auto row = [&](int64_t i) {
    return p.plane[plane] + std::clamp<int64_t>(i, 0, p.colour_height - 1) * p.colour_stride + first_;
  };
  if (p.across == 1) return row(y);
  uint8_t* into = colours_[plane];
  const host::PixelTable& k = host::pixel_table();
  if (p.down == 1)
    k.widen(row(y), count_, into);
  else
    k.widen_between(row(y / 2), row(y % 2 ? y / 2 + 1 : y / 2 - 1), count_, sums_, into);
  return into;
}

void PixelRows::make(int64_t y) {
  const JpegPlanes& p = picture_.planes();
  const int64_t skipped = left_ - first_ * p.across;
  host::pixel_table().colours(p.plane[0] + y * p.stride + left_, colour(1, y) + skipped,
                              colour(2, y) + skipped, width_, pixels_.data());
  made_ = y;
}

}  // namespace cantik
