// Evaluation: one question to a network, for any number of minibatches.
//
//   Evaluation ask(model);                            // the model's outputs
//   std::vector<Value> y = ask.run({x, z}).outputs;   // x, z: a value for each of ask.inputs()
//
//   Evaluation slope(loss, {.wrt = {w}});             // the gradient of the loss with respect to w
//   Tensor dw = slope.run({x}).gradients[0].data;
//
// Function::eval and Function::grad ask anew in each call; here the plan is looked up and the inputs are
// matched once.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <cantik/api.h>
#include <cantik/device.h>
#include <cantik/function.h>

namespace cantik {

namespace runtime {
class BoundPlan;
class CarriedStates;
}  // namespace runtime

// What is asked.
struct Question {
  std::vector<Variable> outputs = {};  // empty: those of the network, and none beside gradients
  std::vector<Variable> wrt = {};      // gradients with respect to these
  Variable root = {};                  // of this output, summed; empty: of the network's only output
  bool row_sparse = false;             // gradients of embeddings may have the rows that are not zero only
  bool check_nan = false;              // an error names the first operator that makes a NaN; slower
  std::optional<Device> device = {};   // where it is answered; none: where Device::use says
  // Parts of sequences (Layout::of_parts) go on with the states that Function::eval and grad left for the
  // same question, and leave theirs for them; else the object has states of its own.
  bool share_states = false;
};

// A network with a question, and the states of the sequences that it was given in parts; copies share them.
// Threads may share an object. Variables that are not in the network are an error.
class CANTIK_API Evaluation {
 public:
  // Asks a network a question; it is compiled where its structure is new.
  explicit Evaluation(const Function& network, Question question = {});

  // The network.
  const Function& network() const { return network_; }
  // The question, with the outputs that were left out.
  const Question& question() const { return question_; }
  // The inputs that the answer depends on: run() wants a value for each.
  const std::vector<Variable>& inputs() const;
  // Whether operators of the program may hold on to the memory of values longer than the run lasts.
  bool may_keep_inputs() const;

  // The answer for these values, one for each of inputs(). A value that does not suit its input is an error.
  Answer run(std::span<const Value> values, const RunOptions& options = {}) const;
  Answer run(std::initializer_list<Value> values, const RunOptions& options = {}) const {
    return run(std::span(values.begin(), values.size()), options);
  }
  // The same for inputs in any order.
  Answer run(const Feeds& feeds, const RunOptions& options = {}) const;

 private:
  Answer run_anew(const Feeds& feeds, const RunOptions& options) const;
  Answer run_all(runtime::BoundPlan& plan, const std::vector<const Value*>& leaves,
                 const RunOptions& options) const;

  Function network_;
  Question question_;
  std::shared_ptr<runtime::BoundPlan> plan_;        // none while the network awaits sizes that data tell
  std::vector<Variable> inputs_;                    // what it reads, until then
  std::shared_ptr<runtime::CarriedStates> states_;  // none: those of the plan, which its question has
};

}  // namespace cantik
