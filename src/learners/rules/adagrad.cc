// a = a + g²;  w = w - rate g / sqrt(a + 1e-16), divided by the mean of 1 / sqrt(a + 1e-16) over the
// parameter if wanted.
//
// J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods, JMLR 12 (2011).
#include <span>
#include <string>

#include "learners/builtin.h"

namespace cantik {
namespace {

class AdaGrad final : public BuiltinLearner {
 public:
  struct Options {
    bool need_ave_multiplier = true;

    static constexpr auto fields() {
      return list(option("need_ave_multiplier", &Options::need_ave_multiplier,
                         "steps are scaled to the average of the factors"));
    }
  };

  AdaGrad(LearnerArguments a, const Options& o)
      : BuiltinLearner(std::move(a), {.states = 1,
                                      .rates = 1,
                                      .form = StateForm::like_parameter,
                                      .averages = o.need_ave_multiplier,
                                      .sparse_gradients = SparseGradients::products}) {}

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

CANTIK_LEARNER(adagrad) {
  learner.is<AdaGrad>()
      .doc("AdaGrad: rates fall with the sum of squared gradients (Duchi et al. 2011).")
      .rate_meaning(RateMeaning::scaled)
      .example("0.1");
}

}  // namespace cantik
