// Any bytes are a dictionary or a clear error; a dictionary can be written and read again.
#include <cstdint>
#include <cstdlib>

#include <cantik/dictionary.h>
#include <cantik/error.h>

using namespace cantik;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    Dictionary d = Dictionary::from_bytes(bytes);
    if (!(Dictionary::from_bytes(d.to_bytes()) == d)) std::abort();
  } catch (const Error&) {
  }
  try {
    DictionaryValue v = DictionaryValue::from_bytes(bytes);
    if (!(DictionaryValue::from_bytes(v.to_bytes()) == v)) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
