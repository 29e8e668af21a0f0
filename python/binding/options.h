// Options by name, of learners and layers: values of Python by the descriptions of the library.
#pragma once

#include <cantik/option.h>

#include "binding/common.h"

namespace cantik::python {

// The value of an option; nothing where it is left open. dtype: of numbers that become tensors.
OptionValue option_in(const OptionDescription& option, nb::handle given, DType dtype = DType::unknown);

}  // namespace cantik::python
