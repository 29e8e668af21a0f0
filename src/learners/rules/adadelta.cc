// a = rho a + (1 - rho) g²
// d = g sqrt(x + epsilon) / sqrt(a + epsilon)
// x = rho x + (1 - rho) d²
// w = w - rate d
//
// M. Zeiler, ADADELTA: an adaptive learning rate method, arXiv:1212.5701.
#include <span>
#include <string>

#include "learners/builtin.h"

namespace cantik {
namespace {

class AdaDelta final : public BuiltinLearner {
 public:
  struct Options {
    double rho = 0.95;
    double epsilon = 1e-8;

    static constexpr auto fields() {
      return list(option("rho", &Options::rho, "how slowly averages forget"),
                  option("epsilon", &Options::epsilon, "added under the roots"));
    }
  };

  AdaDelta(LearnerArguments a, const Options& o)
      : BuiltinLearner(std::move(a), {.states = 2,
                                      .rates = 3,
                                      .form = StateForm::stacked,
                                      .idle_decay = o.rho,
                                      .sparse_gradients = SparseGradients::products}),
        options_(o) {}

 private:
  std::string name() const override { return "adadelta"; }
  void trace(Element& e) const override {
    Real rate = e.rate[0], rho = e.rate[1], epsilon = e.rate[2];
    e.state[0] = rho * e.state[0] + (1 - rho) * (e.g * e.g);
    Real d = e.g * (sqrt(e.state[1] + epsilon) / sqrt(e.state[0] + epsilon));
    e.state[1] = rho * e.state[1] + (1 - rho) * (d * d);
    e.w = -rate * d + e.w;
  }
  void rates(std::span<double> r, int64_t samples) override {
    r[0] = rate_for(samples);
    r[1] = options_.rho;
    r[2] = options_.epsilon;
  }

  Options options_;
};

}  // namespace

CANTIK_LEARNER(adadelta) {
  learner.is<AdaDelta>()
      .doc("AdaDelta: steps as large as the steps before them (Zeiler 2012).")
      .rate_meaning(RateMeaning::adaptive)
      .rate({1.0, 1})
      .example("1, use_mean_gradient=True");
}

}  // namespace cantik
