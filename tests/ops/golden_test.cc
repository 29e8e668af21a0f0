// Every operator against CNTK 2.7: golden/ops_golden.txt holds its results and gradients in float32 and float64.
#include <gtest/gtest.h>

#include <cantik/error.h>

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

// float64: relative to the number itself, or to a tenth of the largest one, since sums cancel. float32: relative to the largest one.
std::string difference(const Result& want, const Result& have, double tolerance) {
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
  for (DType dtype : {DType::float32, DType::float64}) {
    bool single = dtype == DType::float32;
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
      std::string d = difference(it->second, r, single ? (g.c.rough ? 1e-5 : 1e-6) : 1e-12);
      if (g.c.differs.find(r.name) != std::string::npos) {
        EXPECT_FALSE(d.empty()) << g.c.line << "\nno longer differs";
        continue;
      }
      EXPECT_TRUE(d.empty()) << g.c.line << "\n" << text << " " << r.name << ": " << d << "\nreplay: ops_tests --gtest_filter='*agrees_with_cntk/" << g.c.name << "'";
    }
  }
}

std::string name_of_case(const ::testing::TestParamInfo<size_t>& p) { return goldens()[p.param].c.name; }
INSTANTIATE_TEST_SUITE_P(Cntk, GoldenCase, ::testing::Range<size_t>(0, goldens().size()), name_of_case);

}  // namespace
