// Operators written in Python. The Python object is a Function like others; its node owns it, and it knows
// its node weakly: a graph keeps its user functions alive, a user function keeps no graph of its own alive.
//
// How calls hand over data, by the object's style:
//   arrays  CNTK's UserFunction: forward(argument(s), device, outputs_to_retain) with arrays of their own
//           (lists of arrays for sequences, CSR matrices for sparse operands), a pair (state, result) comes
//           back; backward(state, root_gradients[, variables])
//   values  the same with Values over the run's memory (as_numpy=False)
//   slots   forward(training, inputs, outputs) -> state;
//           backward(state, gradients, inputs, outputs, input_gradients):
//           tuples of arrays over the run's memory, rows first, sequences side by side. Results are written
//           into the arrays of `outputs` and `input_gradients`. None stands for numbers that are not there:
//           not wanted, or not read (reads_inputs, reads_outputs of the class)
#pragma once

#include <cantik/user_operator.h>

#include "binding/common.h"

namespace cantik::python {

class PythonOperator;
enum class CallStyle : uint8_t { arrays, values, slots };

// What the box of a user's function holds in place of a Function.
struct UserPart {
  PyObject* self = nullptr;  // the object around this box
  std::string name, op_name;
  std::vector<Variable> inputs;  // while there is no function, which owns them then
  CallStyle style = CallStyle::arrays;
  Origin made_at;
  std::weak_ptr<PythonOperator> op;
  bool lost = false;    // the function, with its operands
  Function function();  // makes the function where there is none
};

class PythonOperator final : public UserOperator {
 public:
  PythonOperator(nb::object self, UserPart& part);
  ~PythonOperator() override;

  std::vector<UserResult> infer(std::span<const Type> in) override;
  std::shared_ptr<const void> forward(const UserCall& call) const override;
  void backward(const UserCall& call) const override;
  std::shared_ptr<const void> make(const UserCall& call) const override;
  void sizes(const UserCall& call, std::span<Shape> shapes) const override;
  void lengths(const UserCall& call, size_t result, std::span<int64_t> lengths) const override;
  void part(const UserCall& call, size_t result) const override;
  Function clone(const std::vector<Variable>& in, const std::string& name) const override;
  Dictionary saved() const override;
  void lose_node(std::span<const Variable> operands) override;
  nb::handle self() const { return self_; }

 private:
  std::shared_ptr<const void> called(const UserCall& call, nb::object* result) const;
  nb::handle result(nb::handle made, size_t i, size_t count) const;
  void take_results(const UserCall& call, nb::handle made) const;
  nb::object self_;
  CallStyle style_;
  UserPart& part_;  // of the object
  // what forward gets as outputs_to_retain: the results, if there may be a backward
  nb::handle retained() const;
  mutable nb::object retained_;  // made when first asked for
};

// An operand, or a gradient of a result, as the user sees it.
nb::object shown(const UserRows& r, CallStyle style, UserRun& run);
// The gradient of a result that nobody reads: zeros for as many rows as another value has.
nb::object zeros_shown(const Type& type, const UserRows& like, CallStyle style, UserRun& run);
// Thrown by `take` where there is another number of samples.
struct UnlikeSamples : Error {
  explicit UnlikeSamples(Error e) : Error(std::move(e)) {}
};
// What the user gave, into the memory of a result. `what`: for errors.
void take(nb::handle given, const UserRows& r, const std::string& what);
void clear(const UserRows& r);
// How large what the user gave is: rows, where the type has a batch axis, and shape.
Shape shape_given(nb::handle given, const Type& t, const std::string& what);
// An array over the memory of a result; where that is gone after the call, one whose numbers `settle` copies
// there.
nb::object writable(const UserRows& r, UserRun& run);
void settle(nb::handle array, const UserRows& r);

nb::dict user_attributes(const Function& f);

}  // namespace cantik::python
