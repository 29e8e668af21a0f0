// Any bytes are tensors by name or a clear error; tensors can be written and read again.
#include <cstdint>
#include <cstdlib>

#include <cantik/error.h>
#include <cantik/safetensors.h>

using namespace cantik;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const Safetensors a = safetensors_from_bytes({reinterpret_cast<const char*>(data), size});
    const Safetensors b = safetensors_from_bytes(safetensors_to_bytes(a.tensors, a.metadata));
    if (a.metadata != b.metadata || a.tensors.size() != b.tensors.size()) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
