// Every operator against CNTK 2.7: golden/ops_golden.txt holds its results and gradients in float32 and
// float64.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "goldens.h"

using namespace cantik;
using namespace cantik::testing;

namespace {

const std::vector<Golden>& goldens() {
  static const auto* list = new std::vector<Golden>(read_goldens(CANTIK_TESTS "/golden/ops_golden.txt"));
  return *list;
}

// float64: relative to the number itself, or to a tenth of the largest one, since sums cancel. float32:
// relative to the largest one.
std::string difference(const Golden& g, DType dtype, const Result& want, const Result& have) {
  const double tolerance = dtype == DType::float64 ? 1e-12 : g.c.rough ? 1e-5 : 1e-6;
  if (want.shape != have.shape) return "shape " + have.shape.text() + ", CNTK's is " + want.shape.text();
  double most = 0;
  for (double x : want.numbers)
    if (std::isfinite(x)) most = std::max(most, std::fabs(x));
  for (size_t i = 0; i < want.numbers.size(); ++i) {
    double a = want.numbers[i], b = have.numbers[i];
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b) continue;
    double scale = tolerance > 1e-9 ? most : std::max(std::fabs(a), 0.1 * most);
    if (!(std::fabs(a - b) <= tolerance * scale + 1e-37)) {
      std::ostringstream s;
      s.precision(17);
      s << "element " << i << " is " << b << ", CNTK's is " << a;
      return s.str();
    }
  }
  return "";
}

class GoldenCase : public ::testing::TestWithParam<size_t> {};

TEST_P(GoldenCase, agrees_with_cntk) {
  const Golden& g = goldens()[GetParam()];
  SCOPED_TRACE("replay: ops_tests --gtest_filter='*agrees_with_cntk/" + g.c.name + "'");
  expect_what_cntk_makes(g, difference);
}

std::string name_of_case(const ::testing::TestParamInfo<size_t>& p) { return goldens()[p.param].c.name; }
INSTANTIATE_TEST_SUITE_P(Cntk, GoldenCase, ::testing::Range<size_t>(0, goldens().size()), name_of_case);

}  // namespace
