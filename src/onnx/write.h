// From a function to a record.
#pragma once

#include <deque>

#include <cantik/function.h>
#include <cantik/onnx.h>
#include <cantik/tensor.h>

#include "onnx/model.h"

namespace cantik::onnx {

// A model and the tensors that its views point into.
struct WrittenModel {
  ModelRecord record;
  std::deque<Tensor> tensors;
};

WrittenModel write_model(const Function& model, const OnnxOptions& options);

}  // namespace cantik::onnx
