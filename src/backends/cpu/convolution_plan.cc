#include "backends/cpu/convolution_plan.h"

#include <algorithm>
#include <numeric>

#include "backends/cpu/list_bytes.h"

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

std::vector<AxisClass> axis_classes(const Window& w, int axis, int64_t in, int64_t out, bool adjoint,
                                    bool alike) {
  size_t a = static_cast<size_t>(axis);
  int64_t padding = w.padding(axis, adjoint ? out : in);
  // All pixels of the only window read the same. Of more windows, classes at even distances serve better.
  const bool one_class = alike && adjoint && in == 1;
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
      return (one_class ? c.taps.size() == here.taps.size() : c.taps == here.taps) && c.steps == here.steps;
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
                                 int64_t read, bool alike) {
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
    axes_[i] = axis_classes(w, i - missing, in_[i], out_[i], adjoint, alike);
  }
  for (const AxisClass& c0 : axes_[0])
    for (const AxisClass& c1 : axes_[1])
      for (const AxisClass& c2 : axes_[2]) {
        PixelClass c{{&c0, &c1, &c2}};
        for (size_t a = 0; a < 3; ++a) c.whole.count[a] = static_cast<int64_t>(c.axis[a]->in.size());
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
  find_work();
  int64_t longest = 0;
  for (const PixelClass& c : classes_)
    for (const Segment& s : c.segments) longest = std::max(longest, s.length);
  scattered_ = taps_ > 1 && longest < kShortSegments;
  for (PixelClass& c : classes_)
    if (scattered_) scatter(c);
  // The largest class first: what it reads of the image is then in cache for the edges.
  std::stable_sort(classes_.begin(), classes_.end(), [](const PixelClass& a, const PixelClass& b) {
    return a.whole.pixels() > b.whole.pixels();
  });
}

// The work of a pixel is its taps, and one for what becomes of the sum.
void ConvolutionPlan::find_work() {
  along_ = static_cast<size_t>(std::max_element(out_, out_ + 3) - out_);
  work_before_.assign(static_cast<size_t>(lines()) + 1, 0);
  for (const PixelClass& c : classes_) {
    int64_t taps = 1;
    for (const AxisClass* a : c.axis) taps *= static_cast<int64_t>(a->taps.size());
    const std::vector<int32_t>& its_lines = c.axis[along_]->out;
    const int64_t of_a_line = c.whole.pixels() / static_cast<int64_t>(its_lines.size()) * (taps + 1);
    for (int32_t line : its_lines) work_before_[static_cast<size_t>(line) + 1] += of_a_line;
  }
  std::partial_sum(work_before_.begin(), work_before_.end(), work_before_.begin());
}

bool ConvolutionPlan::has_close_lines() const {
  return std::all_of(out_, out_ + along_, [](int64_t size) { return size == 1; });
}

// Of few pixels a unit has so few that several threads have the same work.
int64_t ConvolutionPlan::units(int64_t images) const {
  constexpr int64_t kUnits = 8, kLeast = 16;
  const int64_t pixels = images * out_pixels();
  const int64_t unit = std::clamp((pixels / kUnits + kLeast - 1) / kLeast * kLeast, kLeast, kMostPixels);
  return std::min((pixels + unit - 1) / unit, images * lines());
}

// The line, counted over all images, that is nearest to the unit's share of the work.
int64_t ConvolutionPlan::first_line(int64_t unit, int64_t units, int64_t images) const {
  if (unit == units) return images * lines();
  const int64_t of_an_image = work_before_.back(), all = images * of_an_image;
  const int64_t before = all / units * unit + all % units * unit / units, rest = before % of_an_image;
  const auto after = std::lower_bound(work_before_.begin() + 1, work_before_.end(), rest);
  const int64_t line = after - work_before_.begin() - (rest - after[-1] < *after - rest ? 1 : 0);
  return before / of_an_image * lines() + line;
}

PixelBox ConvolutionPlan::cut(const PixelClass& c, int64_t first_line, int64_t last_line) const {
  const std::vector<int32_t>& out = c.axis[along_]->out;
  auto position = [&](int64_t line) { return std::lower_bound(out.begin(), out.end(), line) - out.begin(); };
  PixelBox box = c.whole;
  box.first[along_] = position(first_line);
  box.count[along_] = position(last_line) - box.first[along_];
  return box;
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

int64_t ConvolutionPlan::bytes() const {
  int64_t sum = bytes_of_list(work_before_) + bytes_of_list(classes_);
  for (const std::vector<AxisClass>& axis : axes_) {
    sum += bytes_of_list(axis);
    for (const AxisClass& c : axis)
      sum += bytes_of_list(c.runs) + bytes_of_list(c.taps) + bytes_of_list(c.steps) + bytes_of_list(c.in) +
             bytes_of_list(c.out);
  }
  for (const PixelClass& c : classes_)
    sum += bytes_of_list(c.segments) + bytes_of_list(c.places) + bytes_of_list(c.scattered);
  return sum;
}

}  // namespace cantik::cpu
