#include "graph/argument_order.h"

#include "graph/node.h"

namespace cantik {

std::vector<Variable> arguments_from_the_right(const Function& f) {
  std::vector<Variable> list =
      f.is_composite() ? leaves(f.node(), OperandOrder::kept) : operands_of(*f.node(), OperandOrder::kept);
  std::erase_if(list, [](const Variable& v) { return v.is_parameter() || v.is_constant(); });
  return list;
}

}  // namespace cantik
