// Checksums of files.
#include "base/crc64.h"

#include <gtest/gtest.h>

#include <string>

using namespace cantik;

namespace {

TEST(Crc64, known_values) {
  EXPECT_EQ(crc64("123456789", 9), 0x995dc9bbdf1939faULL);  // of the xz file format specification
  EXPECT_EQ(crc64("", 0), 0u);
  Crc64 parts;
  parts.add("1234", 4);
  parts.add("56789", 5);
  EXPECT_EQ(parts.value(), 0x995dc9bbdf1939faULL);
}

// Bit by bit, as the definition has it.
uint64_t crc64_by_bits(const std::string& bytes) {
  uint64_t c = ~uint64_t{0};
  for (const char b : bytes) {
    c ^= static_cast<unsigned char>(b);
    for (int i = 0; i < 8; ++i) c = c & 1 ? (c >> 1) ^ 0xC96C5795D7870F42 : c >> 1;
  }
  return ~c;
}

TEST(Crc64, of_any_length_in_any_parts) {
  std::string bytes;
  for (size_t i = 0; i < 1000; ++i) bytes += static_cast<char>(i * i * 7 + i / 3);
  for (size_t length = 0; length <= bytes.size(); length += length < 300 ? 1 : 41)
    for (const size_t first : {size_t{0}, length / 2, length / 3}) {
      const std::string part = bytes.substr(bytes.size() - length);
      Crc64 c;
      c.add(part.data(), first);
      c.add(part.data() + first, length - first);
      ASSERT_EQ(c.value(), crc64_by_bits(part)) << length << " from " << first;
    }
}

}  // namespace
