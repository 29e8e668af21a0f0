// y = x · t / (|x| |t|): the cosine of the angle between two vectors.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(cosine_distance) {
  op.signature("cosine_distance(x, y, name='')")
      .named("arrays", "widest")
      .doc(
          "The cosine of the angle between x and y, seen as vectors: 1 where they point the same way. 0 "
          "where one of them is 0.")
      .type([](Infer& in) {
        const Shape x = in.shape(0), y = in.shape(1);
        if (x.is_static() && y.is_static() && x.elements() != y.elements())
          throw value_failure("vectors of different sizes have no angle: " + x.text() + " and " + y.text());
        TypeView t = in.broadcast();
        if (t.shape.is_known()) t.shape = Shape();
        in.set(t);
      })
      .lower([](Builder& b) {
        auto sum = [&](Term t) {
          return b.call("reduce_elements", {t},
                        {{"axis", axis_code::kAllStatic}, {"reduction", "Sum"}, {"keepdims", false}});
        };
        Term x = b.x(0), y = b.x(1);
        if (x.shape().rank() != y.shape().rank())  // [2] and [2, 1] are the same numbers
          y = b.call("reshape", {y}, {{"shape", x.shape()}});
        Term one = b.call("reciprocal", {b.call("sqrt", {sum(x * x)})}),
             two = b.call("reciprocal", {b.call("sqrt", {sum(y * y)})});
        b.result(sum(x * y) * one * two);
      })
      .cntk("CosDistance", 53)
      .sample({{3}, {3}});
}
