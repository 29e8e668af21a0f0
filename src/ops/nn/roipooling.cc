// Pooling of regions of interest (Girshick 2015): of each region of an image, cut into a grid of cells, the
// largest number of each cell.
//
// A region (left, top, right, bottom), both ends included, is scaled and rounded to pixels. Cell i of n along
// an axis of the region, which begins at b and is s long, is [b + floor(i s / n), b + ceil((i + 1) s / n)):
// neighbours may share a pixel. What lies outside the image is left out; a cell with no pixel gives 0.
#include <algorithm>
#include <cmath>

#include <cantik/op.h>

using namespace cantik;

namespace {

struct Roi {
  int64_t pooling_type = 0;
  Shape output_shape;
  double spatial_scale = 1;
  static constexpr auto fields() {
    return list(field("pooling_type", &Roi::pooling_type, "0: max").key("poolingType"),
                field("roi_output_shape", &Roi::output_shape, "height and width of the grid of cells")
                    .key("roiOutputShape")
                    .role(CANTIK_SHAPE_OF),
                field("spatial_scale", &Roi::spatial_scale, "from the regions' unit to pixels of the operand")
                    .key("spatialScale"));
  }
};

constexpr auto infer_roi_pooling = [](Infer& in, const Roi& a) {
  Shape x = in.shape(0), rois = in.shape(1);
  if (a.pooling_type != 0)
    throw value_failure("Unsupported pooling type, ROIPooling support only MAX pooling.");
  if (a.output_shape.rank() != 2 || a.output_shape[0] < 1 || a.output_shape[1] < 1)
    throw Failure(CANTIK_RUNTIME, "roi_output_shape must be a height and a width, both positive, and is " +
                                      a.output_shape.text());
  if (!x.is_known() || !rois.is_known()) {
    in.set(in.join(0, 1, Shape::unknown()));
    return;
  }
  if (x.rank() != 3)
    throw Failure(CANTIK_RUNTIME,
                  "the operand must have the shape [channels, height, width], and has " + x.text());
  if (rois.rank() != 2 || (rois[1] >= 0 && rois[1] != 4))
    throw value_failure("the regions must have the shape [regions, 4], and have " + rois.text(),
                        "give left, top, right and bottom for each region");
  in.set(in.join(0, 1, Shape{rois[0], x[0]} + a.output_shape));
};

// Where a cell begins and ends along one axis of the image.
struct RoiSpan {
  int64_t begin, end;
};

template <class T>
class Cells {
 public:
  Cells(const Prepare& p, const Roi& a, int image, int rois)
      : channels(p.in(image).shape[0]),
        height(p.in(image).shape[1]),
        width(p.in(image).shape[2]),
        regions(p.in(rois).shape[0]),
        rows(a.output_shape[0]),
        columns(a.output_shape[1]),
        scale_(a.spatial_scale) {}

  // f(number of the cell's result, channel's first pixel in the image, rows of it, columns of it)
  template <class F>
  void each(const T* rois, F&& f) const {
    for (int64_t k = 0; k < regions; ++k) {
      int64_t left = pixel(rois[4 * k]), top = pixel(rois[4 * k + 1]), right = pixel(rois[4 * k + 2]),
              bottom = pixel(rois[4 * k + 3]);
      int64_t y = k * channels * rows * columns;
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < columns; ++j)
            f(y++, c * height * width, cell(top, bottom, i, rows, height),
              cell(left, right, j, columns, width));
    }
  }

  const int64_t channels, height, width, regions, rows, columns;

 private:
  // Far outside is as good as anywhere outside: products of what is left of it fit.
  int64_t pixel(T x) const {
    double v = std::round(static_cast<double>(x) * scale_);
    return std::isnan(v) ? 0 : static_cast<int64_t>(std::clamp(v, -1e6, 1e6));
  }
  static RoiSpan cell(int64_t first, int64_t last, int64_t i, int64_t n, int64_t size) {
    int64_t length = std::max<int64_t>(last - first + 1, 1);
    int64_t begin = first + i * length / n, end = first + ((i + 1) * length + n - 1) / n;
    return {std::clamp<int64_t>(begin, 0, size), std::clamp<int64_t>(end, 0, size)};
  }
  double scale_;
};

// The first of the largest numbers of a cell, or null.
template <class T>
const T* largest_of_cell(const T* x, RoiSpan rows, RoiSpan columns, int64_t width) {
  const T* best = nullptr;
  for (int64_t i = rows.begin; i < rows.end; ++i)
    for (int64_t j = columns.begin; j < columns.end; ++j)
      if (const T* at = x + i * width + j; !best || *at > *best) best = at;
  return best;
}

template <class T>
struct RoiPooling final : Kernel {
  Cells<T> cells;
  RoiPooling(const Prepare& p, const Roi& a) : cells(p, a, 0, 1) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      cells.each(r.row<T>(1, row), [&](int64_t at, int64_t image, RoiSpan rows, RoiSpan columns) {
        const T* best = largest_of_cell(x + image, rows, columns, cells.width);
        y[at] = best ? *best : T(0);
      });
    }
  }
};

// Operands: dy, x, rois.
template <class T>
struct RoiPoolingBack final : Kernel {
  Cells<T> cells;
  RoiPoolingBack(const Prepare& p, const Roi& a) : cells(p, a, 1, 2) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T *dy = r.row<T>(0, row), *x = r.row<T>(1, row);
      T* dx = r.result<T>(0, row);
      std::fill_n(dx, cells.channels * cells.height * cells.width, T(0));
      cells.each(r.row<T>(2, row), [&](int64_t at, int64_t image, RoiSpan rows, RoiSpan columns) {
        if (const T* best = largest_of_cell(x + image, rows, columns, cells.width)) dx[best - x] += dy[at];
      });
    }
  }
};

template <template <class> class K>
constexpr auto roi_pooling_kernel =
    [](const Prepare& p, const Roi& a) -> std::unique_ptr<Kernel> { return of_type<K>(p.dtype(), p, a); };

}  // namespace

CANTIK_OP(roipooling) {
  op.attributes<Roi>("roipooling(operand, rois, pooling_type, roi_output_shape, spatial_scale, name='')")
      .doc(
          "[regions, channels, height, width]: the largest number in each cell of a grid over each region of "
          "the operand, [channels, height, width]. "
          "rois: [regions, 4], left, top, right and bottom of each region, both ends included.")
      .traits(CANTIK_ROW_WISE)
      .type(infer_roi_pooling)
      .gradient([](Gradient& g, const Roi& a) {
        if (g.wanted(0))
          g.dx(0, g.call("roipooling_back", {g.dy(), g.x(0), g.x(1)},
                         {{"pooling_type", a.pooling_type},
                          {"roi_output_shape", a.output_shape},
                          {"spatial_scale", a.spatial_scale}}));
      })
      .kernel("cells", roi_pooling_kernel<RoiPooling>)
      .cntk("ROIPooling", 47)
      .named("test.operands", "bc")
      .sample_between(0, 3, {{2, 4, 4}, {2, 4}}, [] {
        Roi a;
        a.output_shape = {2, 2};
        return a;
      }());

  op.attributes<Roi>("roipooling_back(dy, x, rois, pooling_type, roi_output_shape, spatial_scale)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Roi&) { in.set(in.join(0, 1, in.shape(1))); })
      .kernel("cells", roi_pooling_kernel<RoiPoolingBack>);
}
