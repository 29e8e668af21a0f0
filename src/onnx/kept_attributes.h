// The attributes of a user's own that a network has, in the metadata of ONNX's files: columns of a table,
// names of classes.
#pragma once

#include <string_view>

#include <cantik/function.h>

#include "onnx/model.h"

namespace cantik::onnx {

// The entry's key; its value is a JSON object with all of them.
constexpr std::string_view kAttributesEntry = "cantik.custom_attributes";

// Puts the attributes of the network into the record. A ValueError names one that JSON has no form for.
void keep_attributes(const Function& f, ModelRecord& record);
// Gives the attributes of the record to the network.
void restore_attributes(const ModelRecord& record, const Function& f);

}  // namespace cantik::onnx
