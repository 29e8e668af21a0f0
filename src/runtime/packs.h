// Packs: what depends on parameters only, for one version of them.
#pragma once

#include <memory>
#include <vector>

#include "runtime/executable.h"
#include "runtime/frame.h"
#include "runtime/status.h"

namespace cantik::runtime {

struct Executable::Packs {
  std::shared_ptr<const Program> program;
  std::vector<uint64_t> versions;
  std::vector<MemoryBlock> memory;  // of each setup value
};

}  // namespace cantik::runtime
