// The numbers of tensors in ONNX's files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cantik/tensor.h>

#include "onnx/model.h"

namespace cantik::onnx {

// Numbers that are known when a file is read: whole ones, or real ones. Sizes that only a run knows are
// symbols among the whole ones.
struct KnownNumbers {
  std::vector<int64_t> dims;
  bool whole = false;
  std::vector<int64_t> integers;
  std::vector<double> reals;
};

// ONNX's element type of a type of ours.
int32_t element_of_dtype(DType dtype);
// Whether numbers of the element type are numbers of another type here, and casts of all operator sets that
// are written take them back: inputs and outputs of models keep such types in files.
bool is_held_by_another(int32_t element, DType dtype);

// Where a model lies: data outside of it are in files of this folder, or below it.
struct ModelFolder {
  std::string folder = {};  // empty: nowhere
  // of the file, where they are the reader's own: tensors may keep them
  std::shared_ptr<void> bytes = {};
};

// The shape, checked; the numbers are there in full, and none of them is elsewhere.
Shape shape_of(const TensorRecord& record);
// Real numbers, in the type that holds them.
Tensor tensor_of(const TensorRecord& record, const ModelFolder& place);
// Any numbers.
KnownNumbers known_of(const TensorRecord& record, const ModelFolder& place);

}  // namespace cantik::onnx
