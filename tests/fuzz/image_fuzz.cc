// Any bytes are a picture, an archive, a file of means, a list of pictures, or a clear error.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include <cantik/error.h>
#include <cantik/image.h>

#include "io/archive.h"
#include "io/image/transform.h"

using namespace cantik;

namespace {

constexpr int64_t kMost = 1 << 22;  // pixels: larger pictures are only looked at

template <class F>
void refused_or_done(F&& f) {
  try {
    f();
  } catch (const Error&) {
  }
}

void picture(const uint8_t* data, size_t size, const Decoding& how) {
  // The size stands behind the signature of a PNG, big endian; others are as large as their data make them.
  if (size > 24 && data[0] == 0x89) {
    auto number = [&](size_t at) {
      return int64_t{data[at]} << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3];
    };
    if (number(16) > kMost || number(20) > kMost || number(16) * number(20) > kMost) return;
  }
  const Picture p = decode_picture({data, size}, how, "fuzz");
  if (static_cast<int64_t>(p.count()) > kMost) return;
  if (how.rows < p.height) {
    cut(p, {0, 0, p.width, how.rows});
    return;
  }
  PictureDraws draws(1, 2, 3);
  for (Interpolation way :
       {Interpolation::nearest, Interpolation::linear, Interpolation::cubic, Interpolation::lanczos})
    resized(p, 7, 5, way);
  transform_of(ImageCrop{.kind = CropKind::random_side, .side_ratio = {0.5, 1}, .jitter = true})
      ->apply(cut(p, {0, 0, p.width, p.height, true}), draws, 0);
}

Decoding decoding_of(uint8_t options) {
  return {.channels = options & 1 ? 1 : 3,
          .reduced = 1 << (options >> 2 & 3),
          .rows = options & 16 ? 5 : INT64_MAX};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  [[maybe_unused]] static const int named = setenv("CANTIK_IMAGES", CANTIK_IMAGES_LIBRARY, 0);
  static const int file = memfd_create("fuzz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data + 1, size - 1, 0) != static_cast<ssize_t>(size - 1))
    std::abort();
  refused_or_done([&] { picture(data + 1, size - 1, decoding_of(data[0])); });
  refused_or_done([&] { Archive(path).read(data[0] & 2 ? "a" : "inner/palette.png"); });
  refused_or_done([&] { transform_of(ImageMean{.path = path}); });
  refused_or_done([&] { images(path, {.classes = 3}); });
  refused_or_done([&] { base64_images(path, {.classes = 3})->load(0); });
  return 0;
}
