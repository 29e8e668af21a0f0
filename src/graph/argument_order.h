// A composite's arguments in the order that CNTK's C++ has: products from the right, as files keep their
// operands.
#pragma once

#include <vector>

#include <cantik/function.h>

namespace cantik {

CANTIK_API std::vector<Variable> arguments_from_the_right(const Function& f);

}  // namespace cantik
