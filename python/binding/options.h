// Options by name, of learners and layers: values of Python by the descriptions of the library.
#pragma once

#include <optional>

#include <cantik/option.h>

#include "binding/common.h"

namespace cantik::python {

// The value of an option; nothing where it is left open. dtype: of numbers that become tensors.
OptionValue option_in(const OptionDescription& option, nb::handle given, DType dtype = DType::unknown);
// The default of an option, where it depends on the element type of what is made.
std::optional<OptionValue> default_of(const OptionDescription& option, DType dtype);

}  // namespace cantik::python
