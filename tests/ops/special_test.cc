// Numbers that are none (NaN), infinite, negative zeros and denormals through every operator, against
// CNTK 2.7: golden/special_golden.txt. The figures are rounded; what counts is where a result is finite,
// infinite or no number.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "goldens.h"

using namespace cantik;
using namespace cantik::testing;

namespace {

constexpr double kTolerance = 1e-3;
constexpr double kSmallest = 1e-37;  // runs flush denormals

bool same(double want, double have, double most) {
  if (std::isnan(want) || std::isnan(have)) return std::isnan(want) && std::isnan(have);
  return want == have ||
         std::fabs(want - have) <= kTolerance * std::max(std::fabs(want), 1e-2 * most) + kSmallest;
}

std::string special_difference(const Golden&, DType, const Result& want, const Result& have) {
  if (want.shape != have.shape) return "shape " + have.shape.text() + ", CNTK's is " + want.shape.text();
  double most = 0;
  for (double x : want.numbers)
    if (std::isfinite(x) && std::fabs(x) < 1e30) most = std::max(most, std::fabs(x));
  std::ostringstream s;
  int count = 0;
  for (size_t i = 0; i < want.numbers.size(); ++i)
    if (!same(want.numbers[i], have.numbers[i], most) && ++count <= 8)
      s << " [" << i << "] " << have.numbers[i] << ", CNTK's is " << want.numbers[i] << ";";
  return s.str();
}

// By all threads and instruction sets: CMakeLists.txt runs this with CANTIK_ISA.
TEST(SpecialNumbers, AreWhatCntkMakesOfThem) {
  for (const Golden& g : read_goldens(CANTIK_TESTS "/golden/special_golden.txt"))
    expect_what_cntk_makes(g, special_difference);
}

}  // namespace
