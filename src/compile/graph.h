// Graph: the compiler's form of what is to be run. Passes take it and change it; they see types, never
// lengths.
//
// Values are numbers in one table; a node reads some and makes some. Nodes need not stand in order (a loop
// has none).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cantik/device.h>
#include <cantik/error.h>
#include <cantik/type.h>

#include "base/id.h"
#include "base/small_vector.h"
#include "graph/node.h"
#include "graph/operator.h"

namespace cantik::ir {

struct ValueInfo;
struct Node;
struct Loop;
using ValueId = Id<ValueInfo>;
using NodeId = Id<Node>;
using LoopId = Id<Loop>;
using SourceId = Id<cantik::Node>;                              // a function of the user's graph
using Sources = ById<SourceId, std::shared_ptr<cantik::Node>>;  // held, for as long as something runs
using Values = SmallVector<ValueId, 4>;

enum class Mode : uint8_t { evaluation, training };

enum class NodeKind : uint8_t {
  dead,
  map,   // an elementwise expression over the inputs, which broadcast
  call,  // an operator of the registry
};

struct Node {
  NodeKind kind = NodeKind::dead;
  const Operator* op = nullptr;       // call; of a map: the operator it comes from, if it is still one
  std::vector<Attribute> attributes;  // call
  Expression expression;              // map; of a call: what is done to its result (epilogue)
  bool closes = false;                // of a map: its result is summed to `attributes`, as sum_to has them
  Values in, out;
  SourceId source;              // which of Graph::sources this comes from
  int32_t epilogue_inputs = 0;  // of a call: how many of the last inputs the epilogue reads
  LoopId loop;                  // of Graph::loops: which loop it is part of
  bool of_user = false;         // it came with the user's graph, not with its gradient
  // a slice that is read in its operand's rows, a splice whose operands are written into its rows
  bool columns = false;
  bool on_device = false;  // it runs on Graph::device, and its results lie in the memory there
  uint32_t spread = 0;     // the inputs, a bit each, that are of the batch and read at each step

  bool is_spread(size_t input) const { return input < 32 && (spread >> input & 1) != 0; }
};

enum class LeafKind : uint8_t { none, input, parameter, constant, number, live };

struct ValueInfo {
  Type type;
  NodeId producer;
  int32_t output = 0;
  LeafKind leaf = LeafKind::none;
  int32_t leaf_index = -1;  // into Graph::leaves, or Graph::lives
  double number = 0;        // of LeafKind::number: a scalar constant
};

// An attribute that may change between runs, read as a scalar.
struct Live {
  SourceId source;  // into Graph::sources
  int32_t field;
  friend bool operator==(const Live&, const Live&) = default;
};

// past_value, future_value and their relatives: what they read is of another step.
bool is_delay(const Node& n);
// Operators on sequences that give something else for parts of them; delays know how to go on.
bool looks_at_whole_sequences(const Node& n);

// A loop over the steps of sequences. Its nodes say which loop they belong to; its values lie in step order.
struct Loop {
  Axes axes;
  bool from_end = false;    // steps count from the end of the sequences
  bool descending = false;  // the last step comes first
};

// What the data of a run say about types, where that has become part of them.
struct Known {
  std::vector<std::pair<Axes, int64_t>> samples;  // of inputs on these axes; empty: any number
  std::vector<std::pair<Axes, int64_t>> longest;  // steps of sequences on these axes
  // of functions whose sizes come late, by Graph::sources: rows, where there are any, and shape
  std::vector<std::pair<SourceId, std::vector<Shape>>> results;
  bool operator==(const Known&) const = default;
};

// What of it has to be known before the types are.
struct Needs {
  bool samples = false;           // they are an axis somewhere, or there are several batches
  std::vector<Axes> longest;      // steps of sequences on these axes are an axis somewhere
  std::vector<SourceId> results;  // of functions whose sizes come late, by Graph::sources
  bool operator==(const Needs&) const = default;
  bool any() const { return samples || !longest.empty() || !results.empty(); }
};

// A batch that is not that of the inputs: so many samples on an axis of its own. In the user's graph it is a
// batch like all others.
struct Batch {
  Axis axis;
  int64_t samples;
};

class Graph {
 public:
  ById<ValueId, ValueInfo> values;
  ById<NodeId, Node> nodes;
  std::vector<ValueId> outputs;  // what the caller wants
  std::vector<NodeId> effects;   // nodes run for what they change
  std::vector<Variable> leaves;  // inputs, parameters and constants, in the order they were met
  int32_t further_leaves = 0;    // the last of them: inputs that a pass added
  std::vector<Live> lives;
  ById<LoopId, Loop> loops;
  // functions of the user's graph, for errors, State and live attributes
  ById<SourceId, const cantik::Node*> sources;
  Mode mode = Mode::evaluation;
  Device device;                 // where it runs; nodes that the device has no kernel for run on the host
  bool stores_in_place = false;  // values that are stored may be made in the memory where they go
  Known known;
  Needs needs;
  bool makes_batches = false;  // an axis became samples
  std::vector<Batch> batches;  // beside that of the inputs
  int64_t counted = -1;        // samples of Request::counted; -1: the feeds say it

  ValueId add_leaf(LeafKind kind, const Type& type, int32_t index);
  ValueId number(double v, DType dtype);
  ValueId live(Live l, DType dtype);
  NodeId add(Node node, std::span<const Type> types);
  // With types from the operator's rule; ops that lower themselves are lowered.
  Values call(const Operator& op, std::vector<Attribute> attributes, std::span<const ValueId> in,
              SourceId source);
  // With these types of the results, written out.
  Values call_like(const Operator& op, std::vector<Attribute> attributes, std::span<const ValueId> in,
                   std::vector<Type> types, SourceId source);
  ValueId map(Expression e, std::span<const ValueId> in, SourceId source);
  // Whether calls of the operator save something in this mode: then they have one result more, the last.
  bool saves(const Operator& op) const;
  // Whether v has a sequence axis that its producer makes.
  bool makes_axes_of(ValueId v) const;
  // The value with every element written out, where it is sparse.
  ValueId dense(ValueId v, SourceId source);
  // The value as the operator's kernels read it: written out where they read no sparse rows of its kind.
  ValueId readable(const Operator& op, ValueId v, SourceId source);
  // A dense value again, in memory of its own.
  ValueId copied(ValueId v);
  // Operands of the batch beside operands with a sequence axis are spread over its steps.
  void align(std::span<ValueId> in, SourceId source, const Operator* op = nullptr);
  // An operator's expression with its attributes as constants; live ones become further inputs.
  Expression with_attributes(const Operator& op, const Expression& e, std::span<const Attribute> attributes,
                             SourceId source, Values& in);
  void replace_uses(ValueId from, ValueId to);
  void remove(NodeId n);

  // Samples of the inputs' batch (-1: not known), and of the batch with this axis.
  int64_t samples() const;
  int64_t samples_of(const Axis& batch) const;
  // The axes with a batch of so many samples: the inputs', or one of its own.
  Axes with_batch_of(const Axes& axes, int64_t samples);
  // As the user's graph has them: a batch is a batch.
  Axes axes_of_user(const Axes& axes) const;

  const Type& type(ValueId v) const { return values[v].type; }
  ValueInfo& value(ValueId v) { return values[v]; }
  const ValueInfo& value(ValueId v) const { return values[v]; }
  Node& node(NodeId n) { return nodes[n]; }
  const Node& node(NodeId n) const { return nodes[n]; }
  Node* producer(ValueId v) {
    NodeId n = value(v).producer;
    return n ? &node(n) : nullptr;
  }
  const Node* producer(ValueId v) const {
    NodeId n = value(v).producer;
    return n ? &node(n) : nullptr;
  }
  // Whether the value lies in the memory of the device.
  bool is_on_device(ValueId v) const {
    const Node* n = producer(v);
    return n && n->on_device;
  }
  bool is_live(NodeId n) const { return node(n).kind != NodeKind::dead; }
  bool is_number(ValueId v, double x) const {
    return value(v).leaf == LeafKind::number && value(v).number == x;
  }

  // Nodes that the outputs and effects need, operands first; the edges that close loops are left out. Once
  // loops are formed, the nodes of each stand together, as body_of has them.
  std::vector<NodeId> order() const;
  // Nodes that make sequence axes of their own; which of them makes these axes, and which a node's rows wait
  // for, though it may not read it.
  std::vector<std::pair<Axes, NodeId>> makers() const;
  NodeId maker_of(const Axes& axes, std::span<const std::pair<Axes, NodeId>> made) const;
  NodeId maker_of(NodeId n, std::span<const std::pair<Axes, NodeId>> made) const;
  std::vector<NodeId> body_of(LoopId loop) const;  // in the order in which a step runs them
  std::vector<NodeId> producers(NodeId id) const;  // of what the node reads
  ById<ValueId, int32_t> use_counts() const;       // outputs count
  void remove_unused();
  // The graph as lines: leaves with their types, nodes in order, what it returns. `parsed` reads it.
  std::string text() const;
  // The user's graph below these values, as far as this mode needs it; `outputs` is set. Inputs with free
  // dimensions may be given shapes.
  void import(std::span<const Variable> wanted, std::span<const std::pair<Variable, Shape>> shapes = {});
  void verify(const char* after) const;  // throws a runtime error: a defect of a pass

 private:
  Type type_of_map(const Values& in) const;
  // that they have as many samples
  void check_batches(const Values& in, const Operator* op, SourceId source) const;
  std::string name_of(ValueId v) const;
  void turn_rows(const Operator& op, const Type& from, Type& to);
  std::vector<Type> types_with_late_sizes(const Operator& op, std::span<const Attribute> attributes,
                                          const Values& in, SourceId source);
  Values add_call(Node n, std::vector<Type> types);
  void bind_outputs(NodeId n, std::span<const Type> types);
};

// The builder of operators' bodies and gradients over this graph.
class GraphBuilder {
 public:
  GraphBuilder(Graph& g, const Operator& op, std::span<const Attribute> attributes,
               std::span<const ValueId> x, SourceId source);
  void gradients(std::span<const ValueId> y, std::span<const ValueId> dy, std::span<const uint8_t> wanted);
  // Of a body after gradients: the results that it takes the place of, for their types.
  void in_place_of(std::span<const ValueId> y);
  // Runs the callback; what it set: outputs, or gradients of the inputs (none where there is none).
  Values run(cantik_status (*callback)(void*, cantik_builder*));

 private:
  struct Host;
  using Handles = SmallVector<cantik_value, 8>;  // values as the plain-C boundary has them
  static Handles handles(std::span<const ValueId> values);
  // One that it has for itself, or that all know.
  const Operator& operator_named(const char* name) const;
  Graph& graph_;
  const Operator& op_;
  AttributesInC attributes_;
  Handles x_, y_, dy_, result_;
  SmallVector<uint8_t, 8> wanted_;
  bool gradient_ = false;
  SourceId source_;
};

}  // namespace cantik::ir
