// Reads a model: nodes of a file, one after another, as calls of operators.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cantik/onnx.h>

#include "onnx/catalog.h"
#include "onnx/computed.h"
#include "onnx/recurrence.h"
#include "onnx/rule_host.h"
#include "onnx/values.h"

namespace cantik::onnx {

// Names of a graph; those of the graph around it can be read as well.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string_view, int> values;
  int find(std::string_view name) const {
    for (const Scope* s = this; s; s = s->outer)
      if (auto it = s->values.find(name); it != s->values.end()) return it->second;
    return -1;
  }
};

class OnnxReader {
 public:
  OnnxReader(const ModelRecord& model, const ModelFolder& place, const OnnxReading& reading);
  Function model();

 private:
  // The recurrences inside are closed.
  Function closed(Function f) const;
  static std::string key(std::string_view domain, std::string_view name) { return cat(domain, "::", name); }
  void define(Scope& scope, std::string_view name, int value);
  int initializer(const TensorRecord& t);
  // An input that has no numbers is known before any run.
  int no_numbers(const ValueRecord& r);
  int input(const ValueRecord& r);
  // A file has one batch. Of several names of first sizes it is the first that an output begins with, too,
  // otherwise that of the first input; first sizes of other names are free.
  static std::string_view name_of_first(const ValueRecord& r);
  std::string_view find_batch_name() const;
  bool is_batch(const ValueRecord& r) const;
  // Recurrences, transposes and products between samples are computed from whole arrays. Their result is a
  // batch again where its first size is the batch: the file says so, or the sizes on the way to it do.
  int as_batch(int value, const ValueRecord& r);
  // A function makes each output; one that is an input or numbers passes through.
  Variable output(int value, std::string_view name);
  void run(const std::vector<NodeRecord>& nodes, Scope& scope, const Bindings* bindings);
  std::string said(std::string_view name, const Scope& scope);
  void node(const NodeRecord& n, Scope& scope, const Bindings* bindings);
  // As the file of an operator says that it is read; false: none does.
  bool ruled_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
                  const Bindings* bindings);

  // ---- sizes that only a run knows
  bool has_symbols(int v);
  std::optional<bool> same_size(int64_t a, int64_t b);
  // Whether it is arithmetic on such sizes, or a question about them, that has an answer before any run.
  bool size_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope);
  std::vector<int64_t> told_dims(const NodeRecord& n, const std::vector<int>& in);
  std::vector<int64_t> resized_dims(const NodeRecord& n, const std::vector<int>& in,
                                    const std::vector<int64_t>& from);
  // The first result has the sizes that its inputs tell, where only a run knows them.
  void keep_told_dims(const NodeRecord& n, const std::vector<cantik_value>& in, const Scope& scope);
  // A node that inputs tell sizes: an operator of ours where it can be one, else it is computed from whole
  // arrays. False: all sizes are numbers.
  bool told_node(const ComputedRule& rule, const NodeRecord& n, const std::vector<cantik_value>& in,
                 Scope& scope, const Bindings* bindings);

  // An identity that has a name, as a function of this name; other values as they are.
  int labelled(int value, const NodeRecord& n);
  // A function is called as its node is.
  void name_result(int value, const NodeRecord& n, const std::vector<cantik_value>& in);
  void apply_rule(const ReadingRule& reading, const NodeRecord& n, const std::vector<cantik_value>& in,
                  std::vector<cantik_value>& results, const Bindings* bindings);
  // The one node of an operator: its operands in their order, aligned as ONNX broadcasts, attributes by name.
  static void read_by_form(cantik_onnx_node& c, const ReadingRule& reading);
  // An operator that a C++ function computes from whole arrays.
  void computed_node(const ComputedRule& rule, const NodeRecord& n, const std::vector<cantik_value>& in,
                     Scope& scope);
  std::vector<int> computed(Computed what, const NodeRecord& n, const std::vector<int>& in);
  int constant_node(const NodeRecord& n, const Bindings* bindings);
  void define_all(Scope& scope, const NodeRecord& n, const std::vector<int>& results);
  // Values that are repeated over sizes that only a run knows: those of a batch or of sequences.
  bool expand_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope);
  // A loop over the steps of sequences: its states are delays, its body is read once.
  void scan_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
                 const Bindings* bindings);
  // The same written out, step by step, where the values have no batch, or other axes than sequences have.
  // The results: the states at the end, and the values of all steps.
  struct ScanForm;
  bool has_batch(const ScanForm& form, const std::vector<int>& in);
  std::vector<int> written_scan(const ScanForm& form, const std::vector<int>& in, Scope& scope,
                                const Bindings* bindings);
  // In version 8 of ONNX's operators: each sample of a batch has a loop of its own.
  std::vector<int> scan_of_samples(const ScanForm& form, const std::vector<int>& in, Scope& scope,
                                   const Bindings* bindings);
  // The value of a state, whose number of steps is that of a sequence.
  static Variable of_as_many_steps(const Variable& v, const Variable& like);
  // One place along an axis, which goes.
  int step_of(int v, int64_t axis, int64_t place);
  // What a graph inside of a node makes.
  std::vector<int> results_of(const GraphRecord& g, Scope& inner, const Bindings* bindings, const char* what);
  std::vector<int> branch_of(const NodeRecord& n, const char* name, Scope& scope, const Bindings* bindings);
  // The branch is chosen when the file is read, if its condition is known; otherwise both are computed, since
  // they have no effects, and each run chooses between their results. Of branches that make values of
  // different shapes a run computes one.
  void if_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
               const Bindings* bindings);
  static constexpr int64_t kMostRounds = 4096;  // of a loop that is written out
  // A loop whose number of rounds is known is written out, round by round.
  void loop_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
                 const Bindings* bindings);
  // Nothing: only a run knows how many rounds there are.
  std::optional<std::vector<int>> written_loop(const NodeRecord& n, const std::vector<int>& in, Scope& scope,
                                               const Bindings* bindings);
  // A run computes the rounds, one after another, and a branch, once it is chosen.
  std::vector<int> run_loop(const NodeRecord& n, const std::vector<int>& in, Scope& scope,
                            const Bindings* bindings);
  std::vector<int> run_branch(const NodeRecord& n, int condition, Scope& scope, const Bindings* bindings);
  // The values one behind the other along a new axis.
  int stacked(const std::vector<int>& list, int64_t axis = 0);

  // ---- sequences of tensors
  // Whether it makes or reads one.
  bool list_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope);
  int inserted(const TensorList& list, const std::vector<cantik_value>& in);
  int element_at(const TensorList& list, int place);
  int joined(const NodeRecord& n, const TensorList& list);
  int split(const NodeRecord& n, const std::vector<cantik_value>& in);

  // ---- a graph inside of a node as a function of its own
  // Values from outside that graphs read and that a run computes, without dynamic axes, by name.
  using Captures = std::vector<std::pair<std::string_view, int>>;
  Captures captures_of(const std::vector<const GraphRecord*>& graphs, const Scope& scope);
  struct InnerGraph {
    InnerFunction function;
    std::vector<std::vector<int64_t>> dims;  // of its results
    std::vector<int32_t> elements;
  };
  // Its inputs: first those of the graph, which have the sizes and element types of `given`, then what it
  // captures. An input of the type kUndefined is a sequence of tensors, which the graph adds one tensor to:
  // the function makes this tensor.
  InnerGraph inner_graph(const GraphRecord& g, const std::vector<ComputedResult>& given,
                         const Captures& captures, Scope& scope, const Bindings* bindings, const char* what);

  // ---- operators that are read as several of ONNX's own
  // Whether it is one.
  int older_resize(const NodeRecord& n, const std::vector<int>& in);
  bool composed_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
                     const Bindings* bindings);
  std::vector<int> flex_attention(const NodeRecord& n, const std::vector<int>& in, Scope& scope,
                                  const Bindings* bindings);
  std::vector<int> causal_convolution(const NodeRecord& n, const std::vector<int>& in);
  // ---- operators of ONNX Runtime's over quantized values
  // Whether it is one.
  bool quantized_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope);
  std::vector<int> quantized(const NodeRecord& n, const std::vector<int>& in);
  int centred(int whole, int zero);
  int quantized_product(const NodeRecord& n, const std::vector<int>& in);
  std::vector<int> quantized_lstm(const NodeRecord& n, std::vector<int> in);
  int dynamic_product(const NodeRecord& n, const std::vector<int>& in);

  // ---- tables: linear models, scaled features, ...
  // Whether it is one.
  bool table_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope);
  int linear_scores(const NodeRecord& n, int x, int64_t said);
  int transformed(const NodeRecord& n, int scores);
  std::vector<int> linear_classes(const NodeRecord& n, int x);
  int scaled(const NodeRecord& n, int x);
  int known_reals(const std::vector<double>& numbers);
  int filled_in(const NodeRecord& n, int x);
  int normalized(const NodeRecord& n, int x);

  // A node of ONNX's operator over values, of which negative ones are not there; its first result.
  int made(std::string_view op, const std::vector<int>& in, std::vector<AttributeRecord> attributes = {});
  std::vector<int> all_made(std::string_view op, const std::vector<int>& in, size_t results,
                            std::vector<AttributeRecord> attributes = {});
  int known_numbers(std::vector<int64_t> numbers, int32_t element = kInt64);
  // A function of the file in place of its call.
  void call_function(const FileFunction& f, const NodeRecord& n, const std::vector<cantik_value>& in,
                     Scope& scope, const Bindings* around);

  const ModelRecord& model_;
  Values values_;
  OnnxReading reading_;
  int64_t version_ = 0;
  std::string_view batch_name_;    // empty: no first size has a name
  std::set<int64_t> batch_sizes_;  // those of the inputs that are batches
  int depth_ = 0, nodes_ = 0;
  Closings closings_;
  std::unordered_map<std::string, const FileFunction*> functions_;
  std::unordered_map<std::string_view, int64_t> symbols_;
  std::unordered_map<std::string_view, Axis> axes_;
};

}  // namespace cantik::onnx
