#include "learners/universal.h"

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "graph/node.h"

namespace cantik {
namespace {

// The function's inputs, parameters and constants.
std::unordered_set<Variable> leaves_of(const Function& f) {
  std::unordered_set<Variable> leaves;
  for (const std::vector<Variable>& list : {f.arguments(), f.parameters(), f.constants()})
    leaves.insert(list.begin(), list.end());
  return leaves;
}

}  // namespace

UniversalLearner::UniversalLearner(std::vector<Variable> list, std::vector<Variable> gradients,
                                   const Function& update)
    : Learner(std::move(list), TrainingParameterSchedule(1.0)), gradients_(std::move(gradients)) {
  if (!update) throw value_error("the update function of a universal learner returned nothing");
  update_ = update.as_composite();
  if (gradients_.size() != parameters().size())
    throw value_error(cat("the universal learner has ", parameters().size(), " parameters, but was given ",
                          gradients_.size(), " variables for their gradients"));
  for (size_t i = 0; i < gradients_.size(); ++i) {
    const Variable &g = gradients_[i], &p = parameters()[i];
    if (!(g.is_input() || g.is_constant()) || !g.axes().is_known() || !g.axes().empty() ||
        !(g.shape() == p.shape()) || g.dtype() != p.dtype())
      throw value_error(cat(g.text(), " cannot stand for the gradient of ", p.text()))
          .remedy("give an input without dynamic axes, of the parameter's shape and element type");
  }
  for (const Variable& v : update_.arguments())
    if (std::find(gradients_.begin(), gradients_.end(), v) == gradients_.end())
      throw value_error("the update of a universal learner reads the input " + v.text() +
                        ", which does not stand for a gradient")
          .remedy("read only the parameters and gradients that the update function is called with");
  const std::unordered_set<Variable> read = leaves_of(update_);
  for (const Variable& p : parameters())
    if (!read.count(p))
      throw runtime_error("Update function does not contain the parameter " + p.text() +
                          " in its computation")
          .remedy("update each parameter, or give the learner only those that it updates");
  for (Variable& g : gradients_)
    if (!read.count(g)) g = Variable();
}

bool UniversalLearner::update(std::span<ParameterGradient> gradients, const Progress& progress) {
  Feeds feeds;
  for (size_t i = 0; i < gradients_.size(); ++i) {
    if (!gradients_[i]) continue;
    Tensor g = gradients[i].value.to_dense();
    if (gradients_[i].is_constant())
      gradients_[i].set_value(g);
    else
      feeds.emplace_back(gradients_[i], Value(std::move(g), nullptr));
  }
  update_.eval(feeds, update_.outputs(), {.threads = progress.threads});
  return true;
}

LearnerPtr universal(std::vector<Variable> parameters, std::vector<Variable> gradients,
                     const Function& update) {
  return std::make_shared<UniversalLearner>(std::move(parameters), std::move(gradients), update);
}

LearnerPtr universal(const UpdateGraph& make, std::vector<Variable> parameters) {
  if (!make) throw value_error("a universal learner needs a function that makes its update");
  std::vector<Variable> gradients;
  for (const Variable& p : parameters) {
    // says what is wrong
    if (!p.is_parameter() || !p.shape().is_static()) return universal(parameters, parameters, Function());
    gradients.push_back(input(p.shape(), {.dtype = p.dtype(),
                                          .axes = Axes(),
                                          .name = p.name().empty() ? "gradient" : p.name() + ".gradient"}));
  }
  return universal(parameters, gradients, make(parameters, gradients));
}

}  // namespace cantik
