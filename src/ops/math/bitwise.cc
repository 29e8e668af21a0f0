// Whole numbers as bits, in two's complement of a width.
#include <bit>
#include <cmath>
#include <cstring>

#include <cantik/op.h>

#include "tensor/element_type.h"

using namespace cantik;

namespace {

enum class Way : int64_t { bits_and, bits_or, bits_xor, left, right };

struct Bitwise {
  int64_t way = 0, element = onnx::kInt64;
  static constexpr auto fields() {
    return list(field("way", &Bitwise::way, "0: and, 1: or, 2: exclusive or, 3: shifted left, 4: right"),
                field("element", &Bitwise::element, "ONNX's number of the element type"));
  }
};

// The number of the lowest bits of v.
double narrowed(uint64_t v, int bits, bool has_sign) {
  const int rest = 64 - bits;
  if (has_sign) return static_cast<double>(static_cast<int64_t>(v << rest) >> rest);
  return static_cast<double>(v << rest >> rest);
}

uint64_t bits_of_number(double x) {
  if (!(x > -0x1p64 && x < 0x1p64)) return 0;
  return x < 0 ? static_cast<uint64_t>(static_cast<int64_t>(std::max(x, -0x1p63))) : static_cast<uint64_t>(x);
}

template <class T>
struct Bits final : Kernel {
  Way way;
  int bits;
  bool has_sign;
  int64_t elements;
  Bits(const Bitwise& a, int64_t n)
      : way(static_cast<Way>(a.way)),
        bits(onnx::bits_of(a.element)),
        has_sign(onnx::has_sign(a.element)),
        elements(n) {}
  double joined(double a, double b) const {
    const uint64_t x = bits_of_number(a), y = bits_of_number(b);
    switch (way) {
      case Way::bits_and: return narrowed(x & y, bits, has_sign);
      case Way::bits_or: return narrowed(x | y, bits, has_sign);
      case Way::bits_xor: return narrowed(x ^ y, bits, has_sign);
      case Way::left: return b < 0 || b >= bits ? 0 : narrowed(x << y, bits, has_sign);
      case Way::right:
        if (b < 0 || b >= bits) return a < 0 ? -1 : 0;
        return has_sign ? static_cast<double>(static_cast<int64_t>(x) >> y) : static_cast<double>(x >> y);
    }
    return 0;
  }
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T *x = r.row<T>(0, row), *y = r.row<T>(1, row);
      T* z = r.result<T>(0, row);
      for (int64_t i = 0; i < elements; ++i) z[i] = static_cast<T>(joined(x[i], y[i]));
    }
  }
};

struct Reinterpret {
  int64_t from = onnx::kFloat, to = onnx::kInt32;
  static constexpr auto fields() {
    return list(field("from", &Reinterpret::from, "ONNX's number of the element type"),
                field("to", &Reinterpret::to, "of the element type whose bits they are, too"));
  }
};

template <class T>
struct OtherType final : Kernel {
  Reinterpret a;
  int64_t elements;
  OtherType(const Reinterpret& a, int64_t n) : a(a), elements(n) {}
  double number(double x) const {
    const int bits = onnx::bits_of(a.from);
    uint64_t code = 0;
    if (a.from == onnx::kFloat)
      code = std::bit_cast<uint32_t>(static_cast<float>(x));
    else if (a.from == onnx::kDouble)
      code = std::bit_cast<uint64_t>(x);
    else
      code = bits_of_number(x);
    if (a.to == onnx::kFloat) return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(code)));
    if (a.to == onnx::kDouble) return std::bit_cast<double>(code);
    const double made = narrowed(code, bits, onnx::has_sign(a.to));
    if (std::fabs(made) > 0x1p53 && bits_of_number(made) != code)
      throw value_failure("the bits of " + std::to_string(x) +
                          " are a whole number beyond 2^53, which is not held exactly");
    return made;
  }
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      for (int64_t i = 0; i < elements; ++i) y[i] = static_cast<T>(number(x[i]));
    }
  }
};

// Both operands in the shape that they have together.
void read_joined(OnnxNode& n, Way way) {
  std::vector<Term> x = n.aligned({n.x(0), n.x(1)});
  const Term one = n.constant(1, x[0]);
  const Term a = n.call("element_select", {one, x[0], x[1]}), b = n.call("element_select", {one, x[1], x[0]});
  n.result(n.call("bitwise", {a, b}, {{"way", static_cast<int64_t>(way)}, {"element", n.element(n.x(0))}}));
  n.result_type(0, n.element(n.x(0)));
}

}  // namespace

CANTIK_OP(bitwise) {
  op.attributes<Bitwise>("bitwise(x, y, way=0, element=7, name='')")
      .doc("Bits of whole numbers, joined or shifted. The operands have one shape.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_NO_GRADIENT)
      .type([](Infer& in, const Bitwise& a) {
        if (a.way < 0 || a.way > 4 || !onnx::is_whole(a.element) || onnx::bits_of(a.element) < 1)
          throw value_failure("there are no bits of such numbers");
        const Shape x = in.shape(0), y = in.shape(1);
        if (x.is_known() && y.is_known() && !(x == y))
          throw shape_failure("the operands must have one shape, and have " + x.text() + " and " + y.text());
        in.set(in.join(0, 1, x.is_known() ? x : y));
      })
      .kernel("each", [](const Prepare& p,
                         const Bitwise& a) { return of_type<Bits>(p.dtype(), a, p.out().shape.elements()); })
      .onnx_read("BitwiseAnd", [](OnnxNode& n) { read_joined(n, Way::bits_and); })
      .onnx_read("BitwiseOr", [](OnnxNode& n) { read_joined(n, Way::bits_or); })
      .onnx_read("BitwiseXor", [](OnnxNode& n) { read_joined(n, Way::bits_xor); })
      .onnx_read("BitwiseNot",
                 [](OnnxNode& n) {
                   // -1 - x; of numbers without a sign: all ones less x
                   const int64_t element = n.element(n.x());
                   const double ones =
                       onnx::has_sign(element) ? -1 : std::ldexp(1.0, onnx::bits_of(element)) - 1;
                   n.result(n.constant(ones, n.x()) - n.x());
                 })
      .onnx_read(
          "BitShift",
          [](OnnxNode& n) { read_joined(n, n.text("direction", "") == "LEFT" ? Way::left : Way::right); })
      .sample_between(0, 9, {{2, 3}, {2, 3}});

  op.attributes<Reinterpret>("bit_cast(x, from=1, to=6, name='')")
      .doc("The bits of each number as those of a number of another type.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_NO_GRADIENT)
      .type([](Infer& in, const Reinterpret& a) {
        auto whole_bytes = [](int64_t element) {
          return element == onnx::kFloat || element == onnx::kDouble ||
                 (onnx::is_whole(element) && onnx::bits_of(element) >= 8);
        };
        if (!whole_bytes(a.from) || !whole_bytes(a.to) || onnx::bits_of(a.from) != onnx::bits_of(a.to))
          throw value_failure("the bits of such numbers are not those of the other type");
        in.set(in.like(0, in.shape(0)));
      })
      .kernel("each",
              [](const Prepare& p, const Reinterpret& a) {
                return of_type<OtherType>(p.dtype(), a, p.out().shape.elements());
              })
      .onnx_read("BitCast",
                 [](OnnxNode& n) {
                   const int64_t from = n.element(n.x()), to = n.integer("to");
                   Term x = n.x();
                   const DType wide = onnx::bits_of(from) >= 32 ? DType::float64 : DType::float32;
                   auto held = [&](Term t, DType dtype) {
                     return n.type(t).dtype == dtype ? t : n.call("cast", {t}, {{"dtype", dtype}});
                   };
                   x = n.call("bit_cast", {held(x, wide)}, {{"from", from}, {"to", to}});
                   n.result(held(x, onnx::holder_of(to)));
                   n.result_type(0, to);
                 })
      .sample_between(0.5, 2, {{2, 3}}, {.from = onnx::kFloat, .to = onnx::kInt32});
}
