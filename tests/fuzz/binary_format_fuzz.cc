// Any bytes are a file in CNTK's binary format or a clear error.
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cantik::fuzz::binary_format({data, size});
  return 0;
}
