// Records of event files, and pictures in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cantik {

// CRC-32C (Castagnoli; RFC 3720): "123456789" gives e3069283.
uint32_t crc32c(std::string_view data);
// A record as TensorFlow writes it: length, its checksum, data, their checksum. Checksums are masked.
void append_record(std::string& file, std::string_view data);
// A PNG file of whole numbers [height, width, channels], red first, without compression (RFC 2083).
std::string png_of(const uint8_t* pixels, int64_t height, int64_t width, int64_t channels);

}  // namespace cantik
