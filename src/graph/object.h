// User operators (cantik/user_operator.h) as graphs, the compiler and runs see them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/user_operator.h>

#include "graph/node.h"

namespace cantik {

struct UserOperator::Parts {
  // As graphs and the compiler see it and its gradient: object_code says what their nodes have for
  // attributes.
  Operator op, adjoint;
  Operator apart, part_of;  // in place of `op` where results have axes of their own; one such result
  Operator sum;             // over the steps of a recurrence: the gradient of an operand without rows
  WeakNode node;            // whose operator it is
  std::vector<std::optional<std::string>> output_names;  // of each result; without: the node's
  std::vector<bool> passes_gradient;                     // of each result

  std::mutex mutex;  // never held while the object is called
  std::vector<Type> known_in, known;
};

// The type rule as graphs ask for it: the last answer, unless something new is known.
std::vector<Type> types_of(UserOperator& object, std::span<const Type> in, bool building);
// Whether the graph has the operand without steps: in a recurrence it comes with the rows of each step.
bool is_of_batch(const UserOperator& object, size_t operand);
void lose_node(UserOperator& object, const std::vector<Edge>& operands);

// What forward calls leave for the backward calls of the same run; with forward and backward apart, of the
// second run.
class CANTIK_API UserStates final : public UserRun {
 public:
  void lend(const void* begin, size_t bytes) {
    lent_.push_back({static_cast<const char*>(begin), static_cast<const char*>(begin) + bytes});
  }
  // The run has no more use for this memory: whether anybody holds on to it; `kept` is theirs.
  std::shared_ptr<Lease> let_go();
  void end() {
    if (once) states_.clear(), made.clear(), sizes.clear();
  }

  // Sums over the calls of a run, by operand; taken when they are complete, gone where the run begins anew.
  void add(const UserOperator* object, int64_t operand, DType dtype, const void* numbers, int64_t count);
  void take_sum(const UserOperator* object, int64_t operand, DType dtype, void* to, int64_t count);
  void begin_anew() { sums_.clear(); }
  void allow_stay(bool may) { may_stay_ = may; }
  void go_out() {
    if (leave_) std::exchange(leave_, nullptr)();
  }
  UserStates() = default;
  // For one of several backward runs, perhaps at the same time, after one forward.
  struct AgainTag {};
  UserStates(const UserStates& forward, AgainTag)
      : once(false), made(forward.made), states_(forward.states_) {}
  ~UserStates() { go_out(); }

  bool once = true;  // a state goes when backward has had it
  int64_t keep(std::shared_ptr<const void> state) {
    states_.push_back(std::move(state));
    return static_cast<int64_t>(states_.size()) - 1;
  }
  std::shared_ptr<const void> take(int64_t token) {
    std::shared_ptr<const void>& s = states_.at(static_cast<size_t>(token));
    return once ? std::move(s) : s;
  }
  // by calls of `make`; also for a run that asks again how long sequences are
  std::vector<std::pair<const UserOperator*, std::shared_ptr<const void>>> made;
  // that were told; none yet while one is asked
  std::vector<std::pair<const UserOperator*, std::vector<Shape>>> sizes;

 private:
  std::vector<std::shared_ptr<const void>> states_;
  struct Sum {
    const UserOperator* object;
    int64_t operand;
    std::vector<double> total;
  };
  std::vector<Sum> sums_;
};

// Attributes of the compiler's nodes: lists of numbers.
namespace object_code {
// Of op and apart: which results the node makes, none for all; {1} where it is called once a step of a
// recurrence.
enum Forward { kResults, kStepped };
// Of adjoint: which results have gradients, which operands want one, whose numbers come along; {count} where
// it is called once a step, then for each of so many gradients that are summed over the steps its operand,
// element type and shape.
enum Backward { kGiven, kWanted, kX, kY, kBackStepped, kSummed };
// Of part_of and sum: {which result}, {which operand}.
enum One { kWhich };
}  // namespace object_code
// Kernels of these operators.
namespace object_kernels {
cantik_status forward(void* object, cantik_prepare* p);
cantik_status part(void* object, cantik_prepare* p);
cantik_status backward(void* object, cantik_prepare* p);
cantik_status sum(void* object, cantik_prepare* p);
}  // namespace object_kernels

UserFunctionReader user_function_reader();

// The type of what stands for a call's state in the compiler's graph: a number for each row of the first
// result.
Type object_token(const Type& result);

}  // namespace cantik
