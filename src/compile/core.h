// The core forms: the operators that passes make themselves, and so have to name. All else that a pass knows
// of an operator, the operator states (include/cantik/op/facts.h; stated.h asks it);
// tools/checks/operator_names.py watches that no pass names another one.
#pragma once

#include <atomic>
#include <string_view>

#include "compile/graph.h"

namespace cantik::ir {

class CoreForm {
 public:
  explicit constexpr CoreForm(const char* name) : name_(name) {}
  CoreForm(const CoreForm&) = delete;

  const Operator& op() const {
    const Operator* found = op_.load(std::memory_order_acquire);
    if (!found) op_.store(found = &Registry::global().get(name_), std::memory_order_release);
    return *found;
  }
  bool is(const Node& n) const { return n.kind == NodeKind::call && n.op == &op(); }
  bool is(const Node* n) const { return n && is(*n); }

 private:
  const char* name_;
  mutable std::atomic<const Operator*> op_ = nullptr;
};

namespace core {

// The same numbers under another shape, of another element type, with every element written out.
inline constinit const CoreForm view{"view"}, cast{"cast"}, to_dense{"to_dense"};
// Rows by a map: those of another layout, those of a batch at each step.
inline constinit const CoreForm take_rows{"take_rows"};
// Gradients: two added of which one has few rows, one summed to what it is the gradient of.
inline constinit const CoreForm add_gradients{"add_gradients"}, sum_to{"sum_to"};
// Parts along an axis: taken, put side by side.
inline constinit const CoreForm slice{"slice_axes"}, splice{"splice_axis"};
// Images: their channels moved behind their pixels, and back.
inline constinit const CoreForm turn_image{"turn_image"};

// The same in other memory: copies to a device and back, sparse rows for the caller of a run.
inline constinit const CoreForm copy{"copy"};

// Gradients of which few rows are not zero are read by these alone; kernels of other operators that take
// sparse rows mean CSR.
inline bool takes_few_rows(const Operator& op) {
  return &op == &to_dense.op() || &op == &add_gradients.op() || &op == &copy.op();
}

}  // namespace core
}  // namespace cantik::ir
