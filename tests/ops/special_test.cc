// Numbers that are none (NaN), infinite, negative zeros and denormals through every operator, against CNTK 2.7:
// golden/special_golden.txt. The figures are rounded; what counts is where a result is finite, infinite or no number.
#include <gtest/gtest.h>

#include <cantik/error.h>

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
  return want == have || std::fabs(want - have) <= kTolerance * std::max(std::fabs(want), 1e-2 * most) + kSmallest;
}

std::string difference(const Result& want, const Result& have) {
  if (want.shape != have.shape) return "shape " + have.shape.text() + ", CNTK's is " + want.shape.text();
  double most = 0;
  for (double x : want.numbers)
    if (std::isfinite(x) && std::fabs(x) < 1e30) most = std::max(most, std::fabs(x));
  std::ostringstream s;
  int count = 0;
  for (size_t i = 0; i < want.numbers.size(); ++i)
    if (!same(want.numbers[i], have.numbers[i], most) && ++count <= 8) s << " [" << i << "] " << have.numbers[i] << ", CNTK's is " << want.numbers[i] << ";";
  return s.str();
}

// By all threads and instruction sets: CMakeLists.txt runs this with CANTIK_ISA.
TEST(SpecialNumbers, AreWhatCntkMakesOfThem) {
  for (const Golden& g : read_goldens(CANTIK_TESTS "/golden/special_golden.txt"))
    for (DType dtype : {DType::float32, DType::float64}) {
      const bool single = dtype == DType::float32;
      const char* text = single ? "f32" : "f64";
      if (g.refused.count(text)) continue;
      std::vector<Result> have;
      try {
        have = run_case(g.c, dtype, 3, {}, !g.no_gradient.count(text));
      } catch (const Error& e) {
        ADD_FAILURE() << g.c.line << "\n" << text << ": " << e.what();
        continue;
      }
      const auto& want = single ? g.f32 : g.f64;
      EXPECT_EQ(have.size(), want.size()) << g.c.line << " " << text;
      for (const Result& r : have) {
        auto it = want.find(r.name);
        if (it == want.end()) {
          ADD_FAILURE() << g.c.line << "\nCNTK has no " << r.name;
          continue;
        }
        if (g.c.differs.find(r.name) != std::string::npos) continue;  // in one element type or both
        const std::string d = difference(it->second, r);
        EXPECT_TRUE(d.empty()) << g.c.line.substr(0, 100) << "\n" << text << " " << r.name << ": " << d;
      }
    }
}

}  // namespace
