// w = w - rate g
#include <span>
#include <string>

#include "learners/builtin.h"

namespace cantik {
namespace {

class Sgd final : public BuiltinLearner {
 public:
  using Options = NoOptions;

  Sgd(LearnerArguments a, const Options&)
      : BuiltinLearner(std::move(a), {.states = 0, .rates = 1, .sparse_gradients = SparseGradients::all}) {}

 private:
  // As a graph of a user's computes it: the product is rounded by itself.
  std::string name() const override { return "sgd"; }
  void trace(Element& e) const override { e.w = e.w - e.rate[0] * e.g; }
  void rates(std::span<double> r, int64_t samples) override { r[0] = rate_for(samples); }
};

}  // namespace

CANTIK_LEARNER(sgd) { learner.is<Sgd>().doc("Stochastic gradient descent: w -= rate * g.").example("0.1"); }

}  // namespace cantik
