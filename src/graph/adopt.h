// A description that came over the boundary, checked and copied.
#pragma once

#include "graph/operator.h"

namespace cantik {

// An error that names the operator for anything that cannot be: a library may be broken, or newer than we
// are. Its operators are called by their signatures alone; ours may have attributes that only files and
// passes know.
Operator adopt(const cantik_operator& described, bool of_library);

}  // namespace cantik
