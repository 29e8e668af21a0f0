// Copies of networks in which code sees each value.
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/inspect.h>
#include <cantik/observe.h>
#include <cantik/ops.h>

#include "base/required.h"

namespace cantik {
namespace {

// Operands that these functions change: they have to stay parameters and constants.
const std::map<std::string, std::pair<size_t, size_t>> kChanged = {{"BatchNormalization", {3, 6}},
                                                                   {"Assign", {0, 1}}};

std::unordered_set<Variable> changed_by(const Function& network) {
  std::unordered_set<Variable> all;
  for (const Function& f : functions_of(network, -1)) {
    const auto at = kChanged.find(f.op_name());
    if (at == kChanged.end()) continue;
    const std::vector<Variable> in = f.inputs();
    for (size_t i = at->second.first; i < at->second.second && i < in.size(); ++i) all.insert(in[i]);
  }
  return all;
}

class Rewriting {
 public:
  Rewriting(const Function& root, AfterValue after) : after_(std::move(after)), changed_(changed_by(root)) {}

  Function of(const Function& root) {
    const std::vector<Variable> outputs = root.outputs();
    std::vector<Variable> results;
    for (const Variable& v : outputs) {
      visit(v);
      results.push_back(copies_.at(v));
    }
    const Function made = function_of(results);
    Replacements closed;
    for (const auto& [v, place] : places_) closed.emplace(place, copies_.at(v));
    return closed.empty() ? made : made.replace_placeholders(closed);
  }

 private:
  // Operands first, without recursion: networks may be deep.
  void visit(const Variable& wanted) {
    std::vector<Variable> path{wanted};
    std::unordered_set<Function> open;
    while (!path.empty()) {
      const Variable v = path.back();
      if (copies_.count(v)) {
        path.pop_back();
      } else if (!v.is_output()) {
        copies_.emplace(v, changed_.count(v) ? v : Variable(after_(v)));
      } else if (const Function owner = v.owner(); open.erase(owner)) {
        copy(owner);
      } else {
        open.insert(owner);
        for (const Variable& x : owner.inputs()) {
          if (x.is_output() && open.count(x.owner()) && !copies_.count(x))
            places_.try_emplace(x, placeholder({}, x.type()));
          else
            path.push_back(x);
        }
      }
    }
  }

  void copy(const Function& f) {
    Replacements operands;
    const std::vector<Variable> inputs = f.inputs();
    for (const Variable& x : inputs) {
      const auto at = copies_.find(x);
      operands.emplace(x, at == copies_.end() ? places_.at(x) : like_others(at->second, x, inputs));
    }
    const std::vector<Variable> old = f.outputs(), made = f.clone(CloneMethod::share, operands).outputs();
    for (size_t i = 0; i < old.size(); ++i) copies_.emplace(old[i], after_(made[i]));
  }

  // A constant follows the element type of a function's other operands, and so does what takes its place.
  static Variable like_others(const Variable& copy, const Variable& x, const std::vector<Variable>& inputs) {
    if (!x.is_constant() || copy == x) return copy;
    for (const Variable& other : inputs)
      if (!other.is_constant() && other.dtype() != DType::unknown)
        return other.dtype() == x.dtype() ? copy : cast(copy, other.dtype());
    return copy;
  }

  const AfterValue after_;
  const std::unordered_set<Variable> changed_;
  std::unordered_map<Variable, Variable> copies_;
  std::unordered_map<Variable, Variable> places_;  // where recurrences are closed
};

// Hands a value on, forward and backward, and shows it. The value is its operand, which it does not hold: in
// a recurrence the operand's graph holds this operator.
class PassThrough final : public UserOperator {
 public:
  explicit PassThrough(std::shared_ptr<Observer> observer)
      : UserOperator("Observed", 1), observer_(std::move(observer)) {}

  std::vector<UserResult> infer(std::span<const Type> in) override { return {{in[0]}}; }
  std::shared_ptr<const void> forward(const UserCall& call) const override {
    observer_->forward(operands()[0], call.x[0]);
    hand_on(call.x[0], call.y[0]);
    return nullptr;
  }
  void backward(const UserCall& call) const override {
    observer_->backward(operands()[0], call.dy[0]);
    hand_on(call.dy[0], call.dx[0]);
  }
  Function clone(const std::vector<Variable>& operands, const std::string& name) const override {
    return user_function(std::make_shared<PassThrough>(observer_), operands, name);
  }

 private:
  // from, to: [rows, shape...]
  static void hand_on(const UserRows& from, const UserRows& to) {
    const size_t number = size_of(from.type->dtype),
                 bytes = static_cast<size_t>(from.type->shape.elements()) * number;
    for (int64_t i = 0; bytes && i < to.rows(); ++i) {
      const int64_t row = from.operand->map ? from.operand->map[i] : i;
      std::memcpy(static_cast<char*>(to.operand->data) + static_cast<size_t>(i * to.operand->stride) * number,
                  static_cast<const char*>(from.operand->data) +
                      static_cast<size_t>(row * from.operand->stride) * number,
                  bytes);
    }
  }

  const std::shared_ptr<Observer> observer_;
};

}  // namespace

Function with_each_value(const Function& network, const AfterValue& after) {
  const Function root = network.root();
  return Rewriting(root, callable(after, "what follows each value")).of(root).as_composite();
}

void Observer::backward(const Variable&, const UserRows&) {}

Function observed(const Function& network, const std::shared_ptr<Observer>& observer) {
  if (!observer) throw value_error("a network is observed by an observer, and there is none");
  return with_each_value(network, [&](const Variable& v) {
    if (v.is_sparse()) return function_of({v});
    return user_function(std::make_shared<PassThrough>(observer), {v});
  });
}

}  // namespace cantik
