// The error of a parameter or constant whose shape has not been inferred when its numbers are needed.
#pragma once

#include <cantik/error.h>
#include <cantik/variable.h>

namespace cantik {

Error unresolved_shape(const Variable& v);

}  // namespace cantik
