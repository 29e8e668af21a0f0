// Any bytes are an archive of arrays of NumPy's or a clear error.
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cantik::fuzz::npz({data, size});
  return 0;
}
