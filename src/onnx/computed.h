// Operators of ONNX that a C++ function computes from whole arrays: those whose results have sizes that only
// data tell, and some that no operator of ours is made for.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/attribute.h>
#include <cantik/function.h>
#include <cantik/tensor.h>
#include <cantik/user_operator.h>

#include "onnx/model.h"

namespace cantik::onnx {

// The numbers of a value, row-major. A value that is not there has no element type.
struct Array {
  std::vector<int64_t> dims;
  std::vector<double> numbers;

  int64_t axis(int64_t a) const;  // counted from the front
  int64_t product(size_t from, size_t to) const;
};

// A node when the file is read.
struct ComputedNode {
  const NodeRecord& node;
  std::vector<std::vector<int64_t>> dims;  // of the inputs; negative: only a run knows
  std::vector<int32_t> elements;           // kUndefined: the input is not there
  int64_t version = 0;                     // of the operator set of the file

  bool has(size_t input) const { return input < elements.size() && elements[input] != kUndefined; }
  int64_t integer(std::string_view name, int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, const char* otherwise) const;
  std::vector<int64_t> integers(std::string_view name) const;
  std::vector<double> reals(std::string_view name) const;
};

// A result: its sizes, -1 where only a run knows, and its element type.
struct ComputedResult {
  std::vector<int64_t> dims;
  int32_t element = kFloat;
};

// An attribute of a node that is a tensor.
struct WrittenTensor {
  std::string name;
  int32_t element = kFloat;
  std::vector<int64_t> dims;
  std::string bytes;
};

// A node of ONNX's that says the same in files; empty: none does.
struct WrittenNode {
  std::string op;
  std::vector<std::pair<std::string, Attribute>> attributes;
  std::vector<WrittenTensor> tensors = {};
  double number = 0;                            // of ConstantOfShape
  int64_t since = 0;                            // the set of its domain's from which on it says this
  std::vector<std::string_view> left_out = {};  // attributes that say nothing, or which earlier sets lack
  std::string domain = {};                      // empty: ONNX's own
};

// What the node is: its results, and how they are computed from the inputs, absent ones too.
struct Computed {
  using Run = std::function<std::vector<Array>(const std::vector<Array>&)>;
  // Of each input its gradient, from the inputs and the gradients of the results; without numbers: none.
  using Gradient = std::function<std::vector<Array>(const std::vector<Array>&, const std::vector<Array>& dy)>;
  std::vector<ComputedResult> results;
  Run run;
  // A bit for each input whose numbers the result has in other places, which the other inputs tell: its
  // gradient goes back to where they were.
  uint32_t moves = 0;
  Gradient gradient = {};  // of a result that is made otherwise
  WrittenNode written = {};
  std::vector<int32_t> elements = {};  // of the inputs; kUndefined: the input is not there
};

struct ComputedRule {
  const char* name;  // of another domain than ONNX's own: "domain::Name"
  // A character for each input: a digit is its rank, * any rank. Those behind a question mark may be absent.
  const char* inputs;
  Computed (*rule)(const ComputedNode&);
  // Where an operator of ours reads the node, too, if these inputs are known when the file is read: a bit for
  // each. 0: no operator does. What it refuses because of sizes that only a run knows is computed.
  uint32_t known_for_operator = 0;
  uint32_t moves = 0;  // as Computed::moves
  int64_t since = 0;   // the set of its domain's from which on the node is written as it is; 0: it is not
};
constexpr uint32_t kWhateverIsKnown = uint32_t{1} << 31;  // an operator reads it with no input known
constexpr int64_t kAllSets = 1;                           // of ComputedRule::since
// Null: there is none.
const ComputedRule* computed_rule(std::string_view name);
// The results that the rule makes of a node, with its absent inputs at the end. An input that is not there,
// or has another rank than the rule reads, is an error.
Computed computed_from(const ComputedRule& rule, ComputedNode node);
// Whether the inputs that the rule needs are among these values, of which negative ones are not there.
bool has_inputs(const ComputedRule& rule, std::span<const int> in);
// Zeros of these sizes, which are checked: data told them.
Array sized(const std::vector<int64_t>& dims);

// The function over operands without dynamic axes; an empty variable stands for one that is not there.
// What a function computes that was made so; null of others. Operands are the inputs that are there.
const Computed* computed_of(const UserOperator& op);
Function computed_function(Computed what, const std::string& op, const std::vector<Variable>& operands,
                           const std::string& name);
// A graph inside of a node, which a run evaluates as often as it finds. Its inputs have no dynamic axes.
struct InnerFunction {
  Function function;
  std::vector<Variable> inputs, outputs;
  std::vector<Array> run(const std::vector<Array>& given) const;
};
// The same numbers as a tensor, and back.
Tensor tensor_of(const Array& a, DType dtype);
Array array_of(const Tensor& t);

// The families of rules.
std::span<const ComputedRule> computed_shapes();  // Range, NonZero, Slice with bounds of a run, ...
std::span<const ComputedRule> computed_places();  // lookups, largest numbers, edges
std::span<const ComputedRule> computed_resize();
std::span<const ComputedRule> computed_pictures();  // NonMaxSuppression, RoiAlign, ...
std::span<const ComputedRule> computed_tables();    // TfIdfVectorizer, windows, ...
std::span<const ComputedRule> computed_image_files();
std::span<const ComputedRule> computed_columns();  // of tables: lookups, categories, ...
std::span<const ComputedRule> computed_trees();    // TreeEnsemble, as it is and as it was
std::span<const ComputedRule> computed_vectors();  // of support vector machines

}  // namespace cantik::onnx
