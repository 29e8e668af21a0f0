// A library that fails while it is loaded, by an exception that crosses the boundary.
#include <cantik/op.h>

#include <stdexcept>

extern "C" {
extern CANTIK_EXPORTED const char cantik_library_abi[];
const char cantik_library_abi[] = CANTIK_ABI_TEXT(CANTIK_ABI_VERSION, CANTIK_ABI_REVISION);
CANTIK_EXPORTED cantik_status cantik_library(const cantik_host*) {
  throw std::runtime_error("no licence on this machine");
}
}
