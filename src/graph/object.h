// Operators that are objects of the user's program: a node has its own, in no registry. To graphs, passes and
// runs it is an operator like all others; its rules and kernels call the object.
//
// Derive from ObjectOperator, say what backward reads, and give it to object_node(object, operands, name):
// that node is a Function's root. The rest follows: types are asked for when operands become known, forward
// is called once in a run (in a recurrence once in a step, with the rows of the sequences that go on; an
// operand without steps has the row of each), backward once for each forward whose gradient is wanted, with
// what forward returned. No lock is held during any of these calls: they may evaluate other functions. What
// they throw reaches the caller of the run.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <string>
#include <vector>

#include <cantik/dictionary.h>
#include <cantik/error.h>
#include <cantik/variable.h>

#include "graph/node.h"

namespace cantik {

// An operand or a result in one call; false where its numbers are not there: not read by backward, not
// wanted, no gradient given.
struct ObjectRows {
  const Type* type = nullptr;               // its static shape in numbers
  const cantik_operand* operand = nullptr;  // results: the memory that is to be filled
  explicit operator bool() const { return operand != nullptr; }
  int64_t rows() const { return operand->rows; }
  // In a step of a recurrence each row is a step of another sequence, and there are no offsets.
  bool has_sequences() const { return type->axes.has_sequence() && operand->offsets != nullptr; }
  size_t bytes() const {
    return static_cast<size_t>(operand->rows * type->shape.elements()) * size_of(type->dtype);
  }
};

class ObjectStates;

struct ObjectCall {
  std::span<const ObjectRows> x, y;  // operands, and results: forward fills them
  // of backward: gradients of the results, and of the operands, which it fills
  std::span<const ObjectRows> dy, dx;
  bool training = false;                         // what forward returns is kept for backward
  std::shared_ptr<const void>* state = nullptr;  // of backward: that; it may let go of it
  // what `make` returned, where results lie on sequence axes of their own
  std::shared_ptr<const void> made;
  ObjectStates* states = nullptr;  // of the run
};

class CANTIK_API ObjectOperator : public std::enable_shared_from_this<ObjectOperator> {
 public:
  ObjectOperator(std::string name, size_t inputs);
  virtual ~ObjectOperator() = default;
  ObjectOperator(const ObjectOperator&) = delete;

  // Types of the results, from what is known of the operands'. May throw; while operands are not known, that
  // only means: not yet.
  virtual std::vector<Type> infer(std::span<const Type> in) = 0;
  // Fills call.y. What it returns is kept for backward.
  virtual std::shared_ptr<const void> forward(const ObjectCall& call) const = 0;
  virtual void backward(const ObjectCall& call) const = 0;
  // Where the sizes of results are known only when they are there (sequence axes of their own; sizes that the
  // types leave open, where `tells_sizes`): `make` computes all of them, once in a run, and keeps what the
  // calls that follow have as call.made: `sizes`, before the run, the shape of each result, behind its number
  // of rows where it has a batch axis; forward, which fills the results on axes of operands; `lengths`, how
  // long the sequences of another one are; `part`, which fills that one, call.y[result].
  virtual std::shared_ptr<const void> make(const ObjectCall& call) const;
  virtual void sizes(const ObjectCall& call, std::span<Shape> shapes) const;
  virtual void lengths(const ObjectCall& call, size_t result, std::span<int64_t> lengths) const;
  virtual void part(const ObjectCall& call, size_t result) const;
  // A copy for other operands.
  virtual std::shared_ptr<Node> clone(const std::vector<Variable>& in, const std::string& name) const = 0;
  // What files say of it, for whoever makes it again: user_defined_state.
  virtual Dictionary saved() const = 0;
  // Its node is gone, and read these.
  virtual void lose_node(const std::vector<Edge>&) {}

  // Of operand i, result i: whether backward reads their numbers; whether a result passes a gradient on.
  std::vector<bool> reads_x, reads_y, passes_gradient;
  bool differentiable = true;
  bool tells_sizes = false;
  bool lends = false;  // calls hand on the operands' own memory: it keeps its contents until the run is over

  // The rule as graphs ask for it: what was said before, unless something new is known.
  std::vector<Type> types(std::span<const Type> in, bool building);

  // Of its node: what it reads and makes, and an error that names it.
  std::vector<Variable> operands() const;
  std::vector<Variable> results() const;
  Error at_node(Error e) const;
  // as the graph has it: in a recurrence it comes with the rows of each step
  bool is_of_batch(size_t operand) const;

  // As graphs and the compiler see it and its gradient: ObjectCode says what their nodes have for attributes.
  Operator op, adjoint;
  Operator apart, part_of;  // in place of `op` where results have axes of their own; one such result
  Operator sum;             // over the steps of a recurrence: the gradient of an operand without rows
  WeakNode node;            // whose operator it is
  std::vector<std::string> output_names;  // of those results that have one

 private:
  std::mutex mutex_;  // never held while the object is called
  std::vector<Type> known_in_, known_;
};

// Memory of a run that calls handed on. Whoever still holds it when the run is over keeps it, and with it
// what is in it.
struct Lease {
  std::vector<std::shared_ptr<const void>> kept;
};

// What forward calls leave for the backward calls of the same run; with forward and backward apart, of the
// second run.
class CANTIK_API ObjectStates {
 public:
  // The lease on memory that stays as it is until the run is over; none, where this memory does not.
  std::shared_ptr<Lease> borrow(const void* data);
  void lend(const void* begin, size_t bytes) {
    lent_.push_back({static_cast<const char*>(begin), static_cast<const char*>(begin) + bytes});
  }
  // The run has no more use for this memory: whether anybody holds on to it; `kept` is theirs.
  std::shared_ptr<Lease> let_go();
  void end() {
    if (once) states_.clear(), made.clear(), sizes.clear();
  }
  std::shared_ptr<const void> base;  // what the binding makes of the lease, once in a run

  // Calls that follow one another may stay in the user's language: its lock is taken with the first, and left
  // before anything else runs.
  bool may_stay = false;
  void (*leave)(ObjectStates&) = nullptr;  // set by whoever stays
  int inside = 0;                          // theirs
  // Sums over the calls of a run, by operand; taken when they are complete, gone where the run begins anew.
  void add(const ObjectOperator* object, int64_t operand, DType dtype, const void* numbers, int64_t count);
  void take_sum(const ObjectOperator* object, int64_t operand, DType dtype, void* to, int64_t count);
  void begin_anew() { sums_.clear(); }
  void go_out() {
    if (leave) std::exchange(leave, nullptr)(*this);
  }
  ObjectStates() = default;
  // For one of several backward runs, perhaps at the same time, after one forward.
  struct AgainTag {};
  ObjectStates(const ObjectStates& forward, AgainTag)
      : once(false), made(forward.made), states_(forward.states_) {}
  ObjectStates(const ObjectStates&) = delete;
  ~ObjectStates() { go_out(); }

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
  std::vector<std::pair<const ObjectOperator*, std::shared_ptr<const void>>> made;
  // that were told; none yet while one is asked
  std::vector<std::pair<const ObjectOperator*, std::vector<Shape>>> sizes;

 private:
  std::vector<std::shared_ptr<const void>> states_;
  std::vector<std::pair<const char*, const char*>> lent_;
  struct Sum {
    const ObjectOperator* object;
    int64_t operand;
    std::vector<double> total;
  };
  std::vector<Sum> sums_;
  std::shared_ptr<Lease> lease_;
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

// A node with this operator; `infer_object` asks for its types once the object is ready to be asked.
CANTIK_API std::shared_ptr<Node> object_node(std::shared_ptr<ObjectOperator> object,
                                             std::vector<Variable> inputs, const std::string& name);
CANTIK_API void infer_object(const std::shared_ptr<Node>& node);
// Functions of a file that name an operator of a program's: what to make of them. Empty: it stays foreign.
using ObjectReader = std::shared_ptr<Node> (*)(const Dictionary& saved, const std::vector<Variable>& in,
                                               const std::string& name);
CANTIK_API void set_object_reader(ObjectReader reader);
ObjectReader object_reader();

// The type of what stands for a call's state in the compiler's graph: a number for each row of the first
// result.
Type object_token(const Type& result);

}  // namespace cantik
