// Any bytes are a binary master label file or a clear error.
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cantik::fuzz::htk_binary_labels({data, size});
  return 0;
}
