// Convolutions of bits: blocks of pixels, each a window of words, against panels of filters.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "backends/cpu/bit_sizes.h"
#include "backends/cpu/epilogue.h"

namespace cantik::host {

using namespace cpu;

namespace {

// pixels that one thread takes, and that stay together in cache
constexpr int64_t kUnit = 24, kBlock = 2 * kUnit;
constexpr int64_t kPanels = 2;  // of filters at once

// What the taps of one position along one axis are: where the first one lies, and which lie inside.
struct Position {
  int64_t first, kind;  // positions with the same taps inside are of one kind
};
struct BitAxis {
  int64_t size = 1, out = 1, taps = 1, dilation = 1, kinds = 1;
  std::vector<Position> at{{0, 0}};

  BitAxis() = default;
  BitAxis(const Window& w, int axis, int64_t in, int64_t out_size)
      : size(in), out(out_size), taps(w.kernel[axis]), dilation(w.dilation[axis]), kinds(0), at() {
    std::vector<std::vector<bool>> known;
    for (int64_t o = 0; o < out; ++o) {
      int64_t first = o * w.stride[axis] - w.padding(axis, in);
      std::vector<bool> mask;
      for (int64_t t = 0; t < taps; ++t) mask.push_back(inside(first, t));
      auto same = std::find(known.begin(), known.end(), mask);
      at.push_back({first, same - known.begin()});
      if (same == known.end()) known.push_back(std::move(mask)), ++kinds;
    }
  }
  bool inside(int64_t first, int64_t tap) const {
    int64_t i = first + tap * dilation;
    return i >= 0 && i < size;
  }
};

template <class T>
class ConvolveBits final : public Kernel {
 public:
  ConvolveBits(const Prepare& p, const BitConvolution& c)
      : pixel_(p.dtype(), c.channels, c.operand),
        channels_(c.channels / c.operand.groups),
        filters_(c.filters),
        taps_(1),
        first_(c.first),
        epilogue_(p, c.first ? c.filters : pixels_of(p.out().shape),
                  c.first ? p.out().shape.elements() / std::max<int64_t>(1, c.filters) : c.filters) {
    Shape in = p.in(0).shape, out = c.first ? p.out().shape.sub(1, p.out().shape.rank()) : p.out().shape;
    int missing = 3 - c.window.rank();
    for (int i = missing; i < 3; ++i)
      axes_[i] = BitAxis(c.window, i - missing, in[i - missing], out[i - missing]);
    for (const BitAxis& a : axes_) out_pixels_ *= a.out, taps_ *= a.taps;
    filter_ = std::make_unique<FilterBits>(p.dtype(), c.filters, channels_, taps_, c.filter);
    windows_at_ = kBlock * taps_ * static_cast<int64_t>(sizeof(uint32_t*));
    counts_at_ = rounded_up(windows_at_ + pixel_.levels * kBlock * filter_->k * 4, 64);
    base_at_ = counts_at_ + kBlock * kPanels * filter_->lanes * 4;
    tile_at_ = base_at_ + kBlock * kPanels * filter_->lanes * 4;
    scratch_bytes = std::max(
        tile_at_ + (first_ ? kBlock * kPanels * filter_->lanes * static_cast<int64_t>(sizeof(T)) : 0),
        epilogue_.scratch_bytes());
  }

  int64_t units(int64_t rows) const override {
    return by_rows() ? rows : (rows * out_pixels_ + kUnit - 1) / kUnit;
  }

  void run(const Run& r) const override {
    int64_t unit = by_rows() ? out_pixels_ : kUnit, end = std::min(r.rows() * out_pixels_, r.end() * unit);
    for (int64_t p = r.begin() * unit; p < end; p += kBlock) {
      int64_t n = std::min(kBlock, end - p);
      block(r, p, n);
      if (epilogue_ && !by_rows()) epilogue_.apply(r, p, p + n);
    }
    if (by_rows()) epilogue_.apply(r, r.begin() * lines(), r.end() * lines());
  }

 private:
  static int64_t pixels_of(const Shape& channels_last) {
    return channels_last.sub(0, channels_last.rank() - 1).elements();
  }
  int64_t lines() const { return first_ ? filters_ : out_pixels_; }
  bool by_rows() const { return epilogue_ && (first_ || !epilogue_.on_lines()); }

  // The pixels of a block: their taps' words in group 0 of level 0, their scales, results, and which of them
  // have the same taps inside.
  struct Block {
    const uint32_t** taps;
    const T* scales[kBlock];
    T* y[kBlock];             // its first filter
    int32_t kind[kBlock];     // a place in the list of those that occur
    int64_t example[kBlock];  // of each that occurs, a pixel
    int64_t pixels = 0, kinds = 0;
  };

  void place(const Run& r, int64_t first, int64_t n, Block& b) const {
    const BitAxis &a0 = axes_[0], &a1 = axes_[1], &a2 = axes_[2];
    int64_t known[kBlock], row = first / out_pixels_, rest = first % out_pixels_,
                           o0 = rest / (a1.out * a2.out), o1 = rest / a2.out % a1.out, o2 = rest % a2.out;
    b.pixels = n;
    for (int64_t i = 0; i < n; ++i) {
      const char* x = r.row<char>(0, row);
      const Position &p0 = a0.at[o0], &p1 = a1.at[o1], &p2 = a2.at[o2];
      b.scales[i] = reinterpret_cast<const T*>(x);
      b.y[i] = r.result<T>(0, row) + ((o0 * a1.out + o1) * a2.out + o2) * (first_ ? 1 : filters_);
      const uint32_t** tap = b.taps + i * taps_;
      for (int64_t t0 = 0; t0 < a0.taps; ++t0)
        for (int64_t t1 = 0; t1 < a1.taps; ++t1) {
          bool inside = a0.inside(p0.first, t0) && a1.inside(p1.first, t1);
          int64_t line =
              ((p0.first + t0 * a0.dilation) * a1.size + p1.first + t1 * a1.dilation) * a2.size + p2.first;
          for (int64_t t2 = 0; t2 < a2.taps; ++t2)
            *tap++ = inside && a2.inside(p2.first, t2)
                         ? reinterpret_cast<const uint32_t*>(x + (line + t2 * a2.dilation) * pixel_.bytes +
                                                             pixel_.planes_at)
                         : nullptr;
        }
      int64_t kind = (p0.kind * a1.kinds + p1.kind) * a2.kinds + p2.kind, at = 0;
      while (at < b.kinds && known[at] != kind) ++at;
      if (at == b.kinds) known[at] = kind, b.example[b.kinds++] = i;
      b.kind[i] = static_cast<int32_t>(at);
      if (++o2 < a2.out) continue;
      o2 = 0;
      if (++o1 < a1.out) continue;
      o1 = 0;
      if (++o0 < a0.out) continue;
      o0 = 0;
      ++row;
    }
  }

  void block(const Run& r, int64_t first, int64_t n) const {
    char* scratch = r.scratch<char>();
    Block b;
    b.taps = reinterpret_cast<const uint32_t**>(scratch);
    place(r, first, n, b);
    uint32_t* windows = reinterpret_cast<uint32_t*>(scratch + windows_at_);
    for (int64_t g = 0; g < pixel_.groups; ++g) {
      for (int64_t level = 0; level < pixel_.levels; ++level)
        for (int64_t i = 0; i < n; ++i)
          bit_table().window(windows + (level * kBlock + i) * filter_->k, b.taps + i * taps_,
                             pixel_.plane(level, g), taps_, pixel_.words, filter_->k);
      multiply(r, b, g, windows);
    }
  }

  void multiply(const Run& r, const Block& b, int64_t g, const uint32_t* windows) const {
    const BitKernels<T>& q = bit_kernels<T>();
    const char* packed = static_cast<const char*>(r.in(1).data);
    char* scratch = r.scratch<char>();
    int32_t *counts = reinterpret_cast<int32_t*>(scratch + counts_at_),
            *base = reinterpret_cast<int32_t*>(scratch + base_at_);
    T* tile = reinterpret_cast<T*>(scratch + tile_at_);
    const int64_t stride = kPanels * filter_->lanes;
    for (int64_t panel = 0; panel < filter_->panels; panel += kPanels) {
      int64_t panels = std::min(kPanels, filter_->panels - panel), f = panel * filter_->lanes,
              some = std::min(panels * filter_->lanes, filter_->filters - f);
      f += g * filter_->filters;
      for (int64_t of = 0; of < filter_->levels; ++of) {
        const int32_t* ones =
            reinterpret_cast<const int32_t*>(packed + filter_->ones_at) + panel * filter_->lanes;
        const uint32_t* filters =
            reinterpret_cast<const uint32_t*>(packed + filter_->panels_at) + filter_->panel(of, g, panel);
        const T* scales = reinterpret_cast<const T*>(packed) + of * filters_ + f;
        for (int64_t k = 0; k < b.kinds; ++k)
          count_inside(base + k * stride, b.taps + b.example[k] * taps_, ones, of, g, some);
        for (int64_t level = 0; level < pixel_.levels; ++level) {
          bit_table().count({windows + level * kBlock * filter_->k, filter_->k, filters, filter_->k, b.pixels,
                             panels, counts, stride});
          for (int64_t i = 0; i < b.pixels; ++i)
            q.place(first_ ? tile + i * stride : b.y[i] + f, counts + i * stride, base + b.kind[i] * stride,
                    b.scales[i][level], scales, some, level > 0 || of > 0);
        }
      }
      if (first_) turn(b, f, tile, stride, some);
    }
  }

  // Pixels side by side, filter after filter: image by image.
  void turn(const Block& b, int64_t f, const T* tile, int64_t stride, int64_t filters) const {
    for (int64_t i = 0; i < b.pixels;) {
      int64_t n = 1;
      while (i + n < b.pixels && b.y[i + n] == b.y[i] + n) ++n;
      bit_kernels<T>().turn(b.y[i] + f * out_pixels_, out_pixels_, tile + i * stride, stride, n, filters);
      i += n;
    }
  }

  // Bits under the taps inside; and for those outside, which the counts took for zeros, what they counted
  // there, twice.
  void count_inside(int32_t* base, const uint32_t* const* taps, const int32_t* ones, int64_t of, int64_t g,
                    int64_t n) const {
    int64_t inside = 0;
    for (int64_t t = 0; t < taps_; ++t) inside += taps[t] != nullptr;
    std::fill_n(base, n, static_cast<int32_t>(inside * channels_));
    for (int64_t t = 0; t < taps_; ++t) {
      if (taps[t]) continue;
      const int32_t* o = ones + filter_->ones(of, g, t);
      for (int64_t i = 0; i < n; ++i) base[i] += 2 * o[i];
    }
  }

  PixelBits pixel_;
  int64_t channels_, filters_, taps_, out_pixels_ = 1;
  int64_t windows_at_, counts_at_, base_at_, tile_at_;
  bool first_;
  std::array<BitAxis, 3> axes_;
  std::unique_ptr<FilterBits> filter_;
  Epilogue<T> epilogue_;
};

}  // namespace

std::unique_ptr<Kernel> make_bit_convolution(const Prepare& p, const BitConvolution& c) {
  return for_bits(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<ConvolveBits<decltype(t)>>(p, c);
  });
}

}  // namespace cantik::host
