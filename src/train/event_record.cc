#include "train/event_record.h"

#include <algorithm>
#include <array>

namespace cantik {
namespace {

// The remainders of all bytes, for a polynomial with its bits reversed.
constexpr std::array<uint32_t, 256> remainders(uint32_t polynomial) {
  std::array<uint32_t, 256> t{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t r = byte;
    for (int bit = 0; bit < 8; ++bit) r = r & 1 ? r >> 1 ^ polynomial : r >> 1;
    t[byte] = r;
  }
  return t;
}
constexpr std::array<uint32_t, 256> kCastagnoli = remainders(0x82f63b78), kEthernet = remainders(0xedb88320);

uint32_t crc(const std::array<uint32_t, 256>& table, std::string_view data) {
  uint32_t r = ~uint32_t{0};
  for (char c : data) r = table[(r ^ static_cast<uint8_t>(c)) & 0xff] ^ r >> 8;
  return ~r;
}

// Numbers in either order of bytes.
template <int Bytes>
void little(std::string& to, uint64_t n) {
  for (int i = 0; i < Bytes; ++i) to.push_back(static_cast<char>(n >> 8 * i));
}
void big(std::string& to, uint32_t n) {
  for (int i = 24; i >= 0; i -= 8) to.push_back(static_cast<char>(n >> i));
}

void append_chunk(std::string& png, std::string_view kind, std::string_view data) {
  big(png, static_cast<uint32_t>(data.size()));
  const size_t begin = png.size();
  png.append(kind).append(data);
  big(png, crc(kEthernet, std::string_view(png).substr(begin)));
}

uint32_t adler(std::string_view data) {
  uint32_t a = 1, b = 0;
  for (char c : data) {
    a = (a + static_cast<uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

}  // namespace

uint32_t crc32c(std::string_view data) { return crc(kCastagnoli, data); }

void append_record(std::string& file, std::string_view data) {
  auto masked = [](uint32_t c) { return (c >> 15 | c << 17) + 0xa282ead8; };
  std::string length;
  little<8>(length, data.size());
  file.append(length);
  little<4>(file, masked(crc32c(length)));
  file.append(data);
  little<4>(file, masked(crc32c(data)));
}

std::string png_of(const uint8_t* pixels, int64_t height, int64_t width, int64_t channels) {
  constexpr size_t kMostOfABlock = 0xffff;
  std::string rows;
  const size_t row = static_cast<size_t>(width * channels);
  for (int64_t y = 0; y < height; ++y) {
    rows.push_back(0);  // the row is not filtered
    rows.append(reinterpret_cast<const char*>(pixels) + static_cast<size_t>(y) * row, row);
  }
  std::string packed = "\x78\x01";  // zlib's header; blocks that are not compressed follow
  for (size_t at = 0; at < rows.size() || at == 0; at += kMostOfABlock) {
    const size_t n = std::min(kMostOfABlock, rows.size() - at);
    packed.push_back(at + n == rows.size());
    little<2>(packed, n);
    little<2>(packed, ~n);
    packed.append(rows, at, n);
  }
  big(packed, adler(rows));
  std::string header;
  big(header, static_cast<uint32_t>(width));
  big(header, static_cast<uint32_t>(height));
  header.push_back(8);  // bits
  header.push_back(channels == 1 ? 0 : channels == 3 ? 2 : 6);
  header.append(3, '\0');
  std::string png = "\x89PNG\r\n\x1a\n";
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", packed);
  append_chunk(png, "IEND", "");
  return png;
}

}  // namespace cantik
