// s = momentum s + gain rate g;  w = w - s. The gain is 1 - momentum, or 1 without unit gain.
//
// Rows of a gradient that has few: s = momentum s + gain g;  w = w - rate s. The numbers are the same as long
// as the rate is; it changes with the number of samples too. CNTK has both forms.
#include <limits>
#include <span>
#include <string>

#include "learners/momentum.h"

namespace cantik {
namespace {

class MomentumSgd final : public MomentumLearner {
 public:
  using Options = MomentumOptions;

  MomentumSgd(LearnerArguments a, const Options& o)
      : MomentumLearner(std::move(a), o.momentum, o.unit_gain,
                        {.states = 1,
                         .rates = 2,
                         .form = StateForm::like_parameter,
                         .sparse_gradients = SparseGradients::products}) {}

 private:
  std::string name() const override { return "momentum_sgd"; }
  void trace(Element& e) const override {
    Real rate = e.rate[0], momentum = e.rate[1];
    e.state[0] = momentum * e.state[0] + gain(momentum) * rate * e.g;
    e.w = e.w - e.state[0];
  }
  void trace_rows(Element& e) const override {
    Real rate = e.rate[0], momentum = e.rate[1];
    e.state[0] = momentum * e.state[0] + gain(momentum) * e.g;
    e.w = e.w - rate * e.state[0];
  }
  void rates(std::span<double> r, int64_t samples) override {
    r[0] = rate_for(samples);
    r[1] = momentum_for(samples);
  }
  void report_rates() override {
    BuiltinLearner::report_rates();
    report(momentum_, "Momentum", reported_);
  }

  double reported_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

CANTIK_LEARNER(momentum_sgd) {
  learner.is<MomentumSgd>()
      .doc("Momentum: v = m v + (1 - m) g, w -= rate * v; without unit gain v = m v + g.")
      .example("0.1, 0.9");
}

}  // namespace cantik
