// y = (x - mean) * inv_stddev, element by element.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(per_dim_mean_variance_normalize) {
  op.signature("per_dim_mean_variance_normalize(operand, mean, inv_stddev, name='')")
      .named("arrays", "widest")
      .doc("(x - mean) * inv_stddev, element by element; the operands broadcast.")
      .expression([](Real x, Real mean, Real inverse) { return (x - mean) * inverse; })
      .cntk_block("PerDimMeanVarianceNormalize")
      .sample({{3}, {3}, {3}});
}
