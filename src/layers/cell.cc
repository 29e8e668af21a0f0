#include "layers/cell.h"

#include <cantik/layers.h>

namespace cantik::layers {

Activation stabilizer_of(const Cell& o, const char* name) {
  if (!o.enable_self_stabilization) return {};
  return stabilizer({.dtype = o.dtype, .name = name}, {});
}

}  // namespace cantik::layers
