// Any bytes are a text of columns or a clear error.
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cantik::fuzz::csv({data, size});
  return 0;
}
