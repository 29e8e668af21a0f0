// CRC-64 as xz computes it (reflected polynomial C96C5795D7870F42, all ones before and after): "123456789"
// gives 995dc9bbdf1939fa. Finds every change of up to 64 neighbouring bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cantik {

class Crc64 {
 public:
  void add(const void* data, size_t bytes);
  uint64_t value() const { return ~state_; }

 private:
  void add_part(const unsigned char* data, size_t bytes);
  uint64_t state_ = ~uint64_t{0};
};

inline uint64_t crc64(const void* data, size_t bytes) {
  Crc64 c;
  c.add(data, bytes);
  return c.value();
}

}  // namespace cantik
