// What a built-in learner remembers, as CNTK's checkpoints have it.
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "learners/builtin_parts.h"
#include "learners/state.h"

namespace cantik {
namespace {

// A parameter as CNTK's matrix has its last axis as one dimension, all others as the second: blocks stand
// along the first.
Shape stacked_shape(const Shape& parameter, int blocks) {
  int64_t r = parameter.rank() > 0 ? parameter.back() : 1, c = 1;
  for (int i = 0; i + 1 < parameter.rank(); ++i) c *= parameter[i];
  return {blocks * c, r};
}

Error of_another_kind(const Variable& parameter, const Tensor& state, const std::string& needed) {
  return runtime_error(cat("the checkpoint's state of ", parameter.text(), " is ", name_of(state.dtype()),
                           state.shape().text(), ", but the learner needs ", needed))
      .remedy("restore into a learner of the same kind and parameters");
}

// A learner without states takes none.
void refuse_states(const Dictionary& d, std::span<const Variable> parameters) {
  const DictionaryValue* kept = d.find("smoothed_gradients");
  const DictionaryVector* list = kept ? kept->get<DictionaryVector>() : nullptr;
  for (size_t i = 0; list && i < list->size() && i < parameters.size(); ++i)
    if (const Tensor* t = (*list)[i].get<Tensor>(); t && t->shape().rank() > 0)
      throw of_another_kind(parameters[i], *t, "none");
}

}  // namespace

Shape BuiltinLearner::state_shape(const Slot& s) const {
  return traits_.form == StateForm::like_parameter ? s.value.shape()
                                                   : stacked_shape(s.value.shape(), traits_.states);
}

Dictionary BuiltinLearner::state() const {
  prepare();
  Dictionary d = Learner::state();
  if (traits_.counts) d["smoothed_count"] = smoothed_count_;
  if (traits_.form == StateForm::none) return d;
  DictionaryVector blocks;
  for (Slot& s : slots_) {
    bring_up(s);
    blocks.push_back(s.states.clone().reshape(state_shape(s)));
  }
  d["smoothed_gradients"] = std::move(blocks);
  return d;
}

void BuiltinLearner::restore(const Dictionary& d) {
  prepare();
  std::vector<const Tensor*> tensors;
  if (traits_.form == StateForm::none) refuse_states(d, parameters());
  if (traits_.form != StateForm::none) {
    const DictionaryValue& kept = d.at("smoothed_gradients");
    for (size_t i = 0; i < slots_.size(); ++i) {
      const Tensor* t = nullptr;
      if (const DictionaryVector* list = kept.get<DictionaryVector>()) {
        if (list->size() != slots_.size())
          throw runtime_error(cat("the checkpoint has the states of ", list->size(),
                                  " parameters, but the learner has ", slots_.size(), " parameters"))
              .remedy("restore into a learner of the same parameters");
        t = &(*list)[i].as<Tensor>();
      } else {  // up to version 1, by name
        t = &kept.as<Dictionary>().at(slots_[i].parameter.uid()).as<Tensor>();
      }
      if (t->shape() != state_shape(slots_[i]) || t->dtype() != slots_[i].dtype)
        throw of_another_kind(slots_[i].parameter, *t,
                              cat(name_of(slots_[i].dtype), state_shape(slots_[i]).text()));
      tensors.push_back(t);
    }
  }
  double count = traits_.counts ? d.at("smoothed_count").as<double>() : 0;
  Learner::restore(d);
  smoothed_count_ = count;
  for (size_t i = 0; i < tensors.size(); ++i) {
    slots_[i].states.reshape(state_shape(slots_[i])).copy_from(*tensors[i]);
    slots_[i].current.clear();
  }
}

void BuiltinLearner::reset_smoothed_gradients() {
  prepare();
  smoothed_count_ = 0;
  for (Slot& s : slots_) {
    if (s.states.defined()) s.states.fill(0);
    s.current.clear();
  }
}

}  // namespace cantik
