// Any bytes are a list of pictures or a clear error.
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cantik::fuzz::image_list({data, size});
  return 0;
}
