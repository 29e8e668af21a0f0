// What the bindings of layers share.
#pragma once

#include <cantik/layers.h>

#include "binding/common.h"

namespace cantik::python {

// Nothing, a name, a function, or Python code of a variable.
layers::Activation as_activation(nb::handle h);
// The first values of a bias; None stands for 0.
Initializer bias_in(nb::handle h, DType dtype);
// An operand: a variable, the output of a function, or a constant of what has numbers.
Variable as_operand(nb::handle h, DType dtype);

void bind_recurrences(nb::module_& m);

}  // namespace cantik::python
