// y[c, i, j] = x[c, 2i, 2j] + x[c, 2i, 2j + 1] + x[c, 2i + 1, 2j] + x[c, 2i + 1, 2j + 1].
//
// An operator on images whose loop wants channels last: the operands, results and the attribute that say so
// are stated, and the compiler turns images only where their neighbours do not lie so already.
#include <cantik/op.h>
using namespace cantik;

namespace {

struct Turned {
  bool last = false;
  static constexpr auto fields() {
    return list(field("last", &Turned::last, "whether the channels are the last axis"));
  }
};

// The axes of rows and columns.
int rows_of(const Turned& a) { return a.last ? 0 : 1; }

Shape scaled(Shape image, const Turned& a, bool halved) {
  for (int i = rows_of(a); i < rows_of(a) + 2; ++i) {
    if (halved && image[i] % 2 != 0 && image[i] >= 0)
      throw value_failure("an image of " + std::to_string(image[i]) + " pixels along an axis",
                          "give one of an even number of rows and columns");
    if (image[i] >= 0) image[i] = halved ? image[i] / 2 : image[i] * 2;
  }
  return image;
}

// Both ways: the sum of four pixels, or the pixel in the place of each of the four.
template <bool kSum>
struct Four {
  template <class T>
  struct OfType final : Kernel {
    int64_t rows, columns, channels;  // of the smaller image
    explicit OfType(const Shape& small) : rows(small[0]), columns(small[1]), channels(small[2]) {}
    void run(const Run& r) const override {
      for (int64_t row = r.begin(); row < r.end(); ++row) {
        const T* x = r.row<T>(0, row);
        T* y = r.result<T>(0, row);
        if (kSum) std::fill_n(y, rows * columns * channels, T(0));
        for (int64_t i = 0; i < 2 * rows; ++i)
          for (int64_t j = 0; j < 2 * columns; ++j) {
            const int64_t large = (i * 2 * columns + j) * channels,
                          small = (i / 2 * columns + j / 2) * channels;
            for (int64_t c = 0; c < channels; ++c) {
              if (kSum)
                y[small + c] += x[large + c];
              else
                y[large + c] = x[small + c];
            }
          }
      }
    }
  };
};

template <bool kSum>
constexpr auto kernel = [](const Prepare& p, const Turned& a) {
  if (!a.last) throw declined("channels come first");
  return of_type<Four<kSum>::template OfType>(p.dtype(), kSum ? p.out().shape : p.in(0).shape);
};

void want_image(const Shape& x) {
  if (x.is_known() && x.rank() != 3)
    throw shape_failure("an operand of the shape " + x.text() + " is no image",
                        "give one of the shape [channels, rows, columns]");
}

}  // namespace

CANTIK_OP(sum_pool) {
  const Images images{.last = "last", .operands = {0}, .results = {0}, .preferred = true};

  op.attributes<Turned>("sum_pool(x, last=False, name='')")
      .doc("The sums of the pixels of an image, four and four.")
      .traits(CANTIK_ROW_WISE)
      .images(images)
      .type([](Infer& in, const Turned& a) {
        want_image(in.shape(0));
        in.set(in.like(0, in.shape(0).is_known() ? scaled(in.shape(0), a, true) : in.shape(0)));
      })
      .gradient([](Gradient& g, const Turned& a) {
        g.dx(0, g.call("spread_pixels", {g.dy()}, {{"last", a.last}}));
      })
      .kernel("pixels", kernel<true>)
      .sample({{2, 4, 6}});

  op.attributes<Turned>("spread_pixels(x, last=False, name='')")
      .doc("Each pixel of an image four times.")
      .traits(CANTIK_ROW_WISE)
      .images(images)
      .type([](Infer& in, const Turned& a) {
        want_image(in.shape(0));
        in.set(in.like(0, in.shape(0).is_known() ? scaled(in.shape(0), a, false) : in.shape(0)));
      })
      .gradient(
          [](Gradient& g, const Turned& a) { g.dx(0, g.call("sum_pool", {g.dy()}, {{"last", a.last}})); })
      .kernel("pixels", kernel<false>)
      .sample({{2, 2, 3}});
}
