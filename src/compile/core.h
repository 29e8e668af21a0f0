// The core forms: the operators that passes make and look for by name. All else that a pass knows of an
// operator, the operator states (include/cantik/op/facts.h); tools/checks/operator_names.py watches that no
// pass names another one.
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
inline constinit const CoreForm take_rows{"take_rows"}, spread_rows{"spread_rows"};
// Gradients: added, summed to a smaller shape, summed over the steps of a sequence.
inline constinit const CoreForm add_gradients{"add_gradients"}, sum_to{"sum_to"}, sum_steps{"sum_steps"};
// Parts along an axis: taken, put in their place among zeros, put side by side.
inline constinit const CoreForm slice{"slice_axes"}, unslice{"unslice"}, splice{"splice_axis"};
// Products: as they come, with packed weights, summed over rows.
inline constinit const CoreForm product{"product"}, packed_product{"packed_product"},
    pack_panels{"pack_panels"}, row_product{"row_product"};
// Images: their channels moved behind their pixels, and back.
inline constinit const CoreForm channels_last{"channels_last"}, channels_first{"channels_first"};

}  // namespace core
}  // namespace cantik::ir
