// Random numbers that are 1 with the probability mean, else 0.
#include "ops/random/distribution.h"

using namespace cantik;

CANTIK_OP(bernoulli) {
  op.attributes<randoms::Mean>(
        "bernoulli(shape, dtype=default_override_or(np.float32), mean=0.5, seed=auto_select, name='')")
      .doc("Random numbers that are 1 with the probability mean, else 0, new ones in each run.")
      .inputs(0)
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const randoms::Mean& a) { randoms::draw(b, a, "bernoulli", {a.mean}); })
      .named("python.module", "cntk.random");

  op.attributes<randoms::Mean>("bernoulli_like(x, mean=0.5, seed=auto_select, name='')")
      .doc(
          "Random numbers that are 1 with the probability mean, else 0, in the shape of x, new ones in each "
          "run.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const randoms::Mean& a) { randoms::draw(b, a, "bernoulli", {a.mean}); })
      .named("python.module", "cntk.random")
      .sample({{2, 3}}, {.seed = 7});
}
