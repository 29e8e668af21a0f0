// Random changes of brightness, contrast and saturation.
#include <algorithm>
#include <memory>

#include <cantik/error.h>

#include "base/text.h"
#include "io/image/transform.h"

namespace cantik {
namespace {

constexpr float kBrightest = 255;

class ColorTransform final : public Transform {
 public:
  explicit ColorTransform(const ImageColor& o) : o_(o) {
    for (double r : {o.brightness_radius, o.contrast_radius, o.saturation_radius})
      if (!(r >= 0 && r <= 1))
        throw value_error(cat("a radius of a change of colours is ", r)).remedy("give a number from 0 to 1");
  }
  bool is_random() const override { return true; }

  Picture apply(Picture given, PictureDraws& draws, int64_t) const override {
    if (o_.brightness_radius == 0 && o_.contrast_radius == 0 && o_.saturation_radius == 0) return given;
    Picture p = std::move(given).as_real();
    const double bright = draws.between(-o_.brightness_radius, o_.brightness_radius),
                 contrast = 1 + draws.between(-o_.contrast_radius, o_.contrast_radius),
                 saturation = 1 + draws.between(-o_.saturation_radius, o_.saturation_radius);
    if (o_.brightness_radius > 0 || o_.contrast_radius > 0) {
      double sum = 0;
      for (size_t i = 0; i < p.count(); ++i) sum += p.numbers()[i];
      const float shift = static_cast<float>(bright * sum / static_cast<double>(p.count())),
                  factor = static_cast<float>(contrast);
      for (size_t i = 0; i < p.count(); ++i)
        p.numbers()[i] = std::clamp(factor * p.numbers()[i] + shift, 0.0f, kBrightest);
    }
    if (o_.saturation_radius > 0 && p.channels == 3) saturate(p, static_cast<float>(saturation));
    return p;
  }

 private:
  // Hue and value stay. The saturation (most - least) / most grows, at most to 1: each channel moves away
  // from the largest one in proportion.
  static void saturate(Picture& p, float factor) {
    const size_t pixels = p.count() / 3;
    float *blue = p.numbers(), *green = blue + pixels, *red = green + pixels;
    for (size_t i = 0; i < pixels; ++i) {
      const float most = std::max({blue[i], green[i], red[i]}), least = std::min({blue[i], green[i], red[i]});
      if (most <= least) continue;
      const float ratio = std::min(factor, most / (most - least));
      for (float* x : {blue + i, green + i, red + i}) *x = most - ratio * (most - *x);
    }
  }
  ImageColor o_;
};

}  // namespace

std::unique_ptr<Transform> transform_of(const ImageColor& color) {
  return std::make_unique<ColorTransform>(color);
}

}  // namespace cantik
