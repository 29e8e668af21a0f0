// Pooling of regions of several images (Girshick 2015), as MXNet has it: each region says which image it is
// of. Where roipooling cuts a region by whole numbers, this one does so in the operand's element type, and
// has its roundings.
#include <algorithm>
#include <cmath>

#include <cantik/op.h>

using namespace cantik;

namespace {

struct RoiPool {
  Shape pooled_size;
  double spatial_scale = 1;
  static constexpr auto fields() {
    return list(field("pooled_size", &RoiPool::pooled_size, "height and width of the grid of cells")
                    .role(CANTIK_SHAPE_OF),
                field("spatial_scale", &RoiPool::spatial_scale, "from the regions' unit to pixels"));
  }
};

struct RoiPoolSpan {
  int64_t begin, end;
};

// The cells of one region.
template <class T>
class Region {
 public:
  // region: image, left, top, right, bottom.
  Region(const T* region, const RoiPool& a, int64_t height, int64_t width)
      : image(static_cast<int64_t>(region[0])),
        columns_(region[1], region[3], a, a.pooled_size[1], width),
        rows_(region[2], region[4], a, a.pooled_size[0], height) {}
  RoiPoolSpan rows(int64_t i) const { return rows_.cell(i); }
  RoiPoolSpan columns(int64_t j) const { return columns_.cell(j); }
  int64_t image;

 private:
  struct Side {
    int64_t first, size;
    T length;
    Side(T from, T to, const RoiPool& a, int64_t cells, int64_t size) : first(pixel(from, a)), size(size) {
      length = static_cast<T>(std::max<int64_t>(pixel(to, a) - first + 1, 1)) / static_cast<T>(cells);
    }
    // Far outside is as good as anywhere outside.
    static int64_t pixel(T x, const RoiPool& a) {
      T v = std::round(x * static_cast<T>(a.spatial_scale));
      return std::isnan(v) ? 0 : static_cast<int64_t>(std::clamp(v, T(-1e6), T(1e6)));
    }
    RoiPoolSpan cell(int64_t i) const {
      int64_t begin = first + static_cast<int64_t>(std::floor(static_cast<T>(i) * length)),
              end = first + static_cast<int64_t>(std::ceil(static_cast<T>(i + 1) * length));
      return {std::clamp<int64_t>(begin, 0, size), std::clamp<int64_t>(end, 0, size)};
    }
  };
  Side columns_, rows_;
};

// The place of the first of the largest numbers of a cell, or -1.
template <class T>
int64_t place_of_largest(const T* x, RoiPoolSpan rows, RoiPoolSpan columns, int64_t width) {
  int64_t best = -1;
  for (int64_t i = rows.begin; i < rows.end; ++i)
    for (int64_t j = columns.begin; j < columns.end; ++j)
      if (int64_t at = i * width + j; best < 0 || x[at] > x[best]) best = at;
  return best;
}

struct RegionSizes {
  int64_t images, channels, height, width, regions, cells;
  RegionSizes(const Shape& x, const Shape& rois, const RoiPool& a)
      : images(x[0]),
        channels(x[1]),
        height(x[2]),
        width(x[3]),
        regions(rois[0]),
        cells(a.pooled_size[0] * a.pooled_size[1]) {}
};

template <class T>
struct RoiPoolCells final : Kernel {
  RoiPool a;
  RegionSizes s;
  RoiPoolCells(const Prepare& p, const RoiPool& a) : a(a), s(p.in(0).shape, p.in(1).shape, a) {}
  int64_t units(int64_t) const override { return s.regions; }
  void run(const Run& r) const override {
    for (int64_t k = r.begin(); k < r.end(); ++k) {
      Region<T> region(r.row<T>(1, 0) + 5 * k, a, s.height, s.width);
      if (region.image < 0 || region.image >= s.images)
        throw value_failure("region " + std::to_string(k) + " names image " + std::to_string(region.image) +
                            ", but there are " + std::to_string(s.images) + " images, counted from 0");
      T* y = r.result<T>(0, 0) + k * s.channels * s.cells;
      for (int64_t c = 0; c < s.channels; ++c) {
        const T* x = r.row<T>(0, 0) + (region.image * s.channels + c) * s.height * s.width;
        for (int64_t i = 0; i < a.pooled_size[0]; ++i)
          for (int64_t j = 0; j < a.pooled_size[1]; ++j) {
            int64_t at = place_of_largest(x, region.rows(i), region.columns(j), s.width);
            *y++ = at < 0 ? T(0) : x[at];
          }
      }
    }
  }
};

// Operands: dy, x, rois. A unit is a channel.
template <class T>
struct RoiPoolCellsBack final : Kernel {
  RoiPool a;
  RegionSizes s;
  RoiPoolCellsBack(const Prepare& p, const RoiPool& a) : a(a), s(p.in(1).shape, p.in(2).shape, a) {}
  int64_t units(int64_t) const override { return s.channels; }
  void run(const Run& r) const override {
    const int64_t pixels = s.height * s.width;
    for (int64_t c = r.begin(); c < r.end(); ++c) {
      for (int64_t n = 0; n < s.images; ++n)
        std::fill_n(r.result<T>(0, 0) + (n * s.channels + c) * pixels, pixels, T(0));
      for (int64_t k = 0; k < s.regions; ++k) {
        Region<T> region(r.row<T>(2, 0) + 5 * k, a, s.height, s.width);
        const T* dy = r.row<T>(0, 0) + (k * s.channels + c) * s.cells;
        int64_t image = (region.image * s.channels + c) * pixels;
        for (int64_t i = 0; i < a.pooled_size[0]; ++i)
          for (int64_t j = 0; j < a.pooled_size[1]; ++j, ++dy)
            if (int64_t at =
                    place_of_largest(r.row<T>(1, 0) + image, region.rows(i), region.columns(j), s.width);
                at >= 0)
              r.result<T>(0, 0)[image + at] += *dy;
      }
    }
  }
};

template <template <class> class K>
constexpr auto roi_pool_kernel =
    [](const Prepare& p, const RoiPool& a) -> std::unique_ptr<Kernel> { return of_type<K>(p.dtype(), p, a); };

}  // namespace

CANTIK_OP(roi_pool) {
  op.attributes<RoiPool>("roi_pool(x, rois, pooled_size, spatial_scale=1.0, name='')")
      .doc(
          "[regions, channels, height, width]: the largest number in each cell of a grid over each region of "
          "images [images, channels, height, width]. "
          "rois: [regions, 5], the image, left, top, right and bottom of each region, both ends included.")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const RoiPool& a) {
        Shape x = in.shape(0), rois = in.shape(1);
        if (in.in(0).has_batch() || in.in(1).has_batch())
          throw value_failure("the images must not have a batch axis",
                              "give one operand whose first axis counts the images");
        if (a.pooled_size.rank() != 2 || a.pooled_size[0] < 1 || a.pooled_size[1] < 1)
          throw value_failure("pooled_size must be a height and a width, both positive, and is " +
                              a.pooled_size.text());
        if (x.is_known() && x.rank() != 4)
          throw shape_failure("the operand must have the shape [images, channels, height, width], and has " +
                              x.text());
        if (rois.is_known() && (rois.rank() != 2 || rois[1] != 5))
          throw shape_failure("the regions must have the shape [regions, 5], and have " + rois.text(),
                              "give image, left, top, right and bottom for each region");
        in.set(in.join(
            0, 1, x.is_known() && rois.is_known() ? Shape{rois[0], x[1]} + a.pooled_size : Shape::unknown()));
      })
      .gradient([](Gradient& g, const RoiPool& a) {
        if (g.wanted(0))
          g.dx(0, g.call("roi_pool_back", {g.dy(), g.x(0), g.x(1)},
                         {{"pooled_size", a.pooled_size}, {"spatial_scale", a.spatial_scale}}));
      })
      .kernel("cells", roi_pool_kernel<RoiPoolCells>);

  op.attributes<RoiPool>("roi_pool_back(dy, x, rois, pooled_size, spatial_scale=1.0)")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const RoiPool&) { in.set(in.join(0, 1, in.shape(1))); })
      .kernel("cells", roi_pool_kernel<RoiPoolCellsBack>);
}
