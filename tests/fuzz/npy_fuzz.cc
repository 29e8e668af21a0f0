// Any bytes are an array of NumPy's or a clear error.
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cantik::fuzz::npy({data, size});
  return 0;
}
