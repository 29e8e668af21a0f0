// Picture: pixels on their way from a file into a minibatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <cantik/tensor.h>

#include "base/memory.h"

namespace cantik {

// The samples of a JPEG file before they are pixels: brightness, and two planes of colour of which a sample
// serves `across` times `down` pixels.
struct JpegPlanes {
  int across = 1, down = 1;
  int64_t colour_width = 0, colour_height = 0;
  int64_t stride = 0, colour_stride = 0;  // from row to row
  uint8_t* plane[3] = {};
};

// [channels, height, width]: whole numbers, as they are read, or real ones once a transform has made some.
class Picture {
 public:
  int64_t height = 0, width = 0, channels = 0;

  bool is_real() const { return form_ == Form::numbers; }
  bool has_planes() const { return form_ == Form::planes; }
  uint8_t* bytes() const { return static_cast<uint8_t*>(memory_.get()); }
  float* numbers() const { return static_cast<float*>(memory_.get()); }
  const JpegPlanes& planes() const { return planes_; }
  size_t count() const { return static_cast<size_t>(height * width * channels); }

  static Picture of_bytes(int64_t height, int64_t width, int64_t channels);
  static Picture of_numbers(int64_t height, int64_t width, int64_t channels);
  // `planes` with the memory for their samples, which lie in it.
  static Picture of_planes(int64_t height, int64_t width, const JpegPlanes& planes);
  // The same with whole numbers, of planes, and with real ones.
  Picture as_pixels() &&;
  Picture as_real() &&;

 private:
  enum class Form : uint8_t { bytes, numbers, planes };
  MemoryBlock memory_;
  Form form_ = Form::bytes;
  JpegPlanes planes_;
};

// How a picture is read.
struct Decoding {
  int64_t channels = 3;      // or 1
  int reduced = 1;           // of JPEG: 2, 4 or 8 for this part of its width and height, by the DCT
  int64_t rows = INT64_MAX;  // from the top, that are needed
};

// Reads a JPEG or PNG file in memory, upright. `name`: of the picture, for errors.
Picture decode_picture(std::span<const uint8_t> file, const Decoding& how, const std::string& name);
// The width and height that it will have.
struct PictureSize {
  int64_t width = 0, height = 0;
};
PictureSize size_of_picture(std::span<const uint8_t> file, const std::string& name);

// As the chunk of a source has it: real numbers, or whole ones of two bytes.
DType stored_dtype(const Picture& picture);
void copy_numbers(const Picture& picture, void* into);

}  // namespace cantik
