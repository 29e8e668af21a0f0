// Transforms of pictures, a file each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cantik/image.h>

#include "io/image/picture.h"
#include "io/image/taps.h"

namespace cantik {

// Random numbers for one picture in one sweep (SplitMix64: G. Steele, D. Lea, C. Flood 2014).
class PictureDraws {
 public:
  PictureDraws(uint64_t seed, uint64_t sweep, uint64_t picture) : state_(seed) {
    state_ = next() ^ sweep;
    state_ = next() ^ picture;
  }
  double between(double first, double last) {
    return first + (last - first) * static_cast<double>(next() >> 11) * 0x1p-53;
  }
  bool coin() { return next() >> 63; }
  // From 0 to the last, each as likely.
  int64_t whole(int64_t last) { return static_cast<int64_t>(between(0, static_cast<double>(last) + 1)); }

 private:
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  uint64_t state_;
};

// A part of a picture.
struct PicturePart {
  int64_t left = 0, top = 0, width = 0, height = 0;
  bool mirrored = false;
};

class Transform {
 public:
  virtual ~Transform() = default;
  // `view`: of a picture with several, which one.
  virtual Picture apply(Picture p, PictureDraws& draws, int64_t view) const = 0;
  // The part that it takes of a picture of this size, if that is all it does.
  virtual std::optional<PicturePart> part(int64_t, int64_t, PictureDraws&, int64_t) const { return {}; }
  // Whether it counts in pixels of the picture, so that another size is another result.
  virtual bool is_of_pixels() const { return false; }
  // The size that it brings pictures to, if that is all it does.
  virtual std::optional<PictureSize> size() const { return {}; }
  // Whether it makes another picture in each sweep.
  virtual bool is_random() const { return false; }
  // How many sequences it makes of a picture.
  virtual int64_t views() const { return 1; }
  // Adds what was odd, once.
  virtual void take_warnings(std::vector<std::string>&) {}
};

std::unique_ptr<Transform> transform_of(const ImageCrop& crop);
std::unique_ptr<Transform> transform_of(const ImageScale& scale);
std::unique_ptr<Transform> transform_of(const ImageMean& mean);
std::unique_ptr<Transform> transform_of(const ImageColor& color);

// A part of a picture, as pixels.
Picture cut(const Picture& p, const PicturePart& part);
// Another size, in the numbers of OpenCV 3.1.
Picture resized(const Picture& p, int64_t width, int64_t height, Interpolation interpolation);
// The same of whole numbers, linear, into `out`.
void scale_linear(const Picture& p, const Taps& columns, const Taps& rows, Picture& out);

}  // namespace cantik
