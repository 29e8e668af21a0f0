// What files and programs of CNTK's call native functions, and the operators that they are.
#pragma once

#include <string>

#include <cantik/dictionary.h>

#include "graph/node.h"

namespace cantik {

// nullptr if no operator is made by it. An empty module stands for any.
const Operator* operator_of_factory(const std::string& module, const std::string& factory);

// Attributes of the operator by their names, the others beside them. False where one cannot be what the
// operator means.
bool read_native_attributes(const Operator& op, const Dictionary& given, Node& node);

}  // namespace cantik
