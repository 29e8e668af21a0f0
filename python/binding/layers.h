// What the bindings of layers share.
#pragma once

#include <cantik/layers/argument.h>

#include "binding/common.h"

namespace cantik::python {

// Nothing, a name, a function, or Python code of a variable.
layers::Activation as_activation(nb::handle h);
// An operand: a variable, the output of a function, or a constant of what has numbers.
Variable as_operand(nb::handle h, DType dtype);

}  // namespace cantik::python
