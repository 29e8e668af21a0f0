// Any bytes are a model or a clear error; a model says what it is, and can be saved and loaded again.
#include <cstdint>
#include <cstdlib>

#include <cantik/error.h>
#include <cantik/function.h>

#include "change.h"

using namespace cantik;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Function f;
  try {
    f = Function::from_bytes({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    return 0;
  }
  std::string text = f.text() + f.signature();
  for (const Variable& v : f.inputs()) text += v.text() + v.type().text();
  for (const Variable& v : f.outputs()) text += v.text() + v.type().text();
  std::string saved = f.to_bytes();
  Function again = Function::from_bytes(saved);  // an error here is a defect
  if (again.inputs().size() != f.inputs().size()) std::abort();
  return 0;
}
