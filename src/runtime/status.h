// What a kernel reports, as an error that names its node.
#pragma once

#include <memory>
#include <vector>

#include "base/text.h"
#include "graph/node.h"
#include "runtime/program.h"

namespace cantik::runtime {

inline void check_status(cantik_status status, const char* text, const Instruction& i, const std::vector<std::shared_ptr<Node>>& sources) {
  if (status == CANTIK_OK) return;
  Error e(status == CANTIK_VALUE ? ErrorKind::value : ErrorKind::runtime, i.kernel.name + ": " + text);
  if (i.source >= 0) rethrow_with(e, *sources[static_cast<size_t>(i.source)]);
  throw e;
}

}  // namespace cantik::runtime
