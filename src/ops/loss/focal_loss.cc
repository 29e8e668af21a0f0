// loss = -(1 - p)^gamma log p, where p = softmax(scores) of the right class (Lin et al. 2017).
#include <cmath>
#include <string>

#include <cantik/op.h>
using namespace cantik;

namespace {
struct Focal {
  double gamma = 2;
  static constexpr auto fields() {
    return list(
        field("gamma", &Focal::gamma, "how much less counts what is right already; 0: cross entropy"));
  }
};
}  // namespace

CANTIK_OP(focal_loss) {
  op.attributes<Focal>("focal_loss(scores, target, gamma=2.0, name='')")
      .named("arrays", "widest")
      .doc(
          "-(1 - p)^gamma log p, where p is what softmax(scores) gives the right class (Lin et al. 2017). "
          "scores: numbers of any size, no probabilities; target: one-hot vectors, which may be sparse.")
      .traits(CANTIK_TAKES_SPARSE)
      .composite([](Builder& b, const Focal& a) {
        if (!(a.gamma >= 0) || std::isinf(a.gamma))
          throw Failure(CANTIK_VALUE,
                        "gamma must be a number of at least 0, and is " + std::to_string(a.gamma));
        Term loss = b.call("cross_entropy_with_softmax", {b.x(0), b.x(1)});
        // rounding may leave 1 - p below 0
        Term wrong = b.call("relu", {b.constant(1, loss) - b.call("exp", {-loss})});
        b.result(b.call("pow", {wrong, b.constant(a.gamma, loss)}) * loss);
      })
      .sample_between(0.1, 0.9, {{3}, {3}})
      .sample_between(0.1, 0.9, {{3}, {3}}, {.gamma = 1.5});
}
