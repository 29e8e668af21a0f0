#include "io/image/picture.h"

#include <algorithm>

#include "backends/host/pixels.h"
#include "io/image/pixel_rows.h"

namespace cantik {

Picture Picture::of_bytes(int64_t height, int64_t width, int64_t channels) {
  Picture p;
  p.height = height, p.width = width, p.channels = channels;
  p.memory_ = allocate_block(p.count() + kSlack);
  return p;
}

Picture Picture::of_numbers(int64_t height, int64_t width, int64_t channels) {
  Picture p;
  p.height = height, p.width = width, p.channels = channels;
  p.memory_ = allocate_block((p.count() + kSlack) * sizeof(float));
  p.form_ = Form::numbers;
  return p;
}

Picture Picture::of_planes(int64_t height, int64_t width, const JpegPlanes& planes) {
  Picture p;
  p.height = height, p.width = width, p.channels = 3;
  p.planes_ = planes;
  const int64_t brightness = height * planes.stride, colour = planes.colour_height * planes.colour_stride;
  p.memory_ = allocate_block(static_cast<size_t>(brightness + 2 * colour + kSlack));
  uint8_t* at = p.bytes();
  p.planes_.plane[0] = at;
  p.planes_.plane[1] = at + brightness;
  p.planes_.plane[2] = at + brightness + colour;
  p.form_ = Form::planes;
  return p;
}

Picture Picture::as_pixels() && {
  if (!has_planes()) return std::move(*this);
  Picture p = of_bytes(height, width, channels);
  PixelRows rows(*this, 0, width);
  for (int64_t y = 0; y < height; ++y) {
    const PixelRows::Row row = rows.at(y);
    for (size_t c = 0; c < row.size(); ++c)
      std::copy_n(row[c], width, p.bytes() + (static_cast<int64_t>(c) * height + y) * width);
  }
  return p;
}

Picture Picture::as_real() && {
  if (is_real()) return std::move(*this);
  const Picture pixels = std::move(*this).as_pixels();
  Picture p = of_numbers(pixels.height, pixels.width, pixels.channels);
  std::copy_n(pixels.bytes(), pixels.count(), p.numbers());
  return p;
}

DType stored_dtype(const Picture& p) { return p.is_real() ? DType::float32 : DType::int16; }

void copy_numbers(const Picture& p, void* into) {
  if (p.is_real())
    std::copy_n(p.numbers(), p.count(), static_cast<float*>(into));
  else
    host::pixel_table().widen_numbers(p.bytes(), static_cast<int64_t>(p.count()),
                                      static_cast<int16_t*>(into));
}

}  // namespace cantik
