// From a record to a function.
#pragma once

#include <string>

#include <cantik/function.h>
#include <cantik/onnx.h>

#include "onnx/numbers.h"

namespace cantik::onnx {

Function read_model(ModelRecord model, const ModelFolder& place, const OnnxReading& reading = {});
// The model in the bytes of a file; large parameters keep them.
Function read_model_file(const Bytes& bytes, const std::string& path, const OnnxReading& reading = {});

}  // namespace cantik::onnx
