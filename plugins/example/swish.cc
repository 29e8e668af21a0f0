// y = x sigmoid(beta x).  P. Ramachandran, B. Zoph, Q. V. Le, Searching for activation functions, 2017.
//
// Elementwise: the formula is all there is to say. Cantik takes its gradient and fuses it with its
// neighbours.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct Swish {
  Real beta = 1;
  static constexpr auto fields() { return list(field("beta", &Swish::beta, "steepness of the gate")); }
};
}  // namespace

CANTIK_OP(swish) {
  op.attributes<Swish>("swish(x, beta=1.0, name='')")
      .doc("x * sigmoid(beta * x)")
      .expression([](Real x, const Swish& a) { return x / (1 + exp(-a.beta * x)); })
      .sample({{2, 3}}, {.beta = 1.5});
}
