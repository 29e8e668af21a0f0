// Any bytes are an archive of HTK's features or a clear error.
#include "readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cantik::fuzz::htk_archive({data, size});
  return 0;
}
