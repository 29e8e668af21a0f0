// Pixels that are made of a JPEG file's planes are those that libjpeg makes of the file, at every size that
// it decodes, whole and in parts; the loops over pixels make the same ones with every instruction set.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "backends/host/pixels.h"
#include "io/image/codec_library.h"
#include "io/image/pixel_rows.h"
#include "io/image/transform.h"

namespace cantik {
namespace {

using File = std::vector<uint8_t>;

std::vector<File> jpegs() {
#ifdef CANTIK_IMAGES_LIBRARY
  setenv("CANTIK_IMAGES", CANTIK_IMAGES_LIBRARY, 0);
#endif
  std::vector<File> all;
  for (const char* folder : {"/golden/images", "/fuzz/corpus/image"})
    for (const auto& entry : std::filesystem::directory_iterator(std::string(CANTIK_TESTS) + folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      File bytes(std::istreambuf_iterator<char>(file), {});
      if (entry.path().extension() == ".jpg") all.push_back(std::move(bytes));
    }
  EXPECT_GT(all.size(), 5u);
  return all;
}

// [channels, height, width], from libjpeg's own pixels. Empty where the file cannot be read.
std::vector<uint8_t> by_libjpeg(const File& file, int reduced, cantik_picture_size& size) {
  char message[CANTIK_CODEC_MESSAGE];
  if (codec().size(file.data(), file.size(), reduced, &size, message)) return {};
  const size_t n = static_cast<size_t>(size.width) * static_cast<size_t>(size.height);
  std::vector<uint8_t> side_by_side(3 * n), planes(3 * n);
  if (codec().decode(file.data(), file.size(), reduced, 3, side_by_side.data(), message)) return {};
  for (size_t i = 0; i < 3 * n; ++i) planes[i % 3 * n + i / 3] = side_by_side[i];
  return planes;
}

std::vector<uint8_t> bytes_of(const Picture& p) { return {p.bytes(), p.bytes() + p.count()}; }

TEST(JpegPlanes, MakeThePixelsOfLibjpeg) {
  int with_planes = 0;
  for (const File& file : jpegs())
    for (const int reduced : {1, 2, 4, 8}) {
      cantik_picture_size size;
      const std::vector<uint8_t> expected = by_libjpeg(file, reduced, size);
      if (expected.empty() || size.orientation != 1) continue;
      Picture p = decode_picture(file, {.reduced = reduced}, "a test");
      EXPECT_EQ(p.has_planes(), size.across > 0);
      with_planes += p.has_planes();
      EXPECT_EQ(bytes_of(std::move(p).as_pixels()), expected)
          << reduced << ", " << size.across << " x " << size.down;
    }
  EXPECT_GT(with_planes, 10);
}

TEST(JpegPlanes, PartsAreThoseOfTheWhole) {
  std::mt19937 random(1);
  for (const File& file : jpegs()) {
    cantik_picture_size size;
    if (by_libjpeg(file, 1, size).empty() || size.orientation != 1) continue;
    const Picture planes = decode_picture(file, {}, "a test"),
                  pixels = decode_picture(file, {}, "a test").as_pixels();
    for (int i = 0; i < 40; ++i) {
      auto drawn = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most)); };
      PicturePart part{.width = 1 + drawn(planes.width), .height = 1 + drawn(planes.height)};
      part.left = drawn(planes.width - part.width + 1);
      part.top = drawn(planes.height - part.height + 1);
      part.mirrored = i % 2;
      const std::vector<uint8_t> expected = bytes_of(cut(pixels, part));
      EXPECT_EQ(bytes_of(cut(planes, part)), expected);
      const Picture above = decode_picture(file, {.rows = part.top + part.height}, "a test");
      EXPECT_EQ(bytes_of(cut(above, part)), expected);
    }
  }
}

TEST(Pixels, AreTheSameWithEveryInstructionSet) {
  std::mt19937 random(2);
  auto numbers = [&](int64_t n) {
    File all(static_cast<size_t>(n) + kSlack);
    for (uint8_t& x : all) x = static_cast<uint8_t>(random() % 4 ? random() : random() % 2 * 255);
    return all;
  };
  int count = 0;
  const host::PixelTable* const* tables = host::pixel_tables(&count);
  const host::PixelTable& plain = *tables[count - 1];
  for (int i = 0; i + 1 < count; ++i)
    for (const int64_t n : {1, 2, 3, 15, 16, 17, 31, 33, 64, 250, 1001}) {
      const host::PixelTable& k = *tables[i];
      const File a = numbers(n), b = numbers(n), c = numbers(n);
      const auto room = static_cast<size_t>(2 * n);
      File found(room), expected(room);
      k.widen(a.data(), n, found.data());
      plain.widen(a.data(), n, expected.data());
      EXPECT_EQ(found, expected) << k.name << n;
      std::vector<uint16_t> sums(room + 2);
      k.widen_between(a.data(), b.data(), n, sums.data(), found.data());
      plain.widen_between(a.data(), b.data(), n, sums.data(), expected.data());
      EXPECT_EQ(found, expected) << k.name << n;
      File colours[2];
      for (int j = 0; j < 2; ++j) {
        colours[j].resize(static_cast<size_t>(3 * n));
        uint8_t* into[3] = {colours[j].data(), colours[j].data() + n, colours[j].data() + 2 * n};
        (j ? plain : k).colours(a.data(), b.data(), c.data(), n, into);
      }
      EXPECT_EQ(colours[0], colours[1]) << k.name << n;
      std::vector<int16_t> rows[2], shorts[2];
      std::vector<float> floats[2];
      for (int j = 0; j < 2; ++j) {
        const host::PixelTable& t = j ? plain : k;
        shorts[j].resize(static_cast<size_t>(n));
        floats[j].resize(static_cast<size_t>(n));
        t.widen_numbers(a.data(), n, shorts[j].data());
        t.to_float(shorts[j].data(), n, floats[j].data());
        rows[j].resize(static_cast<size_t>(n));
        for (int64_t x = 0; x < n; ++x)
          rows[j][static_cast<size_t>(x)] = static_cast<int16_t>(128 * a[static_cast<size_t>(x)]);
        t.down(rows[j].data(), rows[j].data(), 700, 1348, n, (j ? expected : found).data());
      }
      EXPECT_EQ(shorts[0], shorts[1]);
      EXPECT_EQ(floats[0], floats[1]);
      EXPECT_EQ(found, expected) << k.name << n;
    }
}

// Of all brightnesses and colours: the formula in real numbers, rounded, may be off by one where libjpeg
// rounds its factors.
TEST(Pixels, ColoursAreThoseOfTheFormula) {
  File y(256), blue(256), red(256);
  for (size_t i = 0; i < 256; ++i) y[i] = static_cast<uint8_t>(i);
  std::vector<uint8_t> found(3 * 256);
  uint8_t* into[3] = {found.data(), found.data() + 256, found.data() + 512};
  for (int b = 0; b < 256; b += 5)
    for (int r = 0; r < 256; ++r) {
      std::fill(blue.begin(), blue.end(), static_cast<uint8_t>(b));
      std::fill(red.begin(), red.end(), static_cast<uint8_t>(r));
      host::pixel_table().colours(y.data(), blue.data(), red.data(), 256, into);
      for (int l = 0; l < 256; ++l) {
        const double expected[] = {l + 1.772 * (b - 128), l - 0.344136 * (b - 128) - 0.714136 * (r - 128),
                                   l + 1.402 * (r - 128)};
        for (int c = 0; c < 3; ++c)
          ASSERT_NEAR(into[c][l], std::clamp(expected[c], 0.0, 255.0), 0.51) << l << ' ' << b << ' ' << r;
      }
    }
}

}  // namespace
}  // namespace cantik
