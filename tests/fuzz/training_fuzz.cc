// Any bytes are the state of a training or a clear error; a state that was restored can be kept and restored
// again.
#include <cstdint>
#include <cstdlib>
#include <deque>

#include <cantik/error.h>
#include <cantik/learners.h>
#include <cantik/trainer.h>

#include "change.h"

using namespace cantik;

namespace {

// One for each learner; corpus/training has what CNTK keeps of them.
std::deque<Trainer>& trainers() {
  static std::deque<Trainer>* all = [] {
    auto* list = new std::deque<Trainer>;
    auto add = [&](LearnerPtr (*make)(std::vector<Variable>)) {
      Variable x = input({2}), w = parameter({2, 3}, 0.5);
      Function z = call("times", {x, w});
      list->emplace_back(z, call("reduce_sum", {z}), std::vector<LearnerPtr>{make({w})});
    };
    add([](std::vector<Variable> p) { return sgd(p, 0.1); });
    add([](std::vector<Variable> p) { return momentum_sgd(p, 0.1, {.momentum = 0.9}); });
    add([](std::vector<Variable> p) { return adagrad(p, 0.1); });
    add([](std::vector<Variable> p) { return adadelta(p, 0.1); });
    add([](std::vector<Variable> p) {
      return rmsprop(p, 0.1, {.gamma = 0.9, .inc = 1.2, .dec = 0.8, .max = 10, .min = 0.1});
    });
    add([](std::vector<Variable> p) { return adam(p, 0.1, {.momentum = 0.9}); });
    add([](std::vector<Variable> p) { return fsadagrad(p, 0.1, {.momentum = 0.9}); });
    return list;
  }();
  return *all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Dictionary state;
  try {
    state = Dictionary::from_bytes({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    return 0;
  }
  for (Trainer& t : trainers()) {
    try {
      t.restore(state);
    } catch (const Error&) {
      continue;
    }
    Dictionary kept = t.state();
    t.restore(kept);  // an error here is a defect
    if (!(t.state() == kept)) std::abort();
  }
  return 0;
}
