// Any bytes are the lists of an index of a text or a clear error.
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cantik::fuzz::ctf_index({data, size});
  return 0;
}
