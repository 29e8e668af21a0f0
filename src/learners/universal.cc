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

// What the graph assigns, inside blocks too, in one order for all graphs that are made alike.
void add_assigned(const Function& f, std::vector<Variable>& found) {
  preorder(f.node(), [&](const std::shared_ptr<Node>& n) {
    if (n->block) add_assigned(n->block->composite(), found);
    if (!n->op || !n->op->has(CANTIK_EFFECT)) return false;
    if (Variable target = computed(n->inputs[0]);
        std::find(found.begin(), found.end(), target) == found.end())
      found.push_back(std::move(target));
    return false;
  });
}

constexpr const char* kKept = "assigned_values";

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
  add_assigned(update_, kept_);
  std::erase_if(kept_, [&](const Variable& v) {
    return std::find(parameters().begin(), parameters().end(), v) != parameters().end();
  });
}

Dictionary UniversalLearner::state() const {
  Dictionary d = Learner::state();
  if (kept_.empty()) return d;
  DictionaryVector values;
  for (const Variable& v : kept_) values.push_back(v.value().clone());
  d[kKept] = std::move(values);
  return d;
}

// CNTK's checkpoints have no such values: what the graph keeps stays as it is.
void UniversalLearner::restore(const Dictionary& d) {
  const DictionaryValue* entry = d.find(kKept);
  std::vector<const Tensor*> values;
  if (entry) {
    const auto& list = entry->as<DictionaryVector>();
    if (list.size() != kept_.size())
      throw runtime_error(cat("the checkpoint has ", list.size(), " values that an update assigns, but the ",
                              "learner's update assigns ", kept_.size(), " beside its parameters"))
          .remedy("restore into a learner with the same update");
    for (size_t i = 0; i < list.size(); ++i) {
      const auto& t = list[i].as<Tensor>();
      if (t.shape() != kept_[i].shape() || t.dtype() != kept_[i].dtype())
        throw runtime_error(cat("the checkpoint's value of ", kept_[i].text(), " is ", name_of(t.dtype()),
                                t.shape().text(), ", but the update assigns ", name_of(kept_[i].dtype()),
                                kept_[i].shape().text()))
            .remedy("restore into a learner with the same update");
      values.push_back(&t);
    }
  }
  Learner::restore(d);
  for (size_t i = 0; i < values.size(); ++i) kept_[i].set_value(*values[i]);
}

void UniversalLearner::has_run(const Progress& progress) {
  report_rate();
  count(progress);
}

bool UniversalLearner::update(std::span<ParameterGradient> gradients, const Progress& progress) {
  report_rate();
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
