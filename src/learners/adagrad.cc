// a = a + g²;  w = w - rate g / sqrt(a + 1e-16), divided by the mean of 1 / sqrt(a + 1e-16) over the
// parameter if wanted.
//
// J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods, JMLR 12 (2011).
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learners/builtin.h"

namespace cantik {
namespace {

class AdaGrad final : public BuiltinLearner {
 public:
  AdaGrad(std::vector<Variable> parameters, TrainingParameterSchedule rate, bool need_ave_multiplier,
          LearnerOptions options)
      : BuiltinLearner(std::move(parameters), std::move(rate), std::move(options),
                       {.states = 1,
                        .rates = 1,
                        .form = StateForm::like_parameter,
                        .averages = need_ave_multiplier,
                        .few_rows = FewRows::products}) {}

 private:
  static Real root(const Element& e) { return sqrt(e.state[0] + e.g * e.g + 1e-16); }
  Real multiplier(const Element& e) const override { return 1 / root(e); }
  std::string name() const override { return "adagrad"; }
  void trace(Element& e) const override {
    e.w = e.w - e.rate[0] / e.average * (e.g / root(e));
    e.state[0] = e.state[0] + e.g * e.g;
  }
  void rates(std::span<double> r, int64_t samples) override { r[0] = rate_for(samples); }
};

}  // namespace

LearnerPtr adagrad(std::vector<Variable> parameters, TrainingParameterSchedule rate, bool need_ave_multiplier,
                   LearnerOptions options) {
  return std::make_shared<AdaGrad>(std::move(parameters), std::move(rate), need_ave_multiplier,
                                   std::move(options));
}

}  // namespace cantik
