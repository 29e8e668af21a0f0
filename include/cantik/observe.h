// Copies of networks in which code sees each value: what a debugger stops at.
//
//   struct Printer : Observer {
//     void forward(const Variable& v, const UserRows& rows) override { std::puts(v.text().c_str()); }
//   };
//   observed(model, std::make_shared<Printer>()).eval(feeds);
#pragma once

#include <functional>
#include <memory>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/user_operator.h>

namespace cantik {

// Makes a function of a value; its output takes the place of the value.
using AfterValue = std::function<Function(const Variable& value)>;

// A copy of a network, with the same parameters and inputs, in which `after` is applied to each value: to the
// leaves, and to the results of functions in the copy. Blocks stay closed. Parameters that the network
// changes in a run are left alone.
CANTIK_API Function with_each_value(const Function& network, const AfterValue& after);

// Sees the values of a run. It may be called from several threads at once, where several run the network.
class CANTIK_API Observer {
 public:
  virtual ~Observer() = default;
  // A value is there: of a leaf, or of a function of the copy. In a recurrence: the rows of one step.
  virtual void forward(const Variable& value, const UserRows& rows) = 0;
  // The gradient of a value is there; nothing happens without an override.
  virtual void backward(const Variable& value, const UserRows& gradient);
};

// A copy of a network whose dense values the observer sees. It computes the same numbers.
CANTIK_API Function observed(const Function& network, const std::shared_ptr<Observer>& observer);

}  // namespace cantik
