// The operands of an elementwise expression.
#pragma once

#include "compile/graph.h"

namespace cantik::ir {

// Leaves out the codes and the operands that the results do not read; each operand stands once.
void keep_read(Expression& e, Values& in);

}  // namespace cantik::ir
