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
        Term one = b.call("reciprocal", {b.call("sqrt", {sum(x * x)})}),
             two = b.call("reciprocal", {b.call("sqrt", {sum(y * y)})});
        b.result(sum(x * y) * one * two);
      })
      .cntk("CosDistance", 53)
      .sample({{3}, {3}});
}
