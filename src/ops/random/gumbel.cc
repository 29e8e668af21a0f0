// Random numbers of a Gumbel distribution, loc - scale log(-log u).
#include "ops/random/distribution.h"

using namespace cantik;

CANTIK_OP(gumbel) {
  op.attributes<randoms::LocScale>(
        "gumbel(shape, dtype=default_override_or(np.float32), loc=0.0, scale=1.0, seed=auto_select, name='')")
      .doc("Random numbers of a Gumbel distribution, loc - scale log(-log u), new ones in each run.")
      .inputs(0)
      .traits(CANTIK_SPELLED_OUT)
      .composite(
          [](Builder& b, const randoms::LocScale& a) { randoms::draw(b, a, "gumbel", {a.loc, a.scale}); })
      .named("python.module", "cntk.random");

  op.attributes<randoms::LocScale>("gumbel_like(x, loc=0.0, scale=1.0, seed=auto_select, name='')")
      .doc(
          "Random numbers of a Gumbel distribution, loc - scale log(-log u), in the shape of x, new ones in "
          "each run.")
      .traits(CANTIK_SPELLED_OUT)
      .composite(
          [](Builder& b, const randoms::LocScale& a) { randoms::draw(b, a, "gumbel", {a.loc, a.scale}); })
      .named("python.module", "cntk.random")
      .sample({{2, 3}}, {.seed = 7});
}
