// Tensors by name in files of the safetensors format, which PyTorch, Keras and Hugging Face exchange weights
// in: a header in JSON, and the numbers. Nothing in a file is executed.
//
//   save_safetensors("weights.safetensors", {{"hidden.W", w.value()}, {"hidden.b", b.value()}});
//   for (const auto& [name, tensor] : load_safetensors("weights.safetensors").tensors) ...
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/api.h>
#include <cantik/tensor.h>

namespace cantik {

// Tensors by name, in an order.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// A tensor of an element type that Cantik does not have: I64, U64, U32, U16, U8, BOOL, F8_E4M3, F8_E5M2.
struct OtherTensor {
  std::string name, dtype;  // as the file spells them
  Shape shape;              // of the numbers
  Tensor bytes;             // int8, one axis: the numbers as they lie in the file
};

// What a file holds: dense tensors, in the order of their numbers, and texts by name.
struct Safetensors {
  NamedTensors tensors;                              // by their names
  std::map<std::string, std::string> metadata = {};  // texts by their names
  std::vector<OtherTensor> others = {};              // steps that were counted, masks: what is no weight here
};

// The bytes of a file. Sparse tensors, empty names, and a name that comes twice are a ValueError.
CANTIK_API std::string safetensors_to_bytes(const NamedTensors& tensors,
                                            const std::map<std::string, std::string>& metadata = {});
// A file that safetensors_to_bytes or another program wrote. Damaged bytes are a RuntimeError; tensors of
// element types that Cantik does not have are among the others; BF16 is read as float32.
CANTIK_API Safetensors safetensors_from_bytes(std::string_view bytes);

// Writes a file, crash-safe: the old file or the new one.
CANTIK_API void save_safetensors(const std::string& path, const NamedTensors& tensors,
                                 const std::map<std::string, std::string>& metadata = {});
// Reads a file.
CANTIK_API Safetensors load_safetensors(const std::string& path);

}  // namespace cantik
