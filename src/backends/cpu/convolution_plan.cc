#include "backends/cpu/convolution_plan.h"

#include <algorithm>

namespace cantik::cpu {

namespace {

constexpr int64_t kShortSegments = 16;

void find_runs(AxisClass& c) {
  size_t n = c.in.size();
  for (size_t i = 0; i < n;) {
    AxisClass::Run r{static_cast<int32_t>(i), 1, c.in[i], 0, c.out[i], 0};
    if (i + 1 < n) r.in_step = c.in[i + 1] - c.in[i], r.out_step = c.out[i + 1] - c.out[i];
    for (++i; i < n && c.in[i] - c.in[i - 1] == r.in_step && c.out[i] - c.out[i - 1] == r.out_step; ++i)
      ++r.count;
    c.runs.push_back(r);
  }
}

std::vector<AxisClass> axis_classes(const Window& w, int axis, int64_t in, int64_t out, bool adjoint) {
  size_t a = static_cast<size_t>(axis);
  int64_t padding = w.padding(axis, adjoint ? out : in);
  std::vector<AxisClass> classes;
  for (int64_t o = 0; o < out; ++o) {
    AxisClass here;
    int64_t first = 0;
    for (int64_t t = 0; t < w.kernel[a]; ++t) {
      int64_t i = o * w.stride[a] - padding + t * w.dilation[a];
      if (adjoint) {
        int64_t at = o + padding - (w.kernel[a] - 1 - t) * w.dilation[a];
        if (at < 0 || at % w.stride[a] != 0) continue;
        i = at / w.stride[a];
      }
      if (i < 0 || i >= in) continue;
      if (here.taps.empty()) first = i;
      here.taps.push_back(static_cast<int32_t>(t));
      here.steps.push_back(static_cast<int32_t>(i - first));
    }
    auto same = std::find_if(classes.begin(), classes.end(), [&](const AxisClass& c) {
      return c.taps == here.taps && c.steps == here.steps;
    });
    if (same == classes.end()) same = classes.insert(same, std::move(here));
    same->in.push_back(static_cast<int32_t>(first));
    same->out.push_back(static_cast<int32_t>(o));
  }
  for (AxisClass& c : classes) find_runs(c);
  return classes;
}

}  // namespace

ConvolutionPlan::ConvolutionPlan(const Window& w, const std::vector<int64_t>& in,
                                 const std::vector<int64_t>& out, bool adjoint, int64_t channels,
                                 int64_t read) {
  int missing = 3 - w.rank();
  int64_t kernel[3] = {1, 1, 1};
  for (int i = 0; i < 3; ++i) {
    if (i < missing) {
      axes_[i] = {AxisClass{{{0, 1, 0, 0, 0, 0}}, {0}, {0}, {0}, {0}}};
      continue;
    }
    size_t a = static_cast<size_t>(i - missing);
    in_[i] = in[a];
    out_[i] = out[a];
    kernel[i] = w.kernel[a];
    taps_ *= kernel[i];
    axes_[i] = axis_classes(w, i - missing, in_[i], out_[i], adjoint);
  }
  for (const AxisClass& c0 : axes_[0])
    for (const AxisClass& c1 : axes_[1])
      for (const AxisClass& c2 : axes_[2]) {
        PixelClass c{{&c0, &c1, &c2}, {}, static_cast<int64_t>(c0.in.size() * c1.in.size() * c2.in.size())};
        for (size_t t0 = 0; t0 < c0.taps.size(); ++t0)
          for (size_t t1 = 0; t1 < c1.taps.size(); ++t1)
            for (size_t t2 = 0; t2 < c2.taps.size(); ++t2) {
              int64_t tap = (c0.taps[t0] * kernel[1] + c1.taps[t1]) * kernel[2] + c2.taps[t2];
              Segment s{((c0.steps[t0] * in_[1] + c1.steps[t1]) * in_[2] + c2.steps[t2]) * channels, read,
                        tap * read, nullptr};
              if (!c.segments.empty()) {
                Segment& last = c.segments.back();
                if (last.offset + last.length == s.offset && last.k + last.length == s.k) {
                  last.length += s.length;
                  continue;
                }
              }
              c.segments.push_back(s);
            }
        classes_.push_back(std::move(c));
      }
  int64_t longest = 0;
  for (const PixelClass& c : classes_)
    for (const Segment& s : c.segments) longest = std::max(longest, s.length);
  scattered_ = taps_ > 1 && longest < kShortSegments;
  for (PixelClass& c : classes_)
    if (scattered_) scatter(c);
  // The largest class first: what it reads of the image is then in cache for the edges.
  std::stable_sort(classes_.begin(), classes_.end(),
                   [](const PixelClass& a, const PixelClass& b) { return a.pixels > b.pixels; });
}

// Segments that go on in k become one, with a table of where its elements lie.
void ConvolutionPlan::scatter(PixelClass& c) const {
  for (const Segment& s : c.segments) {
    if (c.scattered.empty() || c.scattered.back().k + c.scattered.back().length != s.k)
      c.scattered.push_back({0, 0, s.k, nullptr});
    c.scattered.back().length += s.length;
    for (int64_t i = 0; i < s.length; ++i) c.places.push_back(static_cast<int32_t>(s.offset + i));
  }
  const int32_t* at = c.places.data();
  for (Segment& s : c.scattered) s.places = at, at += s.length;
}

}  // namespace cantik::cpu
