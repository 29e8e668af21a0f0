// What parameters make a distribution. The texts are CNTK's.
#include "tensor/random.h"

#include <cmath>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {

void check_uniform(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high))
    throw runtime_error(cat("UniformRandom: the range from ", low, " to ", high, " is not finite"));
  if (!(low < high))
    throw runtime_error(
        cat("UniformRandom: low end of the range (", low, ") must be < high end of the range (", high, ")"));
}
void check_normal(double deviation) {
  if (!(deviation >= 0))
    throw runtime_error(cat("NormalRandom: standard deviation (", deviation, ") must be non-negative"));
}
void check_gumbel(double scale) {
  if (!(scale >= 0)) throw runtime_error(cat("GumbelRandom: scale (", scale, ") must be non-negative"));
}
void check_bernoulli(double mean) {
  if (!(mean >= 0 && mean <= 1))
    throw runtime_error(cat("BernoulliRandom: mean (", mean, ") must be between 0 and 1"));
}
void check_dropout(double rate) {
  if (!(rate >= 0 && rate < 1)) throw value_error("dropout_rate must be in the interval [0,1)");
}

}  // namespace cantik
