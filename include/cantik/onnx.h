// Models in ONNX's files, both ways. ONNX has no dynamic axes: there a batch is the first axis, and a batch
// of sequences the first two, [steps, batch, shape...].
#pragma once

#include <string>
#include <string_view>

#include <cantik/api.h>
#include <cantik/function.h>

namespace cantik {

// How a model is written.
struct OnnxOptions {
  // Of ONNX's set of operators: 13 to 21. 0: 17, or the first later one that can say what the network does.
  int version = 0;
  bool external_data =
      false;  // parameters go to a second file, named like the first one with .data behind it
};

// How a model is read.
struct OnnxReading {
  // Every axis of the file is a static axis, as in CNTK 2.7: an open size is free, and the batch of a file
  // that was written here has the size 1. Without it an open first size is the batch axis.
  bool static_axes = false;
};

// Writes the network. An operator that ONNX cannot express is an error that names it.
CANTIK_API void save_onnx(const Function& model, const std::string& path, const OnnxOptions& options = {});
// What save_onnx() writes, as bytes.
CANTIK_API std::string to_onnx(const Function& model, const OnnxOptions& options = {});
// The network in a file of ONNX's, of operator sets 7 to 28. Function::load() reads it too. Weights become
// parameters.
CANTIK_API Function load_onnx(const std::string& path, const OnnxReading& reading = {});
// The network of bytes. Their tensors cannot be in other files.
CANTIK_API Function from_onnx(std::string_view bytes, const OnnxReading& reading = {});

}  // namespace cantik
