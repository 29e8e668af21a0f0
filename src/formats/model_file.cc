// Functions from and to files and bytes.
#include <memory>
#include <string>
#include <string_view>

#include <cantik/dictionary.h>
#include <cantik/function.h>
#include <cantik/onnx.h>

#include "base/file.h"
#include "base/memory.h"
#include "formats/model.h"
#include "formats/wire.h"
#include "onnx/model.h"
#include "onnx/read.h"

namespace cantik {
namespace {

Function read_model(std::string_view bytes, const std::shared_ptr<void>& owner = nullptr) {
  return is_legacy_model(bytes) ? read_legacy_model(bytes) : read_model(wire::read_dictionary(bytes, owner));
}

}  // namespace

void Function::save(const std::string& path) const { write_model(*this).save(path); }

std::string Function::to_bytes() const { return write_model(*this).to_bytes(); }

Function Function::from_bytes(std::string_view bytes) {
  return onnx::is_model(bytes) ? from_onnx(bytes) : read_model(bytes);
}

Function Function::load(const std::string& path) {
  if (!is_file(path))
    throw value_error("Cannot load the model " + path + " that is neither a file nor a byte buffer.");
  Bytes bytes = read_file(path);
  if (onnx::is_model(bytes.view())) return onnx::read_model_file(bytes, path);
  try {
    return needed_for([&] { return "what is read from " + path; },
                      [&] { return read_model(bytes.view(), bytes.data); });
  } catch (const Error& e) {
    throw Error(e).line("file", path);
  }
}

}  // namespace cantik
