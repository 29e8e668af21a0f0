// What convolutions and pooling read: windows over pixels, and pixels grouped by the taps that fall inside
// the image.
//
// A pixel of the result reads a box of taps. Pixels whose taps are the same and lie in the same places
// relative to one another form a class: a class is a matrix product whose rows are its pixels, so that
// padding costs neither copies nor branches, and taps outside the image are never multiplied. Strides,
// dilation, padding and the adjoint (a convolution's gradient with respect to its operand, or a transposed
// convolution) differ only in which taps a pixel has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
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

// Pixels of a class: a range of its positions along each axis.
struct PixelBox {
  int64_t first[3], count[3];
  int64_t pixels() const { return count[0] * count[1] * count[2]; }
};

struct PixelClass {
  const AxisClass* axis[3];
  std::vector<Segment> segments;   // offsets in elements from the first tap's pixel
  PixelBox whole{};                // all of them
  std::vector<int32_t> places;     // of all elements, for
  std::vector<Segment> scattered;  // the same with tables: runs of k
};

// Up to three axes; missing ones have size 1. `adjoint`: of the convolution from `out` to `in`, whose taps
// are packed in reverse.
//
// A result is divided into lines: what lies at one position of its longest axis. A thread that computes
// neighbouring lines of one convolution after the other finds most of what it reads in its own cache.
class ConvolutionPlan {
 public:
  // channels: of the operand; a segment reads `read` of them (those of one group). `alike`: taps matter by
  // where they read alone, not by their numbers.
  ConvolutionPlan(const Window& w, const std::vector<int64_t>& in, const std::vector<int64_t>& out,
                  bool adjoint, int64_t channels, int64_t read, bool alike = false);

  ConvolutionPlan(const ConvolutionPlan&) = delete;  // classes point into the axes

  const std::vector<PixelClass>& classes() const { return classes_; }
  int64_t taps() const { return taps_; }
  bool is_scattered() const { return scattered_; }  // segments are so short that tables serve better
  int64_t in_pixels() const { return in_[0] * in_[1] * in_[2]; }
  int64_t out_pixels() const { return out_[0] * out_[1] * out_[2]; }

  int64_t lines() const { return out_[along_]; }
  int64_t line_pixels() const { return out_pixels() / lines(); }
  // Whether a line's pixels lie one behind the other.
  bool has_close_lines() const;

  // What its lists take.
  int64_t bytes() const;

  // Into how many units of about equal work the results of so many images are divided.
  int64_t units(int64_t images) const;
  // What is in the units begin .. end of so many: f(first image, images, first line, last line), all lines of
  // up to `together` images or some of a single one.
  template <class F>
  void parts(int64_t begin, int64_t end, int64_t units, int64_t images, int64_t together, F&& f) const {
    const int64_t last = first_line(end, units, images);
    for (int64_t at = first_line(begin, units, images); at < last;) {
      const int64_t line = at % lines(), whole = (last - at) / lines();
      const int64_t some = line > 0 ? 1 : std::clamp<int64_t>(whole, 1, together);
      const int64_t to = std::min(lines(), line + last - at);
      f(at / lines(), some, line, to);
      at += some * (to - line);
    }
  }
  // What of a class is in these lines.
  PixelBox box(const PixelClass& c, int64_t first_line, int64_t last_line) const {
    return first_line == 0 && last_line == lines() ? c.whole : cut(c, first_line, last_line);
  }

  // The pixels first .. first + count of a box, the boxes of several images one behind the other,
  // as runs along the last axis: f(how many, the first one's place in the operand, the distance there, its
  // place in the result, the distance there).
  template <class F>
  void pixels(const PixelClass& c, const PixelBox& box, int64_t first, int64_t count, F&& f) const {
    if (count == 0) return;
    const int64_t b0 = box.first[0], b1 = box.first[1], b2 = box.first[2];
    const int64_t e0 = b0 + box.count[0], e1 = b1 + box.count[1], e2 = b2 + box.count[2];
    int64_t image = first / box.pixels(), rest = first % box.pixels();
    int64_t i0 = b0 + rest / (box.count[1] * box.count[2]), i1 = b1 + rest / box.count[2] % box.count[1],
            i2 = b2 + rest % box.count[2];
    while (count > 0) {
      int64_t in = ((image * in_[0] + c.axis[0]->in[i0]) * in_[1] + c.axis[1]->in[i1]) * in_[2];
      int64_t out = ((image * out_[0] + c.axis[0]->out[i0]) * out_[1] + c.axis[1]->out[i1]) * out_[2];
      for (const AxisClass::Run& r : c.axis[2]->runs) {
        int64_t skip = i2 - r.first, n = std::min({r.count - skip, e2 - i2, count});
        if (skip < 0 || n <= 0) continue;
        f(n, in + r.in + skip * r.in_step, static_cast<int64_t>(r.in_step), out + r.out + skip * r.out_step,
          static_cast<int64_t>(r.out_step));
        i2 += n;
        count -= n;
      }
      i2 = b2;
      if (++i1 < e1) continue;
      i1 = b1;
      if (++i0 < e0) continue;
      i0 = b0;
      ++image;
    }
  }
  // The same of whole images.
  template <class F>
  void pixels(const PixelClass& c, int64_t first, int64_t count, F&& f) const {
    pixels(c, c.whole, first, count, std::forward<F>(f));
  }

 private:
  PixelBox cut(const PixelClass& c, int64_t first_line, int64_t last_line) const;
  void find_work();
  int64_t first_line(int64_t unit, int64_t units, int64_t images) const;
  void scatter(PixelClass& c) const;
  int64_t in_[3] = {1, 1, 1}, out_[3] = {1, 1, 1}, taps_ = 1;
  bool scattered_ = false;
  size_t along_ = 0;                  // the longest axis
  std::vector<int64_t> work_before_;  // of the lines before each line of an image, and of all
  std::vector<AxisClass> axes_[3];
  std::vector<PixelClass> classes_;
};

}  // namespace cantik::cpu
