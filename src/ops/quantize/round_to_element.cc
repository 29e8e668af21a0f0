// Each number as the nearest one of an element type of ONNX's; whole numbers lose the bits above its width.
#include <cmath>

#include <cantik/op.h>

#include "tensor/element_type.h"

using namespace cantik;

namespace {

using Rounding = onnx::SmallFloat::Rounding;

struct RoundToElement {
  int64_t element = onnx::kBfloat16;
  bool saturate = true;
  int64_t rounding = 0;
  static constexpr auto fields() {
    using A = RoundToElement;
    return list(field("element", &A::element, "ONNX's number of the element type"),
                field("saturate", &A::saturate,
                      "real numbers beyond the greatest one become the greatest one, else infinite"),
                field("rounding", &A::rounding, "0: to the nearest, 1: away from 0, 2: towards 0"));
  }
};

template <class T>
struct ToSmallFloat final : Kernel {
  const onnx::SmallFloat format;
  bool saturate;
  Rounding rounding;
  int64_t elements;
  ToSmallFloat(const onnx::SmallFloat& f, const RoundToElement& a, int64_t n)
      : format(f), saturate(a.saturate), rounding(static_cast<Rounding>(a.rounding)), elements(n) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      for (int64_t i = 0; i < elements; ++i)
        y[i] = static_cast<T>(format.rounded(static_cast<double>(x[i]), saturate, rounding));
    }
  }
};

// Two's complement of so many bits.
template <class T>
struct ToWhole final : Kernel {
  double range, least;
  int64_t elements;
  ToWhole(int64_t element, int64_t n)
      : range(std::ldexp(1.0, onnx::bits_of(element))),
        least(onnx::has_sign(element) ? -range / 2 : 0),
        elements(n) {}
  T wrapped(T x) const {
    const double whole = std::trunc(static_cast<double>(x));
    if (whole >= least && whole < least + range) return static_cast<T>(whole);
    if (!std::isfinite(whole)) return 0;
    double rest = std::fmod(whole, range);
    if (rest < least) rest += range;
    if (rest >= least + range) rest -= range;
    return static_cast<T>(rest);
  }
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      for (int64_t i = 0; i < elements; ++i) y[i] = wrapped(x[i]);
    }
  }
};

template <class T>
std::unique_ptr<Kernel> make(const RoundToElement& a, int64_t elements) {
  if (const onnx::SmallFloat* f = onnx::small_float(a.element))
    return std::make_unique<ToSmallFloat<T>>(*f, a, elements);
  return std::make_unique<ToWhole<T>>(a.element, elements);
}

}  // namespace

CANTIK_OP(round_to_element) {
  op.attributes<RoundToElement>("round_to_element(x, element=16, saturate=True, rounding=0, name='')")
      .doc(
          "Each number as the nearest one of an element type of ONNX's: bfloat16 (16), real numbers of 8 and "
          "4 bits (17 to 20, 23, 24), whole numbers. Whole numbers are cut off behind the point and lose the "
          "bits above the type's width. The gradient passes as it is.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const RoundToElement& a) {
        if (!onnx::small_float(a.element) && !onnx::is_whole(a.element))
          throw value_failure("there is no rounding to the element type " + std::to_string(a.element));
        if (a.rounding < 0 || a.rounding > 2)
          throw value_failure("rounding must be 0, 1 or 2, and is " + std::to_string(a.rounding));
        in.set(in.like(0, in.shape(0)));
      })
      .gradient([](Gradient& g, const RoundToElement&) { g.dx(0, g.dy()); })
      .named("test.gradient", "it passes as it is, where the function has steps")
      .onnx_write("Cast",
                  [](OnnxGraph& g, const RoundToElement& a) {
                    OnnxValue x = g.x();
                    if (onnx::is_whole(a.element) && onnx::bits_of(a.element) >= 8)
                      x = g.cast(x, OnnxGraph::kInt64);  // what lies beyond the type loses its upper bits
                    else if (a.element != onnx::kBfloat16)
                      throw Failure(CANTIK_UNSUPPORTED, "rounding to this element type cannot be written");
                    g.result(g.number(g.cast(x, a.element)));
                  })
      .kernel("each",
              [](const Prepare& p, const RoundToElement& a) -> std::unique_ptr<Kernel> {
                const int64_t n = p.out().shape.elements();
                if (p.dtype() == DType::float32) return make<float>(a, n);
                if (p.dtype() == DType::float64) return make<double>(a, n);
                throw declined("numbers of " + std::string(name_of(p.dtype())));
              })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.element = onnx::kFloat8E4M3FN, .saturate = false});
}
