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
constexpr int kAttempts = 10;    // to draw a rectangle that fits

template <class T>
void copy_row(const T* row, int64_t width, bool mirrored, T* into) {
  if (mirrored)
    std::reverse_copy(row, row + width, into);
  else
    std::copy_n(row, width, into);
}

// CNTK's ratios are float32: 0.7 of 5 pixels is less than 3.5.
ImageCrop in_float32(ImageCrop o) {
  for (RatioRange* r : {&o.side_ratio, &o.area_ratio, &o.aspect_ratio})
    *r = {static_cast<float>(r->first), static_cast<float>(r->last)};
  return o;
}

class CropTransform final : public Transform {
 public:
  explicit CropTransform(const ImageCrop& o) : o_(in_float32(o)) {
    if (o_.width < 0 || o_.height < 0)
      throw value_error(cat("Invalid cropSize value: ", o_.width, " x ", o_.height, " pixels, must be >= 0"));
    check(o_.side_ratio, "sideRatio");
    check(o_.area_ratio, "areaRatio");
    const auto& [least, most] = o_.aspect_ratio;
    if (!(least > 0 && least <= most && std::isfinite(most)))
      throw value_error(cat("Invalid aspectRatio value, aspectMin must > 0 and <= aspectMax. It goes from ",
                            least, " to ", most));
    if (o_.side_ratio.last > 0 && o_.area_ratio.last > 0)
      throw runtime_error("sideRatio and areaRatio cannot be specified simultaneously")
          .remedy("give one of them");
  }

  bool is_random() const override { return has_random_place() || has_random_size(); }
  int64_t views() const override { return o_.kind == CropKind::multiview10 ? 2 * kCorners : 1; }

  std::optional<PicturePart> part(int64_t picture_width, int64_t picture_height, PictureDraws& draws,
                                  int64_t view) const override {
    const auto [width, height] = size({picture_width, picture_height}, draws);
    const int64_t right = picture_width - width, below = picture_height - height;
    PicturePart part{right / 2, below / 2, width, height};
    if (has_random_place()) {
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
  bool is_of_pixels() const override { return o_.width > 0 && o_.height > 0; }

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
  bool has_random_place() const {
    return o_.kind == CropKind::random_side || o_.kind == CropKind::random_area;
  }
  bool has_ratio() const { return o_.side_ratio.last > 0 || o_.area_ratio.last > 0; }
  bool has_aspect() const { return o_.aspect_ratio.first != 1 || o_.aspect_ratio.last != 1; }
  bool is_drawn(const RatioRange& r) const { return o_.jitter && r.first < r.last; }
  bool has_random_size() const {
    return !is_of_pixels() && has_ratio() &&
           (has_aspect() || is_drawn(o_.side_ratio) || is_drawn(o_.area_ratio));
  }
  double drawn(const RatioRange& r, PictureDraws& draws) const {
    return is_drawn(r) ? draws.between(r.first, r.last) : r.first;
  }

  // A size in pixels goes before the ratios. A rectangle that is too wide or too high for the picture is
  // drawn again, and if none fits the whole picture stays; to cut it would give it another ratio. All as in
  // CNTK.
  PictureSize size(PictureSize picture, PictureDraws& draws) const {
    if (is_of_pixels()) return {std::min(o_.width, picture.width), std::min(o_.height, picture.height)};
    if (!has_ratio()) return picture;
    for (int attempt = 0; attempt < kAttempts; ++attempt)
      if (const PictureSize r = rectangle(side(picture, draws), draws);
          r.width <= picture.width && r.height <= picture.height)
        return r;
    return picture;
  }

  double side(PictureSize picture, PictureDraws& draws) const {
    const double width = static_cast<double>(picture.width), height = static_cast<double>(picture.height);
    return o_.side_ratio.last > 0 ? std::min(width, height) * drawn(o_.side_ratio, draws)
                                  : std::sqrt(width * height * drawn(o_.area_ratio, draws));
  }

  // About as large as the square of this side, and as likely upright as lying. As CNTK does it, the side is
  // rounded, and what the ratio makes of it cut off; here something is left always.
  PictureSize rectangle(double side, PictureDraws& draws) const {
    const double whole = std::round(side);
    double root = 1;
    if (has_aspect()) {
      root = std::sqrt(drawn(o_.aspect_ratio, draws));
      if (draws.coin()) root = 1 / root;
    }
    auto pixels = [](double n) { return static_cast<int64_t>(std::clamp(n, 1.0, 0x1p62)); };
    return {pixels(whole / root), pixels(whole * root)};
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
