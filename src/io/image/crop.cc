// Parts of pictures: in the middle, at random places, the ten views.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <cantik/error.h>

#include "base/text.h"
#include "io/image/pixel_rows.h"
#include "io/image/transform.h"

namespace cantik {
namespace {

constexpr int64_t kCorners = 5;  // and the middle; each is there twice, the second time mirrored

template <class T>
void copy_row(const T* row, int64_t width, bool mirrored, T* into) {
  if (mirrored)
    std::reverse_copy(row, row + width, into);
  else
    std::copy_n(row, width, into);
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

  std::optional<PicturePart> part(int64_t picture_width, int64_t picture_height, PictureDraws& draws,
                                  int64_t view) const override {
    const auto [width, height] = size(picture_width, picture_height, draws);
    const int64_t right = picture_width - width, below = picture_height - height;
    PicturePart part{right / 2, below / 2, width, height};
    if (is_random()) {
      part.left = draws.whole(right);
      part.top = draws.whole(below);
      part.mirrored = draws.coin();
    } else if (o_.kind == CropKind::multiview10) {
      const int64_t place = view % kCorners;
      part.mirrored = view >= kCorners;
      if (place < 4) {
        part.left = place % 2 ? right : 0;
        part.top = place / 2 ? below : 0;
      }
    }
    return part;
  }
  bool is_of_pixels() const override { return o_.width > 0; }

  Picture apply(Picture p, PictureDraws& draws, int64_t view) const override {
    const PicturePart part = *this->part(p.width, p.height, draws, view);
    const bool is_whole = part.width == p.width && part.height == p.height && !part.mirrored;
    return is_whole ? std::move(p) : cut(p, part);
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
  std::pair<int64_t, int64_t> size(int64_t picture_width, int64_t picture_height, PictureDraws& draws) const {
    if (o_.width > 0) return {std::min(o_.width, picture_width), std::min(o_.height, picture_height)};
    const double width = static_cast<double>(picture_width), height = static_cast<double>(picture_height);
    double side = 0;
    if (o_.side_ratio.last > 0)
      side = std::min(width, height) * drawn(o_.side_ratio, draws);
    else if (o_.area_ratio.last > 0)
      side = std::sqrt(width * height * drawn(o_.area_ratio, draws));
    else
      return {picture_width, picture_height};
    const auto [across, down] = rectangle(side, draws);
    return {std::clamp<int64_t>(across, 1, picture_width), std::clamp<int64_t>(down, 1, picture_height)};
  }

  // About as large as the square of this side. As CNTK does it, the side is rounded, and what the ratio makes
  // of it cut off.
  std::pair<int64_t, int64_t> rectangle(double side, PictureDraws& draws) const {
    const double whole = std::round(side);
    double root = 1;
    if (o_.aspect_ratio.first != 1 || o_.aspect_ratio.last != 1) {
      root = std::sqrt(drawn(o_.aspect_ratio, draws));
      if (is_random() && draws.coin()) root = 1 / root;
    }
    return {static_cast<int64_t>(whole / root), static_cast<int64_t>(whole * root)};
  }

  ImageCrop o_;
};

}  // namespace

Picture cut(const Picture& p, const PicturePart& part) {
  if (p.is_real()) {
    Picture out = Picture::of_numbers(part.height, part.width, p.channels);
    float* into = out.numbers();
    for (int64_t c = 0; c < p.channels; ++c)
      for (int64_t y = 0; y < part.height; ++y, into += part.width)
        copy_row(p.numbers() + (c * p.height + part.top + y) * p.width + part.left, part.width, part.mirrored,
                 into);
    return out;
  }
  Picture out = Picture::of_bytes(part.height, part.width, p.channels);
  PixelRows rows(p, part.left, part.width);
  for (int64_t y = 0; y < part.height; ++y) {
    const PixelRows::Row row = rows.at(part.top + y);
    for (int64_t c = 0; c < p.channels; ++c)
      copy_row(row[c], part.width, part.mirrored, out.bytes() + (c * part.height + y) * part.width);
  }
  return out;
}

std::unique_ptr<Transform> transform_of(const ImageCrop& crop) {
  return std::make_unique<CropTransform>(crop);
}

}  // namespace cantik
