// y = the elements of a vector from `begin` on, `count` of them.
//
// Operators that say that one side is a part of the other. In a loop the part is read where it lies, and the
// gradients of parts that fill the vector are put side by side instead of being added.
#include <algorithm>
#include <string>

#include <cantik/op.h>
using namespace cantik;

namespace {

struct Stretch {
  int64_t begin = 0, count = 1;
  static constexpr auto fields() {
    return list(field("begin", &Stretch::begin, "the first element"),
                field("count", &Stretch::count, "how many elements"));
  }
};

constexpr auto part = [](RowPart& p, const Stretch& a) { p.along(0, a.begin); };

// Whether the attributes can be those of a part of this vector.
void check(const Shape& whole, const Stretch& a) {
  const bool fits = a.begin >= 0 && a.count >= 0 && whole.is_static() && whole.rank() == 1 &&
                    a.count <= whole[0] && a.begin <= whole[0] - a.count;
  if (!fits && whole.is_static())
    throw shape_failure("an operand of the shape " + whole.text() + " has no elements from " +
                        std::to_string(a.begin) + " to " + std::to_string(a.begin) + " + " +
                        std::to_string(a.count));
}

template <class T>
struct Take final : Kernel {
  int64_t begin, count;
  explicit Take(const Stretch& a) : begin(a.begin), count(a.count) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      std::copy_n(r.row<T>(0, row) + begin, count, r.result<T>(0, row));
  }
};

template <class T>
struct Put final : Kernel {
  int64_t begin, count, width;
  Put(const Stretch& a, int64_t width) : begin(a.begin), count(a.count), width(width) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      std::fill_n(r.result<T>(0, row), width, T(0));
      std::copy_n(r.row<T>(0, row), count, r.result<T>(0, row) + begin);
    }
  }
};

}  // namespace

CANTIK_OP(stretch) {
  op.attributes<Stretch>("stretch(x, begin=0, count=1, name='')")
      .doc("The elements of the vector x from `begin` on, `count` of them.")
      .traits(CANTIK_ROW_WISE | CANTIK_ANY_STRIDE)
      .takes_part(part)
      .type([](Infer& in, const Stretch& a) {
        check(in.shape(0), a);
        in.set(in.like(0, in.shape(0).is_static() ? Shape{a.count} : in.shape(0)));
      })
      .gradient([](Gradient& g, const Stretch& a) {
        g.dx(0,
             g.call_like("stretch_gradient", {g.dy()}, {g.x()}, {{"begin", a.begin}, {"count", a.count}})[0]);
      })
      .kernel("copy", [](const Prepare& p, const Stretch& a) { return of_type<Take>(p.dtype(), a); })
      .sample({{5}}, {.begin = 1, .count = 3});

  op.attributes<Stretch>("stretch_gradient(dy, begin=0, count=1)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .puts_part(part)
      .kernel("copy", [](const Prepare& p, const Stretch& a) {
        return of_type<Put>(p.dtype(), a, p.out().shape.elements());
      });
}
