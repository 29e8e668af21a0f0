// y = x P(X <= x) for a standard normal X: (1 + erf(x / sqrt 2)) / 2 of x (Hendrycks, Gimpel 2016).
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(gelu) {
  op.signature("gelu(x, name='')")
      .doc("x times the probability that a standard normal number is at most x (Hendrycks and Gimpel 2016).")
      .expression([](Real x) { return 0.5 * x * (1 + erf(x * 0.7071067811865476)); })
      .composite([](Builder& b) {
        Term x = b.x();
        b.result(b.constant(0.5, x) * x *
                 (b.constant(1, x) + b.call("erf", {x * b.constant(0.7071067811865476, x)})));
      })
      .cntk_block("Gelu")
      .sample({{2, 3}});
}
