// Numbers as sums of signs, and these as bits.
#include <algorithm>
#include <cstring>
#include <memory>

#include "backends/cpu/bit_sizes.h"

namespace cantik::host {

using namespace cpu;

namespace {

template <class T>
class Multibit final : public Kernel {
 public:
  Multibit(const Prepare& p, int64_t levels, bool per_filter) : levels_(levels) {
    Shape x = p.in(0).shape;
    slices_ = per_filter && x.rank() > 0 ? x[0] : 1;
    n_ = slices_ == 0 ? 0 : x.elements() / slices_;
    uniform_ = p.in(1).shape.elements() == 1;
    if (levels > 1) scratch_bytes = n_ * static_cast<int64_t>(sizeof(T));
  }
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T *x = r.row<T>(0, row), *map = r.row<T>(1, row);
      T* y = r.result<T>(0, row);
      for (int64_t s = 0; s < slices_; ++s)
        slice(y + s * n_, x + s * n_, uniform_ ? map : map + s * n_, r.scratch<T>());
    }
  }

 private:
  void slice(T* y, const T* x, const T* map, T* rest) const {
    const BitKernels<T>& q = bit_kernels<T>();
    std::fill_n(y, n_, T(0));
    for (int64_t level = 0; level < levels_; ++level) {
      if (uniform_ && !(*map > static_cast<T>(level))) return;
      const T* where = uniform_ ? nullptr : map;
      int64_t count =
          uniform_ ? n_ : std::count_if(map, map + n_, [&](T bits) { return bits > static_cast<T>(level); });
      if (count == 0) return;
      T mean = q.sum_of_magnitudes(x, where, static_cast<T>(level), n_) / static_cast<T>(count);
      q.peel(y, level + 1 < levels_ ? rest : nullptr, x, where, static_cast<T>(level), mean, n_);
      x = rest;
    }
  }
  int64_t levels_, slices_ = 1, n_ = 0;
  bool uniform_ = true;
};

template <class T>
class PackBits final : public Kernel {
 public:
  PackBits(const Prepare& p, const BitSpec& s, bool last)
      : scaled_(s.scale != BitScale::none),
        last_(last),
        channels_(last ? p.in(0).shape.back() : p.in(0).shape[0]),
        n_(p.in(0).shape.elements()),
        pixels_(channels_ ? n_ / channels_ : 0),
        bits_(p.in(0).dtype, channels_, s) {
    if (bits_.levels > 1) scratch_bytes = n_ * static_cast<int64_t>(sizeof(T));
  }
  void run(const Run& r) const override {
    const BitKernels<T>& q = bit_kernels<T>();
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      char* y = r.result<char>(0, row);
      T* rest = r.scratch<T>();
      for (int64_t level = 0; level < bits_.levels; ++level) {
        T mean = scaled_ && n_ ? q.sum_of_magnitudes(x, nullptr, T(0), n_) / static_cast<T>(n_) : T(1);
        for (int64_t p = 0; p < pixels_; ++p) reinterpret_cast<T*>(y + p * bits_.bytes)[level] = mean;
        planes(q, y, x, level);
        if (level + 1 == bits_.levels) break;
        q.peel(nullptr, rest, x, nullptr, T(0), mean, n_);
        x = rest;
      }
    }
  }

 private:
  void planes(const BitKernels<T>& q, char* y, const T* x, int64_t level) const {
    int64_t group = channels_ / bits_.groups;
    for (int64_t g = 0; g < bits_.groups; ++g) {
      auto words = [&](int64_t p) {
        return reinterpret_cast<uint32_t*>(y + p * bits_.bytes + bits_.planes_at) + bits_.plane(level, g);
      };
      if (!last_) {
        q.signs_apart(words(0), bits_.bytes / 4, x + g * group * pixels_, pixels_, group, pixels_);
        continue;
      }
      for (int64_t p = 0; p < pixels_; ++p) q.signs(words(p), x + p * channels_ + g * group, group);
    }
  }
  bool scaled_, last_;
  int64_t channels_, n_, pixels_;
  PixelBits bits_;
};

FilterBits filter_bits(DType dtype, const Shape& w, const BitSpec& s) {
  return {dtype, w[0], w[1], w.sub(2, w.rank()).elements(), s};
}

template <class T>
class PackFilters final : public Kernel {
 public:
  PackFilters(const Prepare& p, const BitSpec& s)
      : scale_(s.scale), bits_(filter_bits(p.in(0).dtype, p.in(0).shape, s)) {
    n_ = bits_.channels * bits_.taps;
    scratch_bytes = n_ * bits_.filters * bits_.groups * static_cast<int64_t>(sizeof(T));
  }
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    const BitKernels<T>& q = bit_kernels<T>();
    char* out = r.result<char>(0, 0);
    std::memset(out, 0, static_cast<size_t>(bits_.bytes));
    int64_t filters = bits_.filters * bits_.groups, slice = scale_ == BitScale::filter ? n_ : n_ * filters;
    const T* w = r.row<T>(0, 0);
    for (int64_t level = 0; slice > 0 && level < bits_.levels; ++level) {
      T *scales = reinterpret_cast<T*>(out) + level * filters, *rest = r.scratch<T>();
      for (int64_t f = 0; f < filters; ++f) place(out, w + f * n_, level, f);
      for (int64_t i = 0; i * slice < n_ * filters; ++i) {
        T mean = scale_ == BitScale::none
                     ? T(1)
                     : q.sum_of_magnitudes(w + i * slice, nullptr, T(0), slice) / static_cast<T>(slice);
        std::fill_n(scales + i * (slice / n_), slice / n_, mean);
        q.peel(nullptr, rest + i * slice, w + i * slice, nullptr, T(0), mean, slice);
      }
      w = rest;
    }
  }

 private:
  // A filter's words: parities in its lane of a panel, and how many ones each tap has.
  void place(char* out, const T* w, int64_t level, int64_t f) const {
    int64_t g = f / bits_.filters, j = f % bits_.filters, lane = j % bits_.lanes;
    uint32_t* panel =
        reinterpret_cast<uint32_t*>(out + bits_.panels_at) + bits_.panel(level, g, j / bits_.lanes);
    int32_t* ones = reinterpret_cast<int32_t*>(out + bits_.ones_at);
    uint32_t parity = 0;
    int64_t k = 0;
    for (int64_t t = 0; t < bits_.taps; ++t) {
      for (int64_t word = 0; word < bits_.words; ++word, ++k) {
        uint32_t x = 0;
        for (int64_t c = word * kBitsOfWord; c < std::min(bits_.channels, (word + 1) * kBitsOfWord); ++c)
          x |= uint32_t{w[c * bits_.taps + t] > 0} << (c % kBitsOfWord);
        ones[bits_.ones(level, g, t) + j] += __builtin_popcount(x);
        panel[k * bits_.lanes + lane] = parity ^= x;
      }
    }
    for (; k < bits_.k; ++k) panel[k * bits_.lanes + lane] = parity;
  }
  BitScale scale_;
  FilterBits bits_;
  int64_t n_;
};

}  // namespace

std::unique_ptr<Kernel> make_multibit(const Prepare& p, int64_t levels, bool per_filter) {
  return for_bits(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<Multibit<decltype(t)>>(p, levels, per_filter);
  });
}

int64_t packed_pixel_bytes(DType dtype, int64_t channels, const BitSpec& s) {
  return PixelBits(dtype, channels, s).bytes;
}

std::unique_ptr<Kernel> make_pack_bits(const Prepare& p, const BitSpec& s, bool last) {
  return for_bits(p.in(0).dtype, [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<PackBits<decltype(t)>>(p, s, last);
  });
}

int64_t packed_filter_bytes(DType dtype, const Shape& w, const BitSpec& s) {
  return filter_bits(dtype, w, s).bytes;
}

std::unique_ptr<Kernel> make_pack_filters(const Prepare& p, const BitSpec& s) {
  return for_bits(p.in(0).dtype, [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<PackFilters<decltype(t)>>(p, s);
  });
}

}  // namespace cantik::host
