// Picture: pixels on their way from a file into a minibatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <cantik/tensor.h>

#include "base/memory.h"

namespace cantik {

// [height, width, channels]: whole numbers, as they are read, or real ones once a transform has made some.
class Picture {
 public:
  int64_t height = 0, width = 0, channels = 0;

  bool is_real() const { return is_real_; }
  uint8_t* bytes() const { return static_cast<uint8_t*>(memory_.get()); }
  float* numbers() const { return static_cast<float*>(memory_.get()); }
  size_t count() const { return static_cast<size_t>(height * width * channels); }

  static Picture of_bytes(int64_t height, int64_t width, int64_t channels);
  static Picture of_numbers(int64_t height, int64_t width, int64_t channels);
  // The same with real numbers.
  Picture as_real() &&;

 private:
  MemoryBlock memory_;
  bool is_real_ = false;
};

// Reads a JPEG or PNG file in memory, upright; channels: 3 or 1. `name`: of the picture, for errors.
Picture decode_picture(std::span<const uint8_t> file, int64_t channels, const std::string& name);

// Channels first: [channels, height, width].
void copy_channels_first(const Picture& from, float* into);

}  // namespace cantik
