// The numbers of the fields in ONNX's messages.
#pragma once

#include <cstdint>

namespace cantik::onnx::field {

namespace model {
enum : uint32_t {
  kIr = 1,
  kProducer,
  kProducerVersion,
  kDomain,
  kVersion,
  kDoc,
  kGraph,
  kSets,
  kMetadata = 14,
  kFunctions = 25
};
}
namespace set {
enum : uint32_t { kDomain = 1, kVersion };
}
namespace entry {
enum : uint32_t { kKey = 1, kValue };
}
namespace function {
enum : uint32_t { kName = 1, kInput = 4, kOutput, kAttribute, kNode, kDoc, kSets, kDomain, kDefaults };
}
namespace graph {
enum : uint32_t { kNode = 1, kName, kInitializer = 5, kDoc = 10, kInput, kOutput, kValue, kSparse = 15 };
}
namespace node {
enum : uint32_t { kInput = 1, kOutput, kName, kOp, kAttribute, kDoc, kDomain };
}
namespace attribute {
enum : uint32_t {
  kName = 1,
  kReal,
  kInteger,
  kText,
  kTensor,
  kGraph,
  kReals,
  kIntegers,
  kTexts,
  kTensors,
  kGraphs,
  kType = 20,
  kReference
};
}
namespace tensor {
enum : uint32_t {
  kDims = 1,
  kType,
  kSegment,
  kFloats,
  kInt32s,
  kStrings,
  kInt64s,
  kName,
  kRaw,
  kDoubles,
  kUint64s,
  kDoc,
  kExternal,
  kLocation
};
}
namespace value {
enum : uint32_t { kName = 1, kType };
}
namespace type {
enum : uint32_t { kTensor = 1 };
}
namespace tensor_type {
enum : uint32_t { kElement = 1, kShape };
}
namespace shape {
enum : uint32_t { kDim = 1 };
}
namespace dim {
enum : uint32_t { kSize = 1, kName };
}

}  // namespace cantik::onnx::field
