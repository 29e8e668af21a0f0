// Random numbers of a normal distribution.
#include "ops/random/distribution.h"

using namespace cantik;

CANTIK_OP(normal) {
  op.attributes<randoms::MeanScale>(
        "normal(shape, dtype=default_override_or(np.float32), mean=0.0, scale=1.0, seed=auto_select, "
        "name='')")
      .doc("Random numbers of a normal distribution, new ones in each run.")
      .inputs(0)
      .traits(CANTIK_SPELLED_OUT)
      .composite(
          [](Builder& b, const randoms::MeanScale& a) { randoms::draw(b, a, "normal", {a.mean, a.scale}); })
      .named("python.module", "cntk.random");

  op.attributes<randoms::MeanScale>("normal_like(x, mean=0.0, scale=1.0, seed=auto_select, name='')")
      .doc("Random numbers of a normal distribution, in the shape of x, new ones in each run.")
      .traits(CANTIK_SPELLED_OUT)
      .composite(
          [](Builder& b, const randoms::MeanScale& a) { randoms::draw(b, a, "normal", {a.mean, a.scale}); })
      .named("python.module", "cntk.random")
      .sample({{2, 3}}, {.seed = 7});
}
