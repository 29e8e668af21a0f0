// The layers of the ziggurat. The tables must be right to the last bit, so they are computed with twice the
// digits of a double.
#include "tensor/random_vector.h"

#include "tensor/random_ziggurat.h"

#include <cmath>

namespace cantik {
namespace {

// The unevaluated sum hi + lo, about 32 digits (T. J. Dekker, A floating-point technique for extending the
// available precision, 1971).
struct Wide {
  double hi = 0, lo = 0;
  Wide(double x) : hi(x) {}
  Wide(double a, double b) : hi(a + b), lo(b - (hi - a)) {}  // |a| >= |b|
};

Wide operator+(Wide a, Wide b) {
  double sum = a.hi + b.hi, part = sum - a.hi;
  double error = (a.hi - (sum - part)) + (b.hi - part);
  return {sum, error + a.lo + b.lo};
}
Wide operator-(Wide a) {
  a.hi = -a.hi;
  a.lo = -a.lo;
  return a;
}
Wide operator-(Wide a, Wide b) { return a + -b; }
Wide operator*(Wide a, Wide b) {
  double product = a.hi * b.hi;
  return {product, std::fma(a.hi, b.hi, -product) + (a.hi * b.lo + a.lo * b.hi)};
}
Wide operator/(Wide a, Wide b) {
  Wide first = a.hi / b.hi;
  Wide rest = a - first * b;
  Wide second = rest.hi / b.hi;
  rest = rest - second * b;
  return first + second + Wide(rest.hi / b.hi);
}
Wide sqrt(Wide a) {
  Wide root = std::sqrt(a.hi);
  return root + (a - root * root) / (Wide(2) * root);
}
Wide exp(Wide a) {
  Wide small = a * Wide(0x1p-9), sum = 1, term = 1;
  for (int i = 1; i < 20; ++i) sum = sum + (term = term * small / Wide(i));
  for (int i = 0; i < 9; ++i) sum = sum * sum;
  return sum;
}
// One Newton step doubles the digits of a first guess.
Wide log(Wide a) {
  Wide guess = std::log(a.hi);
  return guess + (a * exp(-guess) - Wide(1));
}

Wide density(Wide x) { return exp(-(x * x * Wide(0.5))); }

// The area beyond x: f(x) over Laplace's continued fraction x + 1 / (x + 2 / (x + 3 / ...)).
Wide area_beyond(Wide x) {
  Wide t = x;
  for (int i = 200; i > 0; --i) t = x + Wide(i) / t;
  return density(x) / t;
}

// Builds the layers upwards from where the tail starts; returns by how much the last one misses the top of f.
Wide build(Wide start, Ziggurat& z) {
  constexpr int kLayers = Ziggurat::kLayers;
  Wide x = start, y = density(start), area = x * y + area_beyond(start);
  z.x[0] = (area / y).hi;
  z.y[0] = 0;
  for (int i = 1; i < kLayers; ++i) {
    z.x[i] = x.hi;
    z.y[i] = y.hi;
    y = y + area / x;
    if (i + 1 < kLayers) x = sqrt(Wide(-2) * log(y));
  }
  z.x[kLayers] = 0;
  z.y[kLayers] = 1;
  return y - Wide(1);
}

// The start of the tail that makes the last layer meet the top, by the secant method from the published 12
// digits.
Ziggurat solve() {
  Ziggurat z;
  double published = 3.442619855899;
  Wide a = published - 1e-9, b = published + 1e-9, missed = build(a, z);
  for (int i = 0; i < 6 && std::abs((b - a).hi) > 1e-28; ++i) {
    Wide now = build(b, z), next = b - now * (b - a) / (now - missed);
    a = b;
    b = next;
    missed = now;
  }
  build(b, z);
  return z;
}

}  // namespace

const Ziggurat& normal_ziggurat() {
  static const Ziggurat z = solve();
  return z;
}

}  // namespace cantik
