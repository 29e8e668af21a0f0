// w = w - rate g
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learners/builtin.h"

namespace cantik {
namespace {

class Sgd final : public BuiltinLearner {
 public:
  Sgd(std::vector<Variable> parameters, TrainingParameterSchedule rate, LearnerOptions options)
      : BuiltinLearner(std::move(parameters), std::move(rate), std::move(options),
                       {.states = 0, .rates = 1, .few_rows = FewRows::all}) {}

 private:
  // As a graph of a user's computes it: the product is rounded by itself.
  std::string name() const override { return "sgd"; }
  void trace(Element& e) const override { e.w = e.w - e.rate[0] * e.g; }
  void rates(std::span<double> r, int64_t samples) override { r[0] = rate_for(samples); }
};

}  // namespace

LearnerPtr sgd(std::vector<Variable> parameters, TrainingParameterSchedule rate, LearnerOptions options) {
  return std::make_shared<Sgd>(std::move(parameters), std::move(rate), std::move(options));
}

}  // namespace cantik
