// Any bytes are a table of contents of lattices or a clear error.
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cantik::fuzz::htk_lattices({data, size});
  return 0;
}
