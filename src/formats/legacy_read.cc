// From a file of CNTK's first generation to a model of the second: nodes with what the file says of them,
// then which reads which.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "formats/legacy_operations.h"
#include "formats/legacy_stream.h"
#include "formats/model.h"

namespace cantik {
namespace {

constexpr uint64_t kLastVersion = 31;  // of CNTK 2.7
constexpr std::string_view kUid = "__v2libuid__", kName = "__v2libname__";
constexpr std::string_view kDefaultSequence = "*";
enum PrimitiveNumber : uint64_t {
  kMinus = 20,
  kElementTimes = 21,
  kTransposeTimes = 32,
  kPastValue = 37,
  kFutureValue = 38,
  kReduceElements = 39,
  kCombine = 44
};

struct LegacyNode {
  std::string operation, uid, name;
  std::vector<std::string> operands;  // as the file names them
  const LegacyOperation* known = nullptr;
  Dictionary attributes;
  DType dtype = DType::float32;
  double initial = 0;  // of a delay without a second operand
  bool is_leaf = false, is_axis = false;
};

// "__v2libuid__Plus48__v2libname__sum": what a model of the second generation left; all other names are the
// user's own.
std::pair<std::string, std::string> uid_and_name(const std::string& s) {
  const size_t name = s.rfind(kName);
  if (!s.starts_with(kUid) || name == s.npos) return {s, s};
  return {s.substr(kUid.size(), name - kUid.size()), s.substr(name + kName.size())};
}

class LegacyReader {
 public:
  explicit LegacyReader(std::string_view bytes) : file_(bytes) {}

  Dictionary model() {
    header();
    nodes();
    relations();
    roots();
    for (const auto& [key, node] : nodes_) translate(node);
    return whole();
  }

 private:
  void header() {
    file_.expect("BCN");
    file_.expect("BVersion");
    file_.version = file_.number<uint64_t>();
    if (file_.version == 0 || file_.version > kLastVersion)
      throw unsupported(cat("a model of CNTK 1 in version ", file_.version, " cannot be read"))
          .remedy(cat("versions 1 to ", kLastVersion, " are read"));
    file_.expect("EVersion");
  }

  void nodes() {
    const uint64_t count = file_.count(4);
    file_.expect("BNodeList");
    for (uint64_t i = 0; i < count; ++i) {
      LegacyNode node;
      if (file_.since(7)) node.dtype = dtype(file_.text());
      node.operation = file_.text();
      const std::string key = file_.text();
      std::tie(node.uid, node.name) = uid_and_name(key);
      content(node);
      if (!nodes_.emplace(key, std::move(node)).second) file_.refuse("two nodes are called " + key);
    }
    file_.expect("ENodeList");
  }

  DType dtype(const std::string& name) {
    if (name == "float") return DType::float32;
    if (name == "double") return DType::float64;
    if (name == "half") return DType::float16;
    file_.refuse(cat("'", name, "' is no type of numbers"));
  }

  void content(LegacyNode& n) {
    const std::string& op = n.operation;
    if (op == "DynamicAxis") {
      n.is_axis = true;
    } else if (op == "LearnableParameter") {
      parameter(n);
    } else if (op == "InputValue" || op == "SparseInputValue") {
      input(n, op[0] == 'S');
    } else if (op == "PastValue" || op == "FutureValue") {
      n.attributes["offset"] = static_cast<uint64_t>(file_.number<uint32_t>());
      file_.shape();
      n.initial = file_.number<float>();
    } else if ((n.known = legacy_operation(op)) != nullptr) {
      if (n.known->attributes) n.attributes = n.known->attributes(file_);
    } else if (op != "CrossEntropyWithSoftmax" && op != "SquareError" && op != "LogSoftmax") {
      throw unsupported(cat("the operation ", op, " of a model of CNTK 1 cannot be read"))
          .line("node", n.name)
          .remedy(
              "docs/reference/model_files.md lists those that can; CNTK 2 may save the model in its own "
              "format");
    }
  }

  Dictionary leaf(LegacyNode& n, uint64_t kind, const Shape& shape) {
    n.is_leaf = true;
    Dictionary d{{"version", uint64_t{1}},
                 {"type", "Variable"},
                 {"uid", n.uid},
                 {"kind", kind},
                 {"data_type", static_cast<uint64_t>(n.dtype)},
                 {"dynamic_axis", DictionaryVector()},
                 {"is_sparse", false},
                 {"needs_gradient", kind == 2},
                 {"shape", shape}};
    if (!n.name.empty()) d["name"] = n.name;
    return d;
  }

  void parameter(LegacyNode& n) {
    const bool learns = file_.since(10) ? file_.number<float>() != 0 : file_.flag();
    const Shape shape = file_.shape();
    Dictionary d = leaf(n, learns ? 2 : 3, shape);
    d["value"] = file_.matrix(shape, n.dtype);
    leaves_.push_back(std::move(d));
  }

  void input(LegacyNode& n, bool sparse) {
    file_.number<uint64_t>();  // rows and columns of the last minibatch
    file_.number<uint64_t>();
    Dictionary d = leaf(n, 0, file_.shape());
    DictionaryVector axes;
    if (file_.since(14)) {
      const uint32_t count = file_.number<uint32_t>();
      for (uint32_t i = 0; i < count; ++i)
        if (const std::string name = file_.text(); name != kNoSequenceAxis) axes.push_back(sequence(name));
      file_.number<float>();  // how fast it learns
    } else {
      axes.push_back(Axis::sequence());
    }
    if (axes.size() > 1) file_.refuse(cat("the input ", n.name, " has several sequence axes"));
    axes.push_back(Axis::batch());
    d["dynamic_axis"] = std::move(axes);
    d["is_sparse"] = sparse;
    leaves_.push_back(std::move(d));
  }

  static Axis sequence(const std::string& name) {
    return name == kDefaultSequence || name.empty() ? Axis::sequence() : Axis(uid_and_name(name).second);
  }

  void relations() {
    file_.expect("BRelation");
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const auto node = nodes_.find(file_.text());
      if (node == nodes_.end()) file_.refuse("what a node reads is told of one that is not there");
      for (uint64_t n = file_.count(2); n > 0; --n) {
        const std::string operand = file_.text();
        if (!nodes_.contains(operand)) file_.refuse(cat("a node reads ", operand, ", which is not there"));
        node->second.operands.push_back(operand);
      }
    }
    file_.expect("ERelation");
  }

  // Features and labels are inputs; the others are outputs.
  void roots() {
    file_.expect("BRootNodes");
    for (const std::string kind : {"Feature", "Label", "Criterion", "Eval", "Output"}) {
      file_.expect(("B" + kind + "Nodes").c_str());
      for (uint64_t n = file_.count(2); n > 0; --n) {
        const std::string key = file_.text();
        const auto at = nodes_.find(key);
        if (at == nodes_.end()) file_.refuse(cat("it gives ", key, ", which is not there"));
        if (kind != "Feature" && kind != "Label" && !at->second.is_leaf) roots_.push_back(key);
      }
      file_.expect(("E" + kind + "Nodes").c_str());
    }
    file_.expect("ERootNodes");
    file_.expect("ECN");
  }

  std::string value_of(const std::string& key) const {
    const LegacyNode& n = nodes_.at(key);
    return n.is_leaf ? n.uid : n.uid + "_Output_0";
  }

  // Appends a function; the uid of its value.
  std::string function(const std::string& uid, uint64_t number, const std::vector<std::string>& inputs,
                       Dictionary attributes, const std::string& name = "") {
    Dictionary d{{"version", uint64_t{24}},
                 {"type", "PrimitiveFunction"},
                 {"uid", uid},
                 {"op", number},
                 {"inputs", DictionaryVector(inputs.begin(), inputs.end())},
                 {"attributes", std::move(attributes)}};
    if (!name.empty()) d["name"] = name;
    functions_.push_back(std::move(d));
    return uid + "_Output_0";
  }

  void translate(const LegacyNode& n) {
    if (n.is_leaf || n.is_axis) return;
    std::vector<std::string> inputs;
    for (const std::string& key : n.operands) {
      if (nodes_.at(key).is_axis) file_.refuse(cat(n.name, " reads an axis"));
      inputs.push_back(value_of(key));
    }
    if (is_delay(n)) {
      if (inputs.size() == 1) inputs.push_back(initial(n));
      function(n.uid, n.operation == "PastValue" ? kPastValue : kFutureValue, inputs, n.attributes, n.name);
    } else if (!n.known) {
      compose(n, inputs);
    } else {
      std::vector<std::string> own = inputs;
      for (size_t i = 0; i < inputs.size() && i < n.known->order.size(); ++i) {
        if (n.known->order[i] >= inputs.size()) continue;
        own[i] = inputs[n.known->order[i]];
      }
      function(n.uid, n.known->number, own, n.attributes, n.name);
    }
  }

  std::string initial(const LegacyNode& of) {
    LegacyNode n{.uid = of.uid + "_initial", .dtype = of.dtype};
    Tensor value(of.dtype, Shape());
    const double number = of.initial;
    copy_numbers(DType::float64, &number, of.dtype, value.raw(), 1);
    Dictionary d = leaf(n, 3, Shape());
    d["value"] = value;
    leaves_.push_back(std::move(d));
    return n.uid;
  }

  // What the second generation makes of several functions.
  void compose(const LegacyNode& n, const std::vector<std::string>& in) {
    const auto reduce = [](const char* how) {
      return Dictionary{
          {"axis", Axis::all_static()}, {"reductionOpName", how}, {"reductionKeepDimensions", true}};
    };
    const size_t wanted = n.operation == "LogSoftmax" ? 1 : 2;
    if (in.size() != wanted) file_.refuse(cat(n.operation, " reads ", in.size(), " values"));
    if (n.operation == "SquareError") {
      const std::string difference = function(n.uid + "_difference", kMinus, in, {});
      const std::string square = function(n.uid + "_square", kElementTimes, {difference, difference}, {});
      function(n.uid, kReduceElements, {square}, reduce("Sum"), n.name);
      return;
    }
    const std::string& x = in.back();  // of labels and scores the scores
    const std::string sum = function(n.uid + "_logsum", kReduceElements, {x}, reduce("LogSum"));
    if (wanted == 1) {
      function(n.uid, kMinus, {x, sum}, {}, n.name);
      return;
    }
    const std::string score =
        function(n.uid + "_score", kTransposeTimes, {in[0], x}, {{"outputRank", uint64_t{1}}});
    function(n.uid, kMinus, {sum, score}, {}, n.name);
  }

  static bool is_delay(const LegacyNode& n) {
    return n.operation == "PastValue" || n.operation == "FutureValue";
  }

  // The values that no node reads are what the model gives, and those that it names as such.
  Dictionary whole() {
    std::unordered_set<std::string> read;
    for (const auto& [key, n] : nodes_) read.insert(n.operands.begin(), n.operands.end());
    std::vector<std::string> outputs;
    for (const auto& [key, n] : nodes_)
      if (!n.is_leaf && !n.is_axis && !read.contains(key)) outputs.push_back(value_of(key));
    for (const std::string& key : roots_)
      if (const std::string v = value_of(key); std::ranges::find(outputs, v) == outputs.end())
        outputs.push_back(v);
    if (outputs.empty()) file_.refuse("every value of it is read by another: it gives nothing");
    function("CombineOfAll", kCombine, outputs, {});
    return {{"version", uint64_t{3}},          {"type", "CompositeFunction"},
            {"uid", "CompositeFunctionOfAll"}, {"root", "CombineOfAll"},
            {"inputs", std::move(leaves_)},    {"primitive_functions", std::move(functions_)}};
  }

  LegacyStream file_;
  std::map<std::string, LegacyNode> nodes_;
  std::vector<std::string> roots_;  // by name
  DictionaryVector leaves_, functions_;
};

}  // namespace

// The wide characters of BCN.
bool is_legacy_model(std::string_view bytes) {
  return bytes.starts_with(std::string_view("B\0C\0N\0\0\0", 8));
}

Function read_legacy_model(std::string_view bytes) { return read_model(LegacyReader(bytes).model()); }

}  // namespace cantik
