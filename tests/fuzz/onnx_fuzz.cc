// Any bytes are a model of ONNX's or a clear error; a model says what it is, and can be written or names what
// cannot.
#include <cstdint>

#include <cantik/error.h>
#include <cantik/onnx.h>

using namespace cantik;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Function f;
  try {
    f = from_onnx({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    return 0;
  }
  std::string text = f.text() + f.signature();
  for (const Variable& v : f.inputs()) text += v.text() + v.type().text();
  for (const Variable& v : f.outputs()) text += v.text() + v.type().text();
  try {
    text += to_onnx(f);
  } catch (const Error&) {
  }
  return 0;
}
