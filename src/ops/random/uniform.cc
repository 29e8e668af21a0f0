// Random numbers between low and high.
#include "ops/random/distribution.h"

using namespace cantik;

CANTIK_OP(uniform) {
  op.attributes<randoms::Range>(
        "uniform(shape, dtype=default_override_or(np.float32), low=0.0, high=1.0, seed=auto_select, name='')")
      .doc("Random numbers between low and high, new ones in each run.")
      .inputs(0)
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const randoms::Range& a) { randoms::draw(b, a, "uniform", {a.low, a.high}); })
      .named("python.module", "cntk.random");

  op.attributes<randoms::Range>("uniform_like(x, low=0.0, high=1.0, seed=auto_select, name='')")
      .doc("Random numbers between low and high, in the shape of x, new ones in each run.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const randoms::Range& a) { randoms::draw(b, a, "uniform", {a.low, a.high}); })
      .named("python.module", "cntk.random")
      .sample({{2, 3}}, {.seed = 7});
}
