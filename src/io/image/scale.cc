// Pictures of one size: stretched, cut in the middle, with a border.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <cantik/error.h>

#include "base/text.h"
#include "io/image/transform.h"

namespace cantik {
namespace {

constexpr int64_t kLargest = 1 << 15;

// Into the middle of a larger picture; around it `value`, or the outermost pixels.
template <class T>
void put(const T* from, const Picture& p, int64_t left, int64_t top, std::optional<int64_t> value,
         const Picture& out, T* into) {
  for (int64_t c = 0; c < p.channels; ++c)
    for (int64_t y = 0; y < out.height; ++y)
      for (int64_t x = 0; x < out.width; ++x) {
        const int64_t row = std::clamp<int64_t>(y - top, 0, p.height - 1),
                      column = std::clamp<int64_t>(x - left, 0, p.width - 1);
        const bool inside = row == y - top && column == x - left;
        *into++ = inside || !value ? from[(c * p.height + row) * p.width + column] : static_cast<T>(*value);
      }
}

class ScaleTransform final : public Transform {
 public:
  explicit ScaleTransform(const ImageScale& o) : o_(o) {
    if (o.width < 1 || o.height < 1 || o.width > kLargest || o.height > kLargest)
      throw value_error(cat("pictures are scaled to ", o.width, " x ", o.height, " pixels"))
          .remedy(cat("give a width and a height from 1 to ", kLargest));
    if (o.channels != 1 && o.channels != 3)
      throw value_error(cat("pictures are scaled to ", o.channels, " channels"))
          .remedy("give 3, or 1 for grey pictures");
    if (o.pad_value && (*o.pad_value < 0 || *o.pad_value > 255))
      throw value_error(cat("the border of a scaled picture is ", *o.pad_value))
          .remedy("give a number from 0 to 255, or none (in Python -1) for the outermost pixels again");
  }

  std::optional<PictureSize> size() const override { return PictureSize{o_.width, o_.height}; }

  Picture apply(Picture p, PictureDraws&, int64_t) const override {
    if (o_.mode == ScaleMode::fill) return resized(p, o_.width, o_.height, o_.interpolation);
    const double across = static_cast<double>(o_.width) / static_cast<double>(p.width),
                 down = static_cast<double>(o_.height) / static_cast<double>(p.height);
    const double factor = o_.mode == ScaleMode::crop ? std::max(across, down) : std::min(across, down);
    auto side = [&](int64_t from, int64_t wanted) {
      const int64_t n = std::max<int64_t>(1, std::llround(static_cast<double>(from) * factor));
      return o_.mode == ScaleMode::crop ? std::max(n, wanted) : std::min(n, wanted);
    };
    const Picture r = resized(p, side(p.width, o_.width), side(p.height, o_.height), o_.interpolation);
    if (o_.mode == ScaleMode::crop)
      return cut(r, {(r.width - o_.width) / 2, (r.height - o_.height) / 2, o_.width, o_.height});
    return padded(r);
  }

 private:
  Picture padded(const Picture& r) const {
    const int64_t left = (o_.width - r.width) / 2, top = (o_.height - r.height) / 2;
    Picture out = r.is_real() ? Picture::of_numbers(o_.height, o_.width, r.channels)
                              : Picture::of_bytes(o_.height, o_.width, r.channels);
    if (r.is_real())
      put(r.numbers(), r, left, top, o_.pad_value, out, out.numbers());
    else
      put(r.bytes(), r, left, top, o_.pad_value, out, out.bytes());
    return out;
  }
  ImageScale o_;
};

}  // namespace

std::unique_ptr<Transform> transform_of(const ImageScale& scale) {
  return std::make_unique<ScaleTransform>(scale);
}

}  // namespace cantik
