// Operators by what ONNX calls them, from what their files say.
#pragma once

#include <string_view>
#include <unordered_map>

#include <cantik/op/onnx.h>

#include "graph/operator.h"

namespace cantik::onnx {

// What an operator's file says; null: nothing.
const cantik_onnx_form* form_of(const Operator& op);

// How one of ONNX's operators is read.
struct ReadingRule {
  const Operator* op = nullptr;  // whose file says it
  const cantik_onnx_form* form = nullptr;
  const cantik_onnx_rule* rule = nullptr;  // null: as the form's one node
};

// Null: nobody's file says it. Operators of other domains are called "domain::Name".
const ReadingRule* reading_of(std::string_view name);

}  // namespace cantik::onnx
