// Any bytes are a master label file in text or a clear error.
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cantik::fuzz::htk_text_labels({data, size});
  return 0;
}
