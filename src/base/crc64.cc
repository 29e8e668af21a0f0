#include "base/crc64.h"

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
  uint64_t c = state_;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    word ^= c;
    c = 0;
    for (size_t i = 0; i < 8; ++i) c ^= kTables[7 - i][(word >> (8 * i)) & 255];
  }
  for (; bytes > 0; --bytes) c = (c >> 8) ^ kTables[0][(c ^ *p++) & 255];
  state_ = c;
}

}  // namespace cantik
