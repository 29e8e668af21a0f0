// Loops over pixels. See backends/host/pixels.h.
//
// Products of 16-bit numbers keep their upper half: mulhi(a, b) = floor(a b / 65536). Constants with a part
// above 1/2 lose whole multiples of the number, which are added apart: floor(a c / 65536 + 1/2) = a + floor(a
// (c
// - 65536) / 65536 + 1/2).
#pragma once

#include "backends/host/pixels.h"

namespace cantik::cpu {

using host::kColumnsTogether, host::LinearColumns, host::PixelTable;

namespace {

CANTIK_INLINE uint8_t pixel(int x) { return static_cast<uint8_t>(x < 0 ? 0 : x > 255 ? 255 : x); }
CANTIK_INLINE int16_t short_of(int x) { return static_cast<int16_t>(x); }
CANTIK_INLINE int16_t mulhi(int16_t a, int16_t b) { return short_of(int{a} * b >> 16); }

void widen(const uint8_t* __restrict row, int64_t n, uint8_t* __restrict into) {
  into[0] = row[0];
  into[2 * n - 1] = row[n - 1];
  for (int64_t i = 0; i < n - 1; ++i) {  // between two samples
    into[2 * i + 1] = static_cast<uint8_t>((3 * row[i] + row[i + 1] + 2) >> 2);
    into[2 * i + 2] = static_cast<uint8_t>((3 * row[i + 1] + row[i] + 1) >> 2);
  }
}

typedef uint16_t TwoPixels __attribute__((may_alias, aligned(1)));  // side by side

// Both directions are rounded at once.
void widen_between(const uint8_t* __restrict near, const uint8_t* __restrict far, int64_t n,
                   uint16_t* __restrict sums, uint8_t* __restrict into) {
  uint16_t* s = sums + 1;
  for (int64_t i = 0; i < n; ++i) s[i] = static_cast<uint16_t>(3 * near[i] + far[i]);
  s[-1] = s[0];
  s[n] = s[n - 1];
  TwoPixels* __restrict pairs = reinterpret_cast<TwoPixels*>(into);  // auto would lose the alignment of 1
  for (int64_t i = 0; i < n; ++i) {
    const auto first = static_cast<uint16_t>(static_cast<uint16_t>(3 * s[i] + s[i - 1] + 8) >> 4),
               second = static_cast<uint16_t>(static_cast<uint16_t>(3 * s[i] + s[i + 1] + 7) >> 4);
    pairs[i] = static_cast<uint16_t>(first | second << 8);
  }
}

// red = y + 1.402 r, green = y - 0.344136 b - 0.714136 r, blue = y + 1.772 b, in 65536ths.
constexpr int kRed = 26345, kBlue = -14942, kGreenOfBlue = -22554, kGreenOfRed = 18734;

void colours(const uint8_t* __restrict y, const uint8_t* __restrict cb, const uint8_t* __restrict cr,
             int64_t n, uint8_t* const* planes) {
  uint8_t* __restrict blue = planes[0], * __restrict green = planes[1], * __restrict red = planes[2];
  int64_t i = 0;
#ifdef __AVX2__
  const __m256i middle = _mm256_set1_epi16(128), one = _mm256_set1_epi16(1), c_red = _mm256_set1_epi16(kRed),
                c_blue = _mm256_set1_epi16(kBlue), half = _mm256_set1_epi32(1 << 15),
                c_green = _mm256_set1_epi32((kGreenOfRed << 16) | (kGreenOfBlue & 0xffff));
  auto load = [](const uint8_t* p) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  };
  auto store = [](uint8_t* p, __m256i x) {
    const __m128i both = _mm_packus_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), both);
  };
  auto times = [&](__m256i x, __m256i c) {  // rounded
    const __m256i twice = _mm256_mulhi_epi16(_mm256_add_epi16(x, x), c);
    return _mm256_srai_epi16(_mm256_add_epi16(twice, one), 1);
  };
  for (; i + 16 <= n; i += 16) {
    const __m256i l = load(y + i), b = _mm256_sub_epi16(load(cb + i), middle),
                  r = _mm256_sub_epi16(load(cr + i), middle);
    auto greens = [&](__m256i pairs) {
      return _mm256_srai_epi32(_mm256_add_epi32(_mm256_madd_epi16(pairs, c_green), half), 16);
    };
    const __m256i g =
        _mm256_packs_epi32(greens(_mm256_unpacklo_epi16(b, r)), greens(_mm256_unpackhi_epi16(b, r)));
    store(red + i, _mm256_add_epi16(_mm256_add_epi16(l, r), times(r, c_red)));
    store(green + i, _mm256_add_epi16(_mm256_sub_epi16(l, r), g));
    store(blue + i, _mm256_add_epi16(_mm256_add_epi16(l, _mm256_add_epi16(b, b)), times(b, c_blue)));
  }
#endif
  for (; i < n; ++i) {
    const int16_t b = short_of(cb[i] - 128), r = short_of(cr[i] - 128);
    red[i] = pixel(y[i] + r + ((mulhi(short_of(2 * r), kRed) + 1) >> 1));
    green[i] = pixel(y[i] - r + ((kGreenOfBlue * b + kGreenOfRed * r + (1 << 15)) >> 16));
    blue[i] = pixel(y[i] + 2 * b + ((mulhi(short_of(2 * b), kBlue) + 1) >> 1));
  }
}

constexpr int kLost = 4;  // bits of a sum across, before rows are weighed

void across(const uint8_t* row, const LinearColumns& t, int16_t* into) {
#ifdef __AVX2__
  if (t.windows) {
    auto window = [&](int64_t four) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + t.windows[four]));
    };
    auto eight = [&](int64_t i) {
      const __m256i bytes =
                        _mm256_inserti128_si256(_mm256_castsi128_si256(window(i / 4)), window(i / 4 + 1), 1),
                    places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.places + 4 * i)),
                    weights = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.weights + 2 * i));
      return _mm256_srai_epi32(_mm256_madd_epi16(_mm256_shuffle_epi8(bytes, places), weights), kLost);
    };
    for (int64_t i = 0; i < t.n; i += kColumnsTogether) {
      const __m256i both = _mm256_packs_epi32(eight(i), eight(i + 8));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(into + i), _mm256_permute4x64_epi64(both, 0xd8));
    }
    return;
  }
#endif
  for (int64_t i = 0; i < t.n; ++i) {
    const int sum = row[t.from[2 * i]] * t.weights[2 * i] + row[t.from[2 * i + 1]] * t.weights[2 * i + 1];
    into[i] = short_of(sum >> kLost);
  }
}

void down(const int16_t* __restrict above, const int16_t* __restrict below, int16_t weight_above,
          int16_t weight_below, int64_t n, uint8_t* __restrict into) {
  for (int64_t i = 0; i < n; ++i)
    into[i] = static_cast<uint8_t>(
        short_of(mulhi(above[i], weight_above) + mulhi(below[i], weight_below) + 2) >> 2);
}

void widen_numbers(const uint8_t* __restrict from, int64_t n, int16_t* __restrict into) {
  for (int64_t i = 0; i < n; ++i) into[i] = from[i];
}
void to_float(const int16_t* __restrict from, int64_t n, float* __restrict into) {
  for (int64_t i = 0; i < n; ++i) into[i] = from[i];
}

}  // namespace
}  // namespace cantik::cpu
