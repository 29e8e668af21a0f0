// What convolutions and pooling read: windows over pixels, and pixels grouped by the taps that fall inside
// the image.
//
// A pixel of the result reads a box of taps. Pixels whose taps are the same and lie in the same places
// relative to one another form a class: a class is a matrix product whose rows are its pixels, so that
// padding costs neither copies nor branches, and taps outside the image are never multiplied. Strides,
// dilation, padding and the adjoint (a convolution's gradient with respect to its operand, or a transposed
// convolution) differ only in which taps a pixel has.
#pragma once

#include <cstdint>
#include <vector>

#include <cantik/op/window.h>

#include "backends/cpu/table.h"

namespace cantik::cpu {

// Positions along one axis with the same taps.
struct AxisClass {
  struct Run {  // positions at even distances
    int32_t first, count, in, in_step, out, out_step;
  };
  std::vector<Run> runs;
  // which taps, in the order of the packed kernel; where each lies, relative to the first
  std::vector<int32_t> taps, steps;
  std::vector<int32_t> in, out;  // the first tap's place in the operand; the position in the result
};

struct PixelClass {
  const AxisClass* axis[3];
  std::vector<Segment> segments;  // offsets in elements from the first tap's pixel
  int64_t pixels = 0;
  std::vector<int32_t> places;     // of all elements, for
  std::vector<Segment> scattered;  // the same with tables: runs of k
};

// Up to three axes; missing ones have size 1. `adjoint`: of the convolution from `out` to `in`, whose taps
// are packed in reverse.
class ConvolutionPlan {
 public:
  // channels: of the operand; a segment reads `read` of them (those of one group).
  ConvolutionPlan(const Window& w, const std::vector<int64_t>& in, const std::vector<int64_t>& out,
                  bool adjoint, int64_t channels, int64_t read);

  ConvolutionPlan(const ConvolutionPlan&) = delete;  // classes point into the axes

  const std::vector<PixelClass>& classes() const { return classes_; }
  int64_t taps() const { return taps_; }
  bool is_scattered() const { return scattered_; }  // segments are so short that tables serve better
  int64_t in_pixels() const { return in_[0] * in_[1] * in_[2]; }
  int64_t out_pixels() const { return out_[0] * out_[1] * out_[2]; }

  // The pixels first .. first + count of a class, several images one behind the other, as runs along the last
  // axis: f(how many, the first one's place in the operand, the distance there, its place in the result, the
  // distance there).
  template <class F>
  void pixels(const PixelClass& c, int64_t first, int64_t count, F&& f) const {
    int64_t n0 = static_cast<int64_t>(c.axis[0]->in.size()), n1 = static_cast<int64_t>(c.axis[1]->in.size()),
            n2 = static_cast<int64_t>(c.axis[2]->in.size());
    int64_t image = first / c.pixels, rest = first % c.pixels;
    int64_t i0 = rest / (n1 * n2), i1 = rest / n2 % n1, i2 = rest % n2;
    while (count > 0) {
      int64_t in = ((image * in_[0] + c.axis[0]->in[i0]) * in_[1] + c.axis[1]->in[i1]) * in_[2];
      int64_t out = ((image * out_[0] + c.axis[0]->out[i0]) * out_[1] + c.axis[1]->out[i1]) * out_[2];
      for (const AxisClass::Run& r : c.axis[2]->runs) {
        int64_t skip = i2 - r.first, n = r.count - skip < count ? r.count - skip : count;
        if (skip < 0 || n <= 0) continue;
        f(n, in + r.in + skip * r.in_step, static_cast<int64_t>(r.in_step), out + r.out + skip * r.out_step,
          static_cast<int64_t>(r.out_step));
        i2 += n;
        count -= n;
      }
      i2 = 0;
      if (++i1 < n1) continue;
      i1 = 0;
      if (++i0 < n0) continue;
      i0 = 0;
      ++image;
    }
  }

 private:
  void scatter(PixelClass& c) const;
  int64_t in_[3] = {1, 1, 1}, out_[3] = {1, 1, 1}, taps_ = 1;
  bool scattered_ = false;
  std::vector<AxisClass> axes_[3];
  std::vector<PixelClass> classes_;
};

}  // namespace cantik::cpu
