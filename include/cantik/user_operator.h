// UserOperator: an operator that is an object of the program. A node has its own object, in no registry.
//
// To graphs, passes and runs it is an operator like all others; its type rule and its kernels call the
// object:
//
//   class Cube final : public UserOperator {
//    public:
//     Cube() : UserOperator("Cube", 1) { reads_x = {true}; }
//     std::vector<UserResult> infer(std::span<const Type> in) override { return {{in[0]}}; }
//     std::shared_ptr<const void> forward(const UserCall& c) const override { ... }
//     void backward(const UserCall& c) const override { ... }
//   };
//   Function y = user_function(std::make_shared<Cube>(), {x});
//
// Types are asked for when operands become known. Forward is called once in a run, in a recurrence once in a
// step, with the rows of the sequences that go on; an operand without steps has the row of each. Backward is
// called once for each forward whose gradient is wanted, with the state that forward returned. No lock is
// held during any of these calls: they may evaluate other functions. An exception reaches the caller of the
// run.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/api.h>
#include <cantik/dictionary.h>
#include <cantik/error.h>
#include <cantik/function.h>
#include <cantik/plugin.h>
#include <cantik/variable.h>

namespace cantik {

// An operand, a result or a gradient in one call. It is false where its numbers are not there: backward does
// not read them, nothing wants them, or no gradient came.
struct UserRows {
  const Type* type = nullptr;               // its static shape in numbers
  const cantik_operand* operand = nullptr;  // where its rows lie; of a result, the memory to fill
  // Whether its numbers are there.
  explicit operator bool() const { return operand != nullptr; }
  // How many rows there are.
  int64_t rows() const { return operand->rows; }
  // Whether the rows are sequences. In a step of a recurrence each row is a step of another sequence, and
  // there are no offsets.
  bool has_sequences() const { return type->axes.has_sequence() && operand->offsets != nullptr; }
  // The size of all rows.
  size_t bytes() const {
    return static_cast<size_t>(operand->rows * type->shape.elements()) * size_of(type->dtype);
  }
};

// Memory of a run that calls handed on. A holder of the lease when the run is over keeps the memory, with
// what is in it.
struct Lease {
  std::vector<std::shared_ptr<const void>> kept;  // what keeps the memory
};

// One run, as the calls of user operators see it.
class CANTIK_API UserRun {
 public:
  UserRun(const UserRun&) = delete;
  // The lease on memory that stays as it is until the run is over; null where this memory does not.
  std::shared_ptr<Lease> borrow(const void* data);
  std::shared_ptr<const void> shared;  // anything that calls share; released when the run is over

 protected:
  UserRun() = default;
  ~UserRun() = default;

  std::vector<std::pair<const char*, const char*>> lent_;
  std::shared_ptr<Lease> lease_;
};

// The arguments of a call. Lists have a place for each operand or result.
struct UserCall {
  std::span<const UserRows> x, y;    // operands; results, which forward fills
  std::span<const UserRows> dy, dx;  // of backward: gradients of results; of operands, which it fills
  bool training = false;             // whether the state that forward returns is kept for backward
  std::shared_ptr<const void>* state = nullptr;  // of backward: that state; it may let go of it
  std::shared_ptr<const void> made;              // what UserOperator::make returned
  UserRun* run = nullptr;                        // that it is a call of
};

// A result as the type rule describes it.
struct UserResult {
  Type type;                             // as far as it is known
  std::optional<std::string> name = {};  // without: the function's
  bool passes_gradient = true;           // whether backward is asked for the sake of this result
};

// Thrown by UserOperator::forward where the results have another number of samples than the operands, against
// what infer said: from then on `make` and `sizes` tell the number, and the run begins anew.
class CANTIK_API OtherSamples : public std::exception {
 public:
  const char* what() const noexcept override { return "a result has another number of samples"; }
};

// An operator of the program's own: derive from it, and give an object to user_function().
class CANTIK_API UserOperator : public std::enable_shared_from_this<UserOperator> {
 public:
  // `name`: in errors and files. `operands`: how many it has. `printed`: how graphs print it; empty: the
  // name.
  UserOperator(const std::string& name, size_t operands, const std::string& printed = {});
  virtual ~UserOperator();
  UserOperator(const UserOperator&) = delete;
  // Its name in errors and files.
  const std::string& name() const;

  // The type rule: results from what is known of the operands. An exception while operands are not known
  // only means: not yet.
  virtual std::vector<UserResult> infer(std::span<const Type> in) = 0;
  // Fills call.y. The state that it returns is kept for backward.
  virtual std::shared_ptr<const void> forward(const UserCall& call) const = 0;
  // Fills call.dx. Without an override it is an error.
  virtual void backward(const UserCall& call) const;

  // Where the sizes of results are known only when they are there (sequence axes of their own; sizes that
  // the types leave open, where `tells_sizes`; numbers of samples, where `tells_samples`): `make` computes
  // all of them, once in a run. The calls that follow have what it returned as call.made. Without an override
  // of these four such results are an error.
  virtual std::shared_ptr<const void> make(const UserCall& call) const;
  // Before the run: the shape of each result, behind its number of rows where it has a batch axis.
  virtual void sizes(const UserCall& call, std::span<Shape> shapes) const;
  // How long each sequence of a result on a sequence axis of its own is, in steps.
  virtual void lengths(const UserCall& call, size_t result, std::span<int64_t> lengths) const;
  // Fills that result, call.y[result], from what `make` returned: operands are not given here. forward fills
  // the results on axes of operands.
  virtual void part(const UserCall& call, size_t result) const;

  // A copy for other operands. Without an override it is an error.
  virtual Function clone(const std::vector<Variable>& operands, const std::string& name) const;
  // What files say of it, for set_user_function_reader(). Without an override it is an error.
  virtual Dictionary saved() const;
  // Its node is gone, and read these; an empty variable stands for one that is gone too.
  virtual void lose_node(std::span<const Variable> operands);

  std::vector<bool> reads_x, reads_y;  // of each operand, result: whether backward reads its numbers
  bool differentiable = true;          // otherwise a gradient through it is an error
  bool tells_sizes = false;            // `sizes` says the sizes that types leave open
  // `sizes` says how many samples the results have: not as many as the operands
  mutable std::atomic<bool> tells_samples{false};
  bool lends = false;  // calls hand on the operands' own memory: it keeps its contents until the run is over
  // Taken before calls in a run, once for several that follow one another; it lives as long as the program.
  const cantik_lock* lock = nullptr;

  // The function that it is the operator of; empty where its node is gone.
  Function function() const;
  // The operands of its function; none where the node is gone.
  std::vector<Variable> operands() const;
  // The results of its function; none where the node is gone.
  std::vector<Variable> results() const;
  // The error with the lines that name its function.
  Error at_node(Error e) const;

  struct Parts;
  // For the library: how graphs and the compiler see it.
  Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

// The function of this operator and these operands. The number of operands is the operator's, else a
// ValueError.
CANTIK_API Function user_function(std::shared_ptr<UserOperator> op, const std::vector<Variable>& operands,
                                  const std::string& name = {});
// The object that is the operator of a function; null of other functions.
CANTIK_API std::shared_ptr<UserOperator> user_operator_of(const Function& f);

// Makes functions of files again: from UserOperator::saved(), operands and name. An empty function: the
// file's stays, to be looked at, and is an error when it runs.
using UserFunctionReader = Function (*)(const Dictionary& saved, const std::vector<Variable>& operands,
                                        const std::string& name);
// From now on files are read with this reader; null: with none.
CANTIK_API void set_user_function_reader(UserFunctionReader reader);

}  // namespace cantik
