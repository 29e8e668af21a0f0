#include "io/image/picture.h"

#include <algorithm>

namespace cantik {
namespace {

constexpr size_t kSlack = 16;  // loops may read behind the last pixel

template <class T>
void planes(const T* from, int64_t pixels, int64_t channels, float* into) {
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = 0; i < pixels; ++i) *into++ = static_cast<float>(from[i * channels + c]);
}

// The usual number of channels, known to the compiler.
template <class T>
void three_planes(const T* from, int64_t pixels, float* into) {
  for (int64_t i = 0; i < pixels; ++i) {
    into[i] = static_cast<float>(from[3 * i]);
    into[pixels + i] = static_cast<float>(from[3 * i + 1]);
    into[2 * pixels + i] = static_cast<float>(from[3 * i + 2]);
  }
}

template <class T>
void copied(const T* from, int64_t pixels, int64_t channels, float* into) {
  if (channels == 3)
    three_planes(from, pixels, into);
  else
    planes(from, pixels, channels, into);
}

}  // namespace

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
  p.is_real_ = true;
  return p;
}

Picture Picture::as_real() && {
  if (is_real()) return std::move(*this);
  Picture p = of_numbers(height, width, channels);
  std::copy_n(bytes(), count(), p.numbers());
  return p;
}

void copy_channels_first(const Picture& p, float* into) {
  const int64_t pixels = p.height * p.width;
  if (p.is_real())
    copied(p.numbers(), pixels, p.channels, into);
  else
    copied(p.bytes(), pixels, p.channels, into);
}

}  // namespace cantik
