// Parts of pictures: in the middle, at random places, the ten views.
#include <algorithm>
#include <cmath>
#include <memory>

#include <cantik/error.h>

#include "base/text.h"
#include "io/image/transform.h"

namespace cantik {
namespace {

constexpr int64_t kCorners = 5;  // and the middle; each is there twice, the second time mirrored

template <class T>
void copy_part(const T* from, const Picture& p, int64_t left, int64_t top, int64_t width, int64_t height,
               bool mirrored, T* into) {
  const int64_t c = p.channels;
  for (int64_t y = 0; y < height; ++y, into += width * c) {
    const T* row = from + ((top + y) * p.width + left) * c;
    if (!mirrored) {
      std::copy_n(row, width * c, into);
      continue;
    }
    for (int64_t x = 0; x < width; ++x) std::copy_n(row + (width - 1 - x) * c, c, into + x * c);
  }
}

class CropTransform final : public Transform {
 public:
  explicit CropTransform(const ImageCrop& o) : o_(o) {
    if (o.width < 0 || o.height < 0)
      throw value_error(cat("Invalid cropSize value: ", o.width, " x ", o.height, " pixels, must be >= 0"));
    check(o.side_ratio, "sideRatio");
    check(o.area_ratio, "areaRatio");
    if (!(o.aspect_ratio.first > 0 && o.aspect_ratio.first <= o.aspect_ratio.last &&
          o.aspect_ratio.last <= 1))
      throw value_error(cat("Invalid aspectRatio value: ", o.aspect_ratio.first, " to ", o.aspect_ratio.last,
                            ", must be > 0 and <= 1. aspectMin must <= aspectMax"));
    if (o.side_ratio.last > 0 && o.area_ratio.last > 0)
      throw runtime_error("sideRatio and areaRatio cannot be specified simultaneously")
          .remedy("give one of them");
  }

  bool is_random() const override {
    return o_.kind == CropKind::random_side || o_.kind == CropKind::random_area;
  }
  int64_t views() const override { return o_.kind == CropKind::multiview10 ? 2 * kCorners : 1; }

  Picture apply(Picture p, PictureDraws& draws, int64_t view) const override {
    const auto [width, height] = size(p, draws);
    const int64_t right = p.width - width, below = p.height - height;
    int64_t left = right / 2, top = below / 2;
    bool mirrored = false;
    if (is_random()) {
      left = draws.whole(right);
      top = draws.whole(below);
      mirrored = draws.coin();
    } else if (o_.kind == CropKind::multiview10) {
      const int64_t place = view % kCorners;
      mirrored = view >= kCorners;
      if (place < 4) {
        left = place % 2 ? right : 0;
        top = place / 2 ? below : 0;
      }
    }
    if (left == 0 && top == 0 && right == 0 && below == 0 && !mirrored) return p;
    return cut(p, left, top, width, height, mirrored);
  }

 private:
  static void check(const RatioRange& r, const char* what) {
    if (r.first < 0 || r.last > 1 || r.first > r.last || (r.last > 0 && r.first == 0))
      throw runtime_error(
          cat("Invalid ", what, " value, must be > 0 and <= 1. It goes from ", r.first, " to ", r.last));
  }
  double drawn(const RatioRange& r, PictureDraws& draws) const {
    return o_.jitter && r.first < r.last ? draws.between(r.first, r.last) : r.first;
  }

  // A size in pixels goes before the ratios, as in CNTK.
  std::pair<int64_t, int64_t> size(const Picture& p, PictureDraws& draws) const {
    if (o_.width > 0) return {std::min(o_.width, p.width), std::min(o_.height, p.height)};
    const double width = static_cast<double>(p.width), height = static_cast<double>(p.height);
    if (o_.side_ratio.last > 0)
      return rectangle(p, std::min(width, height) * drawn(o_.side_ratio, draws), draws);
    if (o_.area_ratio.last > 0)
      return rectangle(p, std::sqrt(width * height * drawn(o_.area_ratio, draws)), draws);
    return {p.width, p.height};
  }

  // About as large as the square of this side. As CNTK does it, the side is rounded, and what the ratio makes
  // of it cut off.
  std::pair<int64_t, int64_t> rectangle(const Picture& p, double side, PictureDraws& draws) const {
    const double whole = std::round(side);
    double root = 1;
    if (o_.aspect_ratio.first != 1 || o_.aspect_ratio.last != 1) {
      root = std::sqrt(drawn(o_.aspect_ratio, draws));
      if (is_random() && draws.coin()) root = 1 / root;
    }
    return {std::clamp<int64_t>(static_cast<int64_t>(whole / root), 1, p.width),
            std::clamp<int64_t>(static_cast<int64_t>(whole * root), 1, p.height)};
  }

  ImageCrop o_;
};

}  // namespace

Picture cut(const Picture& p, int64_t left, int64_t top, int64_t width, int64_t height, bool mirrored) {
  if (p.is_real()) {
    Picture out = Picture::of_numbers(height, width, p.channels);
    copy_part(p.numbers(), p, left, top, width, height, mirrored, out.numbers());
    return out;
  }
  Picture out = Picture::of_bytes(height, width, p.channels);
  copy_part(p.bytes(), p, left, top, width, height, mirrored, out.bytes());
  return out;
}

std::unique_ptr<Transform> transform_of(const ImageCrop& crop) {
  return std::make_unique<CropTransform>(crop);
}

}  // namespace cantik
