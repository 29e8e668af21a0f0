// Eight bytes at a time by tables; where the processor multiplies without carries, 64 at a time: V. Gopal et
// al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel, 2009.
#include "base/crc64.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <array>
#include <bit>
#include <cstring>

#include "base/interrupt.h"

namespace cantik {
namespace {

constexpr uint64_t kPolynomial = 0xC96C5795D7870F42;
using Table = std::array<std::array<uint64_t, 256>, 8>;

// tables[k][b]: what byte b contributes when k more bytes follow it, so that eight bytes go in at a time.
constexpr Table make_tables() {
  Table t{};
  for (uint64_t b = 0; b < 256; ++b) {
    uint64_t c = b;
    for (int i = 0; i < 8; ++i) c = c & 1 ? (c >> 1) ^ kPolynomial : c >> 1;
    t[0][b] = c;
  }
  for (size_t k = 1; k < t.size(); ++k)
    for (size_t b = 0; b < 256; ++b) t[k][b] = (t[k - 1][b] >> 8) ^ t[0][t[k - 1][b] & 255];
  return t;
}

constexpr Table kTables = make_tables();
static_assert(std::endian::native == std::endian::little, "files are read and written as they lie in memory");

// The sum after more bytes.
uint64_t by_tables(uint64_t c, const unsigned char* p, size_t bytes) {
  for (; bytes >= 8; bytes -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    word ^= c;
    c = 0;
    for (size_t i = 0; i < 8; ++i) c ^= kTables[7 - i][(word >> (8 * i)) & 255];
  }
  for (; bytes > 0; --bytes) c = (c >> 8) ^ kTables[0][(c ^ *p++) & 255];
  return c;
}

#if defined(__x86_64__)
constexpr size_t kFolded = 64;

// x^n modulo the polynomial; bit 63 - i is the coefficient of x^i, as everywhere here.
constexpr uint64_t power_of_x(int n) {
  uint64_t c = uint64_t{1} << 63;
  for (; n > 0; --n) c = c & 1 ? (c >> 1) ^ kPolynomial : c >> 1;
  return c;
}
// What the two halves of 16 bytes are multiplied with when `bits` more follow. A product of such numbers has
// its coefficients one place lower than a number of 128 bits has: the factor is one power less.
struct FoldFactors {
  uint64_t first, second;
};
constexpr FoldFactors factors(int bits) { return {power_of_x(bits + 63), power_of_x(bits - 1)}; }

[[gnu::target("pclmul,sse2")]] inline __m128i moved(__m128i x, __m128i factors) {
  return _mm_xor_si128(_mm_clmulepi64_si128(x, factors, 0x00), _mm_clmulepi64_si128(x, factors, 0x11));
}

// 16 bytes that are congruent to all of `bytes`, a multiple of kFolded, behind what the sum stands for.
[[gnu::target("pclmul,sse2")]] void fold(uint64_t sum, const unsigned char* p, size_t bytes,
                                         unsigned char* left) {
  constexpr FoldFactors kFar = factors(512), kNear = factors(128);
  auto load = [](const unsigned char* at) __attribute__((always_inline, target("pclmul,sse2"))) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  };
  const __m128i far = _mm_set_epi64x(static_cast<int64_t>(kFar.second), static_cast<int64_t>(kFar.first)),
                near = _mm_set_epi64x(static_cast<int64_t>(kNear.second), static_cast<int64_t>(kNear.first));
  __m128i x[4];
  for (int i = 0; i < 4; ++i) x[i] = load(p + 16 * i);
  x[0] = _mm_xor_si128(x[0], _mm_set_epi64x(0, static_cast<int64_t>(sum)));
  for (size_t at = kFolded; at < bytes; at += kFolded)
    for (int i = 0; i < 4; ++i)
      x[i] = _mm_xor_si128(moved(x[i], far), load(p + at + 16 * static_cast<size_t>(i)));
  for (int i = 1; i < 4; ++i) x[i] = _mm_xor_si128(moved(x[i - 1], near), x[i]);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(left), x[3]);
}
#endif

}  // namespace

void Crc64::add(const void* data, size_t bytes) {
  constexpr size_t kPart = 16 << 20;
  const auto* p = static_cast<const unsigned char*>(data);
  for (; bytes > kPart; bytes -= kPart, p += kPart) {
    add_part(p, kPart);
    may_end(kPart);
  }
  add_part(p, bytes);
}

void Crc64::add_part(const unsigned char* p, size_t bytes) {
#if defined(__x86_64__)
  static const bool can_fold = __builtin_cpu_supports("pclmul");
  if (can_fold && bytes >= 2 * kFolded) {
    const size_t whole = bytes / kFolded * kFolded;
    unsigned char left[16];
    fold(state_, p, whole, left);
    state_ = by_tables(0, left, sizeof left);
    p += whole;
    bytes -= whole;
  }
#endif
  state_ = by_tables(state_, p, bytes);
}

}  // namespace cantik
