// Any bytes are a script file of HTK's or a clear error.
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cantik::fuzz::htk_script({data, size});
  return 0;
}
