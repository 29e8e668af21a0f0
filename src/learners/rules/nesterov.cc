// s = momentum s + gain rate g;  w = w - momentum s - gain rate g: the step looks one momentum step ahead.
//
// Y. Nesterov, A method of solving a convex programming problem with convergence rate O(1/k^2), 1983.
#include <span>
#include <string>

#include "learners/momentum.h"

namespace cantik {
namespace {

class Nesterov final : public MomentumLearner {
 public:
  using Options = MomentumOptions;

  Nesterov(LearnerArguments a, const Options& o)
      : MomentumLearner(std::move(a), o.momentum, o.unit_gain,
                        {.states = 1,
                         .rates = 2,
                         .form = StateForm::like_parameter,
                         .sparse_gradients = SparseGradients::products}) {}

 private:
  std::string name() const override { return "nesterov"; }
  void trace(Element& e) const override {
    Real rate = e.rate[0], momentum = e.rate[1];
    Real step = gain(momentum) * rate * e.g;
    e.state[0] = momentum * e.state[0] + step;
    e.w = -momentum * e.state[0] + e.w - step;
  }
  void rates(std::span<double> r, int64_t samples) override {
    r[0] = rate_for(samples);
    r[1] = momentum_for(samples);
  }
};

}  // namespace

CANTIK_LEARNER(nesterov) {
  learner.is<Nesterov>()
      .doc("Nesterov's accelerated gradient: momentum, with a look ahead along it (Sutskever et al. 2013).")
      .example("0.1, 0.9");
}

}  // namespace cantik
