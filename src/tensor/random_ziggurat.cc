// The steps of the ziggurat method that one word does not decide: the slopes beside the layers, and the tail.
#include "tensor/random_vector.h"

#include "tensor/random_ziggurat.h"

#include <cmath>

namespace cantik {
namespace {

double draw_exponential(Mt19937_64& engine) { return -std::log(1 - draw_fraction(engine)); }

// Beyond the start of the tail: an exponential step whose rate is the slope there, kept with probability
// exp(-x^2 / 2).
double draw_tail(double start, Mt19937_64& engine) {
  for (;;) {
    double x = draw_exponential(engine) / start;
    double y = draw_exponential(engine);
    if (2 * y > x * x) return start + x;
  }
}

}  // namespace

double normal_slowly(uint64_t word, Mt19937_64& engine) {
  const Ziggurat& z = normal_ziggurat();
  for (;; word = engine()) {
    bool decided;
    double x = normal_candidate(z, word, decided);
    if (decided) return x;
    uint64_t layer = (word >> 1) & 127;
    if (layer == 0) return with_sign_of(draw_tail(z.x[1], engine), word);
    double y = z.y[layer] + draw_fraction(engine) * (z.y[layer + 1] - z.y[layer]);
    if (y < std::exp(-(x * x / 2))) return x;
  }
}

}  // namespace cantik
