// Pictures and boxes in them: boxes that overlap, parts of pictures by boxes, maxima at their places, filters
// that look aside.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/computed.h"

namespace cantik::onnx {
namespace {

using Dims = std::vector<int64_t>;

// ---- boxes

struct Box {
  double top, left, bottom, right;
  double area() const { return (bottom - top) * (right - left); }
};

Box box_at(const double* b, bool centred) {
  if (centred)  // x, y, width, height
    return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
  return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

// The part of the area of both that both have.
double overlap(const Box& a, const Box& b) {
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top),
               width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0) return 0;
  const double both = height * width, all = a.area() + b.area() - both;
  return all > 0 ? both / all : 0;
}

double single(const std::vector<Array>& in, size_t i, double otherwise) {
  return i < in.size() && !in[i].numbers.empty() ? in[i].numbers[0] : otherwise;
}

// Of each class of each picture the boxes by their scores, without those that overlap one before too much.
// boxes: [pictures, boxes, 4], scores: [pictures, classes, boxes]
Computed non_max_suppression(const ComputedNode& n) {
  const bool centred = n.integer("center_point_box", 0) != 0;
  return {{{{-1, 3}, kInt64}}, [centred](const std::vector<Array>& in) {
            const Array &boxes = in[0], &scores = in[1];
            if (boxes.dims.size() != 3 || scores.dims.size() != 3 || boxes.dims[2] != 4 ||
                boxes.dims[0] != scores.dims[0] || boxes.dims[1] != scores.dims[2])
              throw value_error(cat("boxes of the shape ", Shape(boxes.dims).text(),
                                    " have scores of the shape ", Shape(scores.dims).text()));
            const auto most = static_cast<size_t>(std::max(0.0, std::min(single(in, 2, 0), 1e9)));
            const double limit = single(in, 3, 0), least = single(in, 4, -HUGE_VAL);
            const int64_t classes = scores.dims[1], count = boxes.dims[1];
            Array y;
            std::vector<int64_t> order(static_cast<size_t>(count)), kept;
            for (int64_t p = 0; p < boxes.dims[0]; ++p)
              for (int64_t c = 0; c < classes; ++c) {
                const double* score = scores.numbers.data() + (p * classes + c) * count;
                const double* box = boxes.numbers.data() + p * count * 4;
                std::iota(order.begin(), order.end(), int64_t{0});
                std::stable_sort(order.begin(), order.end(),
                                 [&](int64_t a, int64_t b) { return score[a] > score[b]; });
                kept.clear();
                for (int64_t i : order) {
                  if (kept.size() >= most) break;
                  if (score[i] <= least) continue;
                  const Box b = box_at(box + 4 * i, centred);
                  const bool hidden = std::any_of(kept.begin(), kept.end(), [&](int64_t k) {
                    return overlap(b, box_at(box + 4 * k, centred)) > limit;
                  });
                  if (!hidden) kept.push_back(i);
                }
                for (int64_t i : kept)
                  for (int64_t v : {p, c, i}) y.numbers.push_back(static_cast<double>(v));
              }
            y.dims = {static_cast<int64_t>(y.numbers.size() / 3), 3};
            return std::vector<Array>{y};
          }};
}

// ---- between pixels

// The corners of a place among pixels [height, width], their weights; none of a place too far outside.
struct Corners {
  int64_t at[4] = {0, 0, 0, 0};
  double weight[4] = {0, 0, 0, 0};
};

// Places outside count as the edge, if they are within one pixel of it.
Corners within_edge(double y, double x, int64_t height, int64_t width) {
  Corners c;
  const bool near = y >= -1 && y <= static_cast<double>(height) && x >= -1 && x <= static_cast<double>(width);
  if (!near) return c;  // or no place at all
  auto ends = [](double v, int64_t size, int64_t& low, int64_t& high) {
    v = std::max(v, 0.0);
    low = static_cast<int64_t>(v);
    if (low >= size - 1) return low = high = size - 1, 0.0;
    high = low + 1;
    return v - static_cast<double>(low);
  };
  int64_t top, bottom, left, right;
  const double dy = ends(y, height, top, bottom), dx = ends(x, width, left, right);
  const int64_t rows[2] = {top, bottom}, columns[2] = {left, right};
  for (int i = 0; i < 4; ++i) {
    c.at[i] = rows[i / 2] * width + columns[i % 2];
    c.weight[i] = (i / 2 ? dy : 1 - dy) * (i % 2 ? dx : 1 - dx);
  }
  return c;
}

// Parts of pictures, each in a grid of cells. x: [pictures, channels, height, width], boxes: [boxes, 4]
Computed roi_align(const ComputedNode& n) {
  const int64_t height = n.integer("output_height", 1), width = n.integer("output_width", 1),
                ratio = n.integer("sampling_ratio", 0);
  const double scale = n.real("spatial_scale", 1);
  const bool largest = n.text("mode", "avg") == "max";
  const bool half = n.text("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  if (height < 1 || width < 1 || height > 1 << 16 || width > 1 << 16 || ratio < 0 || ratio > 1 << 10)
    throw value_error("the grid of a box has no cells, or far too many");
  Computed c;
  c.results = {{{n.dims.at(1).at(0), n.dims.at(0).at(1), height, width}, n.elements[0]}};
  for (int64_t& d : c.results[0].dims) d = std::max<int64_t>(d, -1);
  c.run = [=](const std::vector<Array>& in) {
    const Array &x = in[0], &boxes = in[1], &picture = in[2];
    const int64_t channels = x.dims.at(1), rows = x.dims.at(2), columns = x.dims.at(3),
                  count = boxes.dims.at(0);
    if (boxes.dims.at(1) != 4 || rows < 1 || columns < 1)
      throw value_error("a box has four numbers, and a picture at least one pixel");
    Array y = sized({count, channels, height, width});
    std::vector<Corners> samples;
    for (int64_t b = 0; b < count; ++b) {
      const double* box = boxes.numbers.data() + 4 * b;
      const double shift = half ? 0.5 : 0;
      const double left = box[0] * scale - shift, top = box[1] * scale - shift;
      double wide = box[2] * scale - shift - left, high = box[3] * scale - shift - top;
      if (!half) wide = std::max(wide, 1.0), high = std::max(high, 1.0);
      const double cell_y = high / static_cast<double>(height), cell_x = wide / static_cast<double>(width);
      auto samples_in = [&](double cell) {
        const double wanted = ratio > 0 ? static_cast<double>(ratio) : std::ceil(cell);
        if (!(wanted <= 1024)) throw value_error("a box is far too large");
        return std::max<int64_t>(1, static_cast<int64_t>(wanted));
      };
      const int64_t down = samples_in(cell_y), across = samples_in(cell_x);
      const auto from = static_cast<int64_t>(picture.numbers.at(static_cast<size_t>(b)));
      if (from < 0 || from >= x.dims.at(0)) throw value_error(cat("there is no picture ", from));
      for (int64_t i = 0; i < height; ++i)
        for (int64_t j = 0; j < width; ++j) {
          samples.clear();
          for (int64_t u = 0; u < down; ++u)
            for (int64_t v = 0; v < across; ++v)
              samples.push_back(within_edge(
                  top +
                      (static_cast<double>(i) + (static_cast<double>(u) + 0.5) / static_cast<double>(down)) *
                          cell_y,
                  left + (static_cast<double>(j) +
                          (static_cast<double>(v) + 0.5) / static_cast<double>(across)) *
                             cell_x,
                  rows, columns));
          for (int64_t k = 0; k < channels; ++k) {
            const double* pixels = x.numbers.data() + (from * channels + k) * rows * columns;
            double sum = 0, most = -HUGE_VAL;
            for (const Corners& s : samples) {
              double value = 0;
              for (int q = 0; q < 4; ++q) {
                const double part = s.weight[q] * pixels[s.at[q]];
                value += part;
                most = std::max(most, part);  // of the weighted pixels, as ONNX has it
              }
              sum += value;
            }
            y.numbers[((b * channels + k) * height + i) * width + j] =
                largest ? most : sum / static_cast<double>(down * across);
          }
        }
    }
    return std::vector<Array>{y};
  };
  return c;
}

// ---- windows

struct PictureWindow {
  Dims kernel, stride, dilation, pads;
};
PictureWindow window_of(const ComputedNode& n, Dims kernel) {
  PictureWindow w;
  w.kernel = std::move(kernel);
  const size_t rank = w.kernel.size();
  auto filled = [&](const char* name, size_t count, int64_t otherwise) {
    Dims d = n.integers(name);
    if (d.empty()) d.assign(count, otherwise);
    if (d.size() != count) throw value_error(cat("the attribute ", name, " has ", d.size(), " numbers"));
    return d;
  };
  w.stride = filled("strides", rank, 1);
  w.dilation = filled("dilations", rank, 1);
  w.pads = filled("pads", 2 * rank, 0);
  for (size_t k = 0; k < rank; ++k)
    for (int64_t v : {w.kernel[k], w.stride[k], w.dilation[k]})
      if (v < 1 || v > 1 << 24) throw value_error(cat("a window has the size or the step ", v));
  for (int64_t p : w.pads)
    if (p < 0 || p > 1 << 24) throw value_error(cat("a window has the padding ", p));
  return w;
}

// Maxima go back to where they were; the rest is 0. x, places: [pictures, channels, pixels...]
Computed max_unpool(const ComputedNode& n) {
  const Dims& dims = n.dims.at(0);
  const PictureWindow w = window_of(n, n.integers("kernel_shape"));
  Dims made = dims;
  if (w.kernel.size() + 2 != dims.size())
    throw value_error("a window has another number of axes than its operand");
  for (size_t k = 0; k < w.kernel.size(); ++k)
    made[k + 2] = dims[k + 2] < 0 ? -1
                                  : (dims[k + 2] - 1) * w.stride[k] - w.pads[k] -
                                        w.pads[k + w.kernel.size()] + w.kernel[k];
  const Dims without = made;
  if (n.has(2)) std::fill(made.begin(), made.end(), -1);
  for (int64_t& d : made) d = std::max<int64_t>(d, -1);
  return {{{made, n.elements[0]}}, [without](const std::vector<Array>& in) {
            Array y;
            for (double d : in.size() > 2 ? in[2].numbers : std::vector<double>())
              y.dims.push_back(static_cast<int64_t>(d));
            const bool given = !y.dims.empty();
            if (!given) y.dims = without;
            y.dims.resize(in[0].dims.size());
            for (size_t k = 0; k < 2; ++k) y.dims[k] = in[0].dims[k];
            for (int64_t d : y.dims)
              if (d < 0 || d > 1 << 24) throw value_error("a size of a result is negative or far too large");
            // places count in the picture that the windows cover
            Dims covered = without;
            for (size_t k = 0; k < covered.size(); ++k)
              if (k < 2 || covered[k] < 0) covered[k] = y.dims[k];
            y = sized(y.dims);
            Array space{covered, {}};
            for (size_t i = 0; i < in[0].numbers.size(); ++i) {
              auto place = static_cast<int64_t>(in[1].numbers.at(i));
              int64_t to = 0;
              for (size_t k = 0; k < covered.size(); ++k) {
                const int64_t step = space.product(k + 1, covered.size());
                if (step < 1) throw value_error("a place lies outside of the result");
                const int64_t at = place / step;
                place %= step;
                if (at < 0 || at >= y.dims[k]) throw value_error("a place lies outside of the result");
                to = to * y.dims[k] + at;
              }
              y.numbers[to] = in[0].numbers[i];
            }
            return std::vector<Array>{y};
          }};
}

// Between the pixels of one channel; 0 outside. place: of each axis.
double between(const double* pixels, const Dims& sizes, const std::vector<double>& place) {
  const size_t rank = sizes.size();
  double sum = 0;
  for (size_t corner = 0; corner < size_t{1} << rank; ++corner) {
    double weight = 1;
    int64_t at = 0;
    for (size_t k = 0; k < rank && weight != 0; ++k) {
      const double low = std::floor(place[k]), part = place[k] - low;
      const bool high = (corner >> k & 1) != 0;
      weight *= high ? part : 1 - part;
      const double i = low + (high ? 1 : 0);
      if (i >= 0 && i < static_cast<double>(sizes[k]))
        at = at * sizes[k] + static_cast<int64_t>(i);
      else  // outside, or no place at all
        weight = 0;
    }
    if (weight != 0) sum += weight * pixels[at];
  }
  return sum;
}

// A convolution whose taps lie where the offsets say.
// x: [pictures, channels, pixels...], w: [filters, channels / groups, taps...],
// offset: [pictures, offset groups * taps * axes, places...], mask: [pictures, offset groups * taps,
// places...]
Computed deform_conv(const ComputedNode& n) {
  const Dims &dx = n.dims.at(0), &dw = n.dims.at(1), &dof = n.dims.at(2);
  if (dx.size() < 3 || dw.size() != dx.size() || dof.size() != dx.size())
    throw value_error("a deformable convolution has operands of different ranks");
  const Dims kernel(dw.begin() + 2, dw.end());
  if (std::any_of(kernel.begin(), kernel.end(), [](int64_t d) { return d < 0; }))
    throw unsupported("the filters of a deformable convolution have sizes that only a run knows");
  const PictureWindow w = window_of(n, kernel);
  const int64_t groups = n.integer("group", 1), offset_groups = n.integer("offset_group", 1);
  if (groups < 1 || offset_groups < 1) throw value_error("a convolution has no groups");
  Dims made(dof.size(), -1);
  made[1] = std::max<int64_t>(dw[0], -1);
  Computed c;
  c.results = {{made, n.elements[0]}};
  c.run = [=](const std::vector<Array>& in) {
    const Array &x = in[0], &f = in[1], &offset = in[2];
    const size_t rank = kernel.size();
    const int64_t pictures = x.dims[0], channels = x.dims[1], filters = f.dims[0], each = f.dims[1];
    const Dims sizes(x.dims.begin() + 2, x.dims.end());
    int64_t taps = 1, pixels = 1, places = 1;
    Dims out;
    for (size_t k = 0; k < rank; ++k) {
      taps *= kernel[k], pixels *= sizes[k];
      const int64_t room = sizes[k] + w.pads[k] + w.pads[k + rank] - (kernel[k] - 1) * w.dilation[k] - 1;
      out.push_back(room < 0 ? 0 : room / w.stride[k] + 1);
      places *= out.back();
    }
    Dims expected{pictures, offset_groups * taps * static_cast<int64_t>(rank)};
    expected.insert(expected.end(), out.begin(), out.end());
    if (offset.dims != expected || channels != each * groups || filters % groups != 0 ||
        channels % offset_groups != 0)
      throw value_error(cat("the offsets of a deformable convolution have the shape ",
                            Shape(offset.dims).text(), ", and ", Shape(expected).text(), " is expected"));
    const Array* bias = in.size() > 3 && !in[3].dims.empty() ? &in[3] : nullptr;
    const Array* mask = in.size() > 4 && !in[4].dims.empty() ? &in[4] : nullptr;
    if (mask && mask->product(0, mask->dims.size()) != pictures * offset_groups * taps * places)
      throw value_error("the mask of a deformable convolution has another shape than its offsets");
    Dims all{pictures, filters};
    all.insert(all.end(), out.begin(), out.end());
    Array y = sized(all);
    std::vector<double> place(rank), columns(static_cast<size_t>(channels * taps));
    for (int64_t p = 0; p < pictures; ++p)
      for (int64_t at = 0; at < places; ++at) {
        Dims where(rank);
        for (int64_t k = static_cast<int64_t>(rank) - 1, rest = at; k >= 0; --k)
          where[k] = rest % out[k], rest /= out[k];
        for (int64_t ch = 0; ch < channels; ++ch) {
          const int64_t og = ch / (channels / offset_groups);
          for (int64_t t = 0; t < taps; ++t) {
            int64_t rest = t;
            for (int64_t k = static_cast<int64_t>(rank) - 1; k >= 0; --k) {
              const auto q = static_cast<size_t>(k);
              const int64_t tap = rest % kernel[q];
              rest /= kernel[q];
              const double aside =
                  offset.numbers[static_cast<size_t>(
                                     ((p * offset_groups + og) * taps + t) * static_cast<int64_t>(rank) + k) *
                                     static_cast<size_t>(places) +
                                 static_cast<size_t>(at)];
              place[q] =
                  static_cast<double>(where[q] * w.stride[q] - w.pads[q] + tap * w.dilation[q]) + aside;
            }
            double v = between(x.numbers.data() + (p * channels + ch) * pixels, sizes, place);
            if (mask)
              v *= mask->numbers[static_cast<size_t>((p * offset_groups + og) * taps + t) *
                                     static_cast<size_t>(places) +
                                 static_cast<size_t>(at)];
            columns[ch * taps + t] = v;
          }
        }
        for (int64_t o = 0; o < filters; ++o) {
          const int64_t g = o / (filters / groups);
          const double *a = f.numbers.data() + o * each * taps, *b = columns.data() + g * each * taps;
          double sum = bias ? bias->numbers.at(static_cast<size_t>(o)) : 0;
          for (int64_t i = 0; i < each * taps; ++i) sum += a[i] * b[i];
          y.numbers[(p * filters + o) * places + at] = sum;
        }
      }
    return std::vector<Array>{y};
  };
  return c;
}

// Blocks of columns back to their places in pictures, where they add up.
// x: [pictures, channels * block, places]; the sizes of the pictures and of the blocks are numbers.
Computed columns_to_pictures(const ComputedNode& n) {
  if (n.dims[1][0] < 1 || n.dims[1][0] > 8)
    throw unsupported("the pictures have as many axes as only a run knows");
  const auto rank = static_cast<size_t>(n.dims[1][0]);
  const PictureWindow attributes = window_of(n, Dims(rank, 1));
  Dims made(rank + 2, -1);
  return {{{made, n.elements[0]}}, [=](const std::vector<Array>& in) {
            const Array& x = in[0];
            PictureWindow w = attributes;
            Dims sizes, out;
            int64_t taps = 1, places = 1, pixels = 1;
            for (size_t k = 0; k < rank; ++k) {
              sizes.push_back(static_cast<int64_t>(in[1].numbers.at(k)));
              w.kernel[k] = static_cast<int64_t>(in[2].numbers.at(k));
              if (sizes[k] < 1 || w.kernel[k] < 1 || sizes[k] > 1 << 24 || w.kernel[k] > 1 << 24 ||
                  taps > 1 << 24 || pixels > 1 << 30)
                throw value_error("a picture has no pixels, or far too many");
              const int64_t room =
                  sizes[k] + w.pads[k] + w.pads[k + rank] - (w.kernel[k] - 1) * w.dilation[k] - 1;
              out.push_back(room < 0 ? 0 : room / w.stride[k] + 1);
              taps *= w.kernel[k], places *= out[k], pixels *= sizes[k];
            }
            if (x.dims.size() != 3 || x.dims[2] != places || x.dims[1] % taps != 0)
              throw value_error(
                  cat("columns of the shape ", Shape(x.dims).text(), " do not cover such pictures"));
            const int64_t channels = x.dims[1] / taps;
            Dims all{x.dims[0], channels};
            all.insert(all.end(), sizes.begin(), sizes.end());
            Array y = sized(all);
            for (int64_t t = 0; t < taps; ++t)
              for (int64_t at = 0; at < places; ++at) {
                int64_t tap = t, place = at, to = 0, step = 1;
                bool inside = true;
                for (size_t k = rank; k-- > 0;) {
                  const int64_t i =
                      place % out[k] * w.stride[k] - w.pads[k] + tap % w.kernel[k] * w.dilation[k];
                  place /= out[k], tap /= w.kernel[k];
                  inside = inside && i >= 0 && i < sizes[k];
                  to += i * step;
                  step *= sizes[k];
                }
                if (!inside) continue;
                for (int64_t c = 0; c < x.dims[0] * channels; ++c)
                  y.numbers[c * pixels + to] += x.numbers[(c * taps + t) * places + at];
              }
            return std::vector<Array>{y};
          }};
}

constexpr ComputedRule kPictureRules[] = {
    {"NonMaxSuppression", "33?***", non_max_suppression, 0, 0, kAllSets},
    {"RoiAlign", "421", roi_align, 0, 0, 16},
    {"MaxUnpool", "**?1", max_unpool, 0, 0, kAllSets},
    {"DeformConv", "***?1*", deform_conv, 0, 0, 19},
    {"Col2Im", "311", columns_to_pictures, 0, 0, 18},
};

}  // namespace

std::span<const ComputedRule> computed_pictures() { return kPictureRules; }

}  // namespace cantik::onnx
