// y = x / sqrt(mean(x²) + epsilon), along the last axis.  B. Zhang, R. Sennrich, Root mean square layer
// normalization, 2019.
//
// With a loop of vectors, compiled for several instruction sets; the result may take the operand's memory.
#include <cantik/op.h>

#include <cmath>
#include <cstring>
using namespace cantik;

namespace {

struct RmsNorm {
  double epsilon = 1e-5;
  static constexpr auto fields() { return list(field("epsilon", &RmsNorm::epsilon, "keeps away from zero")); }
};

// x, y: [n], the same or apart. Sums in 64 bytes of lanes, whatever the processor has.
template <class T>
[[gnu::always_inline]] inline void normalize(const T* x, T* y, int64_t n, T epsilon) {
  typedef T Lanes __attribute__((vector_size(64)));
  constexpr int64_t kLanes = 64 / sizeof(T);
  Lanes squares{}, v;
  int64_t whole = n / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    std::memcpy(&v, x + i, sizeof v);
    squares += v * v;
  }
  T sum = 0;
  for (int64_t i = 0; i < kLanes; ++i) sum += squares[i];
  for (int64_t i = whole; i < n; ++i) sum += x[i] * x[i];
  T scale = 1 / std::sqrt(sum / static_cast<T>(n) + epsilon);
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * scale;
}

// The loader picks one, in a program linked with this file before a sanitizer is ready for it: then there is
// the plain one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FOR_EACH_INSTRUCTION_SET
#else
#define FOR_EACH_INSTRUCTION_SET __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
FOR_EACH_INSTRUCTION_SET void line(const float* x, float* y, int64_t n, float epsilon) {
  normalize(x, y, n, epsilon);
}
FOR_EACH_INSTRUCTION_SET void line(const double* x, double* y, int64_t n, double epsilon) {
  normalize(x, y, n, epsilon);
}

template <class T>
struct Lines final : Kernel {
  int64_t lines, columns;  // of a sample
  T epsilon;
  Lines(const Shape& shape, double epsilon)
      : lines(shape.elements() / std::max<int64_t>(shape.back(), 1)),
        columns(shape.back()),
        epsilon(static_cast<T>(epsilon)) {}

  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t i = 0; i < lines; ++i)
        line(r.row<T>(0, row) + i * columns, r.result<T>(0, row) + i * columns, columns, epsilon);
  }
};

}  // namespace

CANTIK_OP(rms_norm) {
  op.attributes<RmsNorm>("rms_norm(x, epsilon=1e-05, name='')")
      .doc("x divided by the root of the mean of its squares, along the last axis.")
      .traits(CANTIK_ROW_WISE | CANTIK_IN_PLACE)
      .type([](Infer& in, const RmsNorm&) {
        Shape x = in.shape(0);
        if (x.is_known() && x.rank() == 0)
          throw shape_failure("a number by itself has no axis to normalize along",
                              "give an operand of at least one axis");
        in.set(in.like(0, x));
      })
      .gradient([](Gradient& g, const RmsNorm& a) {  // dx = (dy - y mean(y dy)) / sqrt(mean(x²) + epsilon)
        Term x = g.x(), y = g.y(), dy = g.dy();
        Term squares = g.call("reduce_mean", {x * x}, {{"axis", -1}}),
             along = g.call("reduce_mean", {y * dy}, {{"axis", -1}});
        g.dx(0, g.map({dy, y, along, squares}, [epsilon = a.epsilon](Real d, Real v, Real m, Real s) {
          return (d - v * m) / sqrt(s + epsilon);
        }));
      })
      .kernel("lines",
              [](const Prepare& p, const RmsNorm& a) -> std::unique_ptr<Kernel> {
                return of_type<Lines>(p.dtype(), p.in(0).shape, a.epsilon);
              })
      .sample({{2, 37}})
      .sample({{3}}, {.epsilon = 0.1});
}
