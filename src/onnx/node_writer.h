// Names, numbers and nodes of a graph that is written.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <cantik/function.h>
#include <cantik/onnx.h>
#include <cantik/op/onnx.h>
#include <cantik/tensor.h>

#include "onnx/write.h"

namespace cantik::onnx {

// Values are numbers from 0 on; negative: none. Their names are taken once.
class NodeWriter {
 public:
  NodeWriter(const OnnxOptions& options, WrittenModel& to);

  // A name that no other value has.
  std::string fresh(const std::string& wanted);
  // A value of that name.
  int named(const std::string& name);
  std::string_view name_of(int value) const { return names_.at(static_cast<size_t>(value)); }
  // Sizes as ONNX has them: dynamic axes first, the sequence's before the batch's.
  ValueRecord described(const Type& t, std::string_view name);
  // Without sizes.
  ValueRecord bare(int value, DType dtype) const;
  // Constants.
  int tensor(const Tensor& t, const std::string& name);
  int whole_numbers(const std::vector<int64_t>& dims, const std::vector<int64_t>& numbers);
  // Nodes of another domain than ONNX's own say what they say from this set of operators on.
  void use_set(const std::string& domain, int64_t version);
  // A node, which is called after `current`; its results.
  std::vector<int> node(const std::string& op, const std::string& domain, const std::vector<int>& in,
                        std::vector<AttributeRecord> attributes, int outputs,
                        const std::vector<const std::string*>& output_names = {});
  // Gives the last node this name, if it is one and no other node has it: functions keep theirs.
  void call_last(const std::string& name);
  // Gives the result of a node another name; false: no node of the graph makes it, or it is an output
  // already.
  bool rename_result(int value, const std::string& name);
  int slice(int v, int64_t begin, int64_t end);
  // v in another of ONNX's element types; `name`: of the result.
  int cast(int v, int64_t element, const std::string* name = nullptr);
  AttributeRecord attribute(const std::string& name, const cantik_attribute& a);
  // Numbers that were looked up and are not read after all go.
  void drop_unused();

  const OnnxOptions& options;
  ModelRecord& record;
  std::string current;  // the name of the function that is written

 private:
  WrittenModel& model_;
  std::vector<std::string_view> names_;
  std::unordered_set<std::string> taken_, node_names_;
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, int> integers_;
  int count_ = 0, free_ = 0;
};

}  // namespace cantik::onnx
