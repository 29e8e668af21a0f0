// Unlike bits of windows and filters, counted.
//
// The words x[0], x[1], ... of a list are stored as their parities p[k] = x[0] ^ ... ^ x[k]. The exclusive or
// of a window's list with a filter's is the list of the parities of what differs, and these are the sums of a
// chain of carry-save adders that take two words at a time (as in Harley and Seal's population count), at no
// cost. What remains is one population count for two words:
//
//   carry of p[2i-1] + x[2i] + x[2i+1], bit by bit: the majority of the three = p[2i] ? ~p[2i+1] : p[2i-1]
//   number of bits = 2 * (bits of all carries) + bits of the last parity
//
// Without an instruction for population counts two carries are added once more in the same way, before bytes
// are counted by tables.
#pragma once

#include <utility>

#include "backends/cpu/bit_table.h"
#include "backends/cpu/kernels/simd.h"

namespace cantik::cpu {
namespace {

using Words = Simd<uint32_t>;
using WordVector = Words::Vector;
constexpr int kWordLanes = Words::kWidth;

CANTIK_INLINE WordVector carry(WordVector before, WordVector u, WordVector v) {
#if CANTIK_VECTOR_BYTES == 64
  return reinterpret_cast<WordVector>(_mm512_ternarylogic_epi32(
      reinterpret_cast<__m512i>(before), reinterpret_cast<__m512i>(u), reinterpret_cast<__m512i>(v), 0x74));
#else
  return (~v & u) | (~u & before);
#endif
}

#if defined(__AVX512VPOPCNTDQ__)
constexpr int kTilePixels = 6, kTilePanels = 2;

CANTIK_INLINE WordVector bits_of_words(WordVector x) {
  return reinterpret_cast<WordVector>(_mm512_popcnt_epi32(reinterpret_cast<__m512i>(x)));
}

// kPixels windows, in memory, by kPanels vectors of filters; all of their words pass while the sums stay in
// registers.
template <int kPixels, int kPanels>
void tile(const BitProduct& b, const uint32_t* a, const uint32_t* w, int32_t* c) {
  const int64_t stride = b.window_stride, words = b.words;
  WordVector parity[kPixels][kPanels]{}, sum[kPixels][kPanels]{};
  for (int64_t k = 0; k < words; k += 2) {
    WordVector u[kPanels], v[kPanels];
#pragma GCC unroll 2
    for (int f = 0; f < kPanels; ++f) {
      u[f] = Words::load(w + (f * words + k) * kWordLanes);
      v[f] = Words::load(w + (f * words + k + 1) * kWordLanes);
    }
#pragma GCC unroll 8
    for (int p = 0; p < kPixels; ++p) {
      WordVector first = Words::all(a[p * stride + k]), second = Words::all(a[p * stride + k + 1]);
#pragma GCC unroll 2
      for (int f = 0; f < kPanels; ++f) {
        WordVector y = v[f] ^ second;
        sum[p][f] += bits_of_words(carry(parity[p][f], u[f] ^ first, y));
        parity[p][f] = y;
      }
    }
  }
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p)
#pragma GCC unroll 2
    for (int f = 0; f < kPanels; ++f)
      Words::store(reinterpret_cast<uint32_t*>(c) + p * b.count_stride + f * kWordLanes,
                   sum[p][f] + sum[p][f] + bits_of_words(parity[p][f]));
}

#else
constexpr int kTilePixels = CANTIK_VECTOR_BYTES == 16 ? 2 : 3,
              kTilePanels = CANTIK_VECTOR_BYTES == 64 ? 2 : 1;

// How many bits each byte has.
CANTIK_INLINE WordVector bits_of_bytes(WordVector x) {
#if CANTIK_VECTOR_BYTES == 64
  const __m512i table = _mm512_maskz_broadcast_i32x4(
                    0xffff, _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4)),
                low = _mm512_set1_epi8(15);
  __m512i v = reinterpret_cast<__m512i>(x);
  return reinterpret_cast<WordVector>(
      _mm512_add_epi8(_mm512_shuffle_epi8(table, _mm512_and_si512(v, low)),
                      _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(v, 4), low))));
#elif CANTIK_VECTOR_BYTES == 32
  const __m256i table = _mm256_broadcastsi128_si256(
                    _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4)),
                low = _mm256_set1_epi8(15);
  __m256i v = reinterpret_cast<__m256i>(x);
  return reinterpret_cast<WordVector>(
      _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
                      _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low))));
#else
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  return (x + (x >> 4)) & 0x0f0f0f0fu;
#endif
}
// The four bytes of each word together.
CANTIK_INLINE WordVector sum_of_bytes(WordVector x) {
  x = (x & 0x00ff00ffu) + (x >> 8 & 0x00ff00ffu);
  return (x & 0xffffu) + (x >> 16);
}

// x + y + z, bit by bit: the sum stays in x.
CANTIK_INLINE WordVector add_bits(WordVector& x, WordVector y, WordVector z) {
#if CANTIK_VECTOR_BYTES == 64
  __m512i a = reinterpret_cast<__m512i>(x), b = reinterpret_cast<__m512i>(y),
          c = reinterpret_cast<__m512i>(z);
  x = reinterpret_cast<WordVector>(_mm512_ternarylogic_epi32(a, b, c, 0x96));
  return reinterpret_cast<WordVector>(_mm512_ternarylogic_epi32(a, b, c, 0xe8));
#else
  WordVector differ = x ^ y, both = (x & y) | (differ & z);
  x = differ ^ z;
  return both;
#endif
}

template <int kPixels, int kPanels>
void tile(const BitProduct& b, const uint32_t* a, const uint32_t* w, int32_t* c) {
  constexpr int64_t kMost = 4 * 31;  // words after which a byte has counted up to 8 * 31
  const int64_t stride = b.window_stride, words = b.words;
  WordVector parity[kPixels][kPanels]{}, twos[kPixels][kPanels]{}, total[kPixels][kPanels]{};
  for (int64_t k = 0; k < words;) {
    int64_t end = words - k < kMost ? words : k + kMost;
    WordVector bytes[kPixels][kPanels]{};
    for (; k < end; k += 4) {
#pragma GCC unroll 2
      for (int f = 0; f < kPanels; ++f) {
        const uint32_t* from = w + (f * words + k) * kWordLanes;
        WordVector v0 = Words::load(from), v1 = Words::load(from + kWordLanes),
                   v2 = Words::load(from + 2 * kWordLanes), v3 = Words::load(from + 3 * kWordLanes);
#pragma GCC unroll 8
        for (int p = 0; p < kPixels; ++p) {
          const uint32_t* x = a + p * stride + k;
          WordVector middle = v1 ^ Words::all(x[1]), last = v3 ^ Words::all(x[3]);
          WordVector first_carry = carry(parity[p][f], v0 ^ Words::all(x[0]), middle),
                     second_carry = carry(middle, v2 ^ Words::all(x[2]), last);
          parity[p][f] = last;
          bytes[p][f] += bits_of_bytes(add_bits(twos[p][f], first_carry, second_carry));
        }
      }
    }
#pragma GCC unroll 8
    for (int p = 0; p < kPixels; ++p)
#pragma GCC unroll 2
      for (int f = 0; f < kPanels; ++f) total[p][f] += sum_of_bytes(bytes[p][f]);
  }
#pragma GCC unroll 8
  for (int p = 0; p < kPixels; ++p)
#pragma GCC unroll 2
    for (int f = 0; f < kPanels; ++f) {
      WordVector rest = sum_of_bytes(bits_of_bytes(parity[p][f])),
                 twice = sum_of_bytes(bits_of_bytes(twos[p][f])) + (total[p][f] << 1);
      Words::store(reinterpret_cast<uint32_t*>(c) + p * b.count_stride + f * kWordLanes, (twice << 1) + rest);
    }
}
#endif

using BitTile = void (*)(const BitProduct&, const uint32_t*, const uint32_t*, int32_t*);

template <int kPanels, int... I>
CANTIK_INLINE BitTile tile_of(std::integer_sequence<int, I...>, int64_t pixels) {
  static constexpr BitTile tiles[] = {tile<I + 1, kPanels>...};
  return tiles[pixels - 1];
}

void count_bits(const BitProduct& b) {
  constexpr auto kPixels = std::make_integer_sequence<int, kTilePixels>();
  for (int64_t panel = 0; panel < b.panel_count;) {
    const int64_t panels = b.panel_count - panel < kTilePanels ? 1 : kTilePanels;
    for (int64_t p = 0; p < b.pixels; p += kTilePixels) {
      int64_t pixels = b.pixels - p < kTilePixels ? b.pixels - p : kTilePixels;
      BitTile f = panels == 1 ? tile_of<1>(kPixels, pixels) : tile_of<kTilePanels>(kPixels, pixels);
      f(b, b.windows + p * b.window_stride, b.panels + panel * b.words * kWordLanes,
        b.counts + p * b.count_stride + panel * kWordLanes);
    }
    panel += panels;
  }
}

CANTIK_INLINE void xor_words(uint32_t* d, const uint32_t* x, uint32_t by, int64_t n) {
  WordVector v = Words::all(by);
  int64_t i = 0;
  for (; i + kWordLanes <= n; i += kWordLanes) Words::store(d + i, Words::load(x + i) ^ v);
#if CANTIK_VECTOR_BYTES == 64
  if (i < n) {
    __mmask16 some = static_cast<__mmask16>((1u << (n - i)) - 1);
    _mm512_mask_storeu_epi32(
        d + i, some, _mm512_xor_si512(_mm512_maskz_loadu_epi32(some, x + i), reinterpret_cast<__m512i>(v)));
  }
#else
  for (; i < n; ++i) d[i] = x[i] ^ by;
#endif
}

void window(uint32_t* d, const uint32_t* const* taps, int64_t plane, int64_t count, int64_t words,
            int64_t padded) {
  uint32_t parity = 0;
  for (int64_t t = 0; t < count; ++t, d += words) {
    if (taps[t]) {
      const uint32_t* x = taps[t] + plane;
      xor_words(d, x, parity, words);
      parity ^= x[words - 1];
    } else {
      for (int64_t i = 0; i < words; ++i) d[i] = parity;
    }
  }
  for (int64_t i = count * words; i < padded; ++i) *d++ = parity;
}

}  // namespace
}  // namespace cantik::cpu
