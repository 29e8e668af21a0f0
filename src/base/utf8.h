// Whether bytes from outside are a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cantik {

inline bool is_utf8(std::string_view s) {
  for (size_t i = 0; i < s.size();) {
    auto b = static_cast<unsigned char>(s[i]);
    size_t more = b < 0x80                ? 0
                  : b >= 0xc2 && b < 0xe0 ? 1
                  : (b & 0xf0) == 0xe0    ? 2
                  : b >= 0xf0 && b < 0xf5 ? 3
                                          : 4;
    if (more == 4 || s.size() - i <= more) return false;
    uint32_t code = more == 0 ? b : b & (0x3f >> more);
    for (size_t k = 1; k <= more; ++k) {
      auto c = static_cast<unsigned char>(s[i + k]);
      if ((c & 0xc0) != 0x80) return false;
      code = code << 6 | (c & 0x3f);
    }
    if ((more == 2 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) ||
        (more == 3 && (code < 0x10000 || code > 0x10ffff)))
      return false;
    i += more + 1;
  }
  return true;
}

}  // namespace cantik
