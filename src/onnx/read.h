// From a record to a function.
#pragma once

#include <cantik/function.h>

#include "onnx/numbers.h"

namespace cantik::onnx {

Function read_model(const ModelRecord& model, const ModelFolder& place);

}  // namespace cantik::onnx
