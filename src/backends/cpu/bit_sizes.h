// Where the parts of packed pixels and packed filters lie.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "backends/host/bits.h"
#include "backends/cpu/bit_table.h"

namespace cantik::cpu {

inline int64_t rounded_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
inline int64_t words_of(int64_t bits) { return (bits + kBitsOfWord - 1) / kBitsOfWord; }
inline int64_t element_size(DType dtype) { return dtype == DType::float64 ? 8 : 4; }

// A pixel: a scale for each level, then [levels][groups][words of a group].
struct PixelBits {
  int64_t levels, groups, words, planes_at, bytes;
  PixelBits(DType dtype, int64_t channels, const host::BitSpec& s)
      : levels(s.levels),
        groups(s.groups),
        words(words_of(channels / s.groups)),
        planes_at(levels * element_size(dtype)) {
    bytes = rounded_up(planes_at + levels * groups * words * 4, 8);
  }
  // in words, from planes_at
  int64_t plane(int64_t level, int64_t group) const { return (level * groups + group) * words; }
};

// Filters: scales[levels][filters], panels[levels][groups][panels][k][lanes],
// ones[levels][groups][taps][panels * lanes].
struct FilterBits {
  // filters and channels: of a group; words: of a tap; k: words of a filter
  int64_t levels, groups, filters, channels, taps, words, k, lanes, panels;
  int64_t panels_at, ones_at, bytes;
  FilterBits(DType dtype, int64_t all_filters, int64_t group_channels, int64_t tap_count,
             const host::BitSpec& s)
      : levels(s.levels),
        groups(s.groups),
        filters(all_filters / s.groups),
        channels(group_channels),
        taps(tap_count),
        words(words_of(channels)),
        k(rounded_up(taps * words, kWordsTogether)),
        lanes(bit_table().lanes),
        panels((filters + lanes - 1) / lanes) {
    panels_at = rounded_up(levels * all_filters * element_size(dtype), 64);
    ones_at = panels_at + levels * groups * panels * k * lanes * 4;
    bytes = ones_at + levels * groups * taps * panels * lanes * 4;
  }
  // In words from panels_at, in numbers from ones_at.
  int64_t panel(int64_t level, int64_t group, int64_t number) const {
    return ((level * groups + group) * panels + number) * k * lanes;
  }
  int64_t ones(int64_t level, int64_t group, int64_t tap) const {
    return ((level * groups + group) * taps + tap) * panels * lanes;
  }
};

template <class F>
std::unique_ptr<Kernel> for_bits(DType dtype, F&& make) {
  if (dtype == DType::float32) return make(float{});
  if (dtype == DType::float64) return make(double{});
  throw declined("bits of " + std::string(name_of(dtype)));
}

}  // namespace cantik::cpu
