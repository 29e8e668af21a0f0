// Node: what Variable and Function are handles on. A node only goes from unknown to known: a placeholder is
// bound once, types are inferred to a fixed point.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <cantik/error.h>
#include <cantik/function.h>
#include <cantik/variable.h>

#include "graph/edge.h"
#include "graph/operator.h"

namespace cantik {

class Dictionary;
struct Foreign;

// The numbers of a parameter or constant. Made at the latest when they are asked for, from the initializer
// and its own seed.
struct Stored {
  std::mutex mutex;
  Tensor tensor;
  Initializer init;
  bool pending = false;  // still to be made
  // raised by every change: what was packed from the numbers is then stale
  std::atomic<uint64_t> version{0};
};

// What a composite is called.
struct Label {
  int64_t id = 0;
  std::string uid;                  // as a file gave it
  std::optional<std::string> name;  // empty: that of the root
};

// A composite seen from outside as one function.
struct Block {
  std::string op_name;
  Edge root;                                     // of the composite
  std::shared_ptr<Label> label;                  // of the composite
  std::vector<std::pair<Edge, Edge>> arguments;  // placeholder inside, variable outside
  // the inside is made by the operator's body as soon as the operands' shapes are known
  bool provisional = false;
  Function composite() const;
};

class Cycle;
struct NodeLife;

struct Node {
  enum class Kind : uint8_t { input, parameter, constant, placeholder, function };

  Kind kind = Kind::function;
  bool needs_gradient = false;  // of a leaf
  // a placeholder bound to what stands outside the block; stays visible inside
  bool is_block_argument = false;
  int64_t id = 0;
  std::string uid;  // as a file gave it; else it is made of the kind and the id
  std::string name;
  Origin made_at;
  // of an input or an output of a model of ONNX's: the element type in its file, by ONNX's number, where the
  // type here is one that holds its numbers; 0: none
  int32_t element = 0;
  std::vector<Type> types;  // of the outputs; a leaf has one
  bool presumed = false;    // the types follow from what presume.h tells
  // of a parameter's first values, or of a function that draws: the program has named no seed
  bool has_automatic_seed = false;

  std::shared_ptr<Stored> stored;  // parameter, constant
  Edge bound;                      // placeholder: what it stands for

  const Operator* op = nullptr;  // function, unless a block
  std::vector<Attribute> attributes;
  std::vector<Edge> inputs;  // as given; read them through resolved()
  std::unique_ptr<Block> block;
  // of an operator that only a file knows: what the file says; owns `op`
  std::shared_ptr<const Foreign> foreign;
  // of an operator that is an object of the user's program: owns `op`
  std::shared_ptr<UserOperator> object;
  std::shared_ptr<const Dictionary> annotations;  // attributes of the user's own
  // of a native function: attributes it was given that its operator does not have
  std::shared_ptr<const Dictionary> extra;
  // of where its stream of random numbers begins: how often the attributes were given anew
  uint64_t restorations = 0;
  std::mutex state_mutex;

  std::weak_ptr<void> owner;       // what the handles on this node count on
  Cycle* cycle = nullptr;          // that it stands in: then the owner
  std::shared_ptr<NodeLife> life;  // of weak references

  Node() = default;
  Node(const Node&) = delete;
  ~Node();
  std::shared_ptr<Node> handle() const;  // null where nobody holds the node any more
  bool is_leaf() const { return kind != Kind::function; }
  bool is_combine() const;
};

// A reference to a node that does not keep it.
class CANTIK_API WeakNode {
 public:
  WeakNode() = default;
  WeakNode(const std::shared_ptr<Node>& node);
  std::shared_ptr<Node> lock() const;

 private:
  std::shared_ptr<NodeLife> life_;
};

// One function of the whole graph below its root. A block knows its inside by the label alone: plans hold
// nodes, and what a node owns must not.
struct Composite {
  std::shared_ptr<Label> label;
  std::mutex mutex;
  std::shared_ptr<void> engine;  // plans already made; the runtime's
};

int64_t next_id();
CANTIK_API std::shared_ptr<Node> make_node();

// Follows bound placeholders (not those that are arguments of a block).
CANTIK_API Variable resolved(const Variable& v);
// Follows every binding, into and out of blocks: the value that is computed.
CANTIK_API Variable computed(const Variable& v);
std::vector<Variable> resolved_inputs(const Node& node);
// CNTK shows operands in the order that users give them, but lists parameters and constants in the order that
// it keeps: products have the second operand first.
enum class OperandOrder { shown, kept };
std::vector<Variable> operands_of(const Node& node, OperandOrder order);
// The leaves below a root, operand by operand, each once.
std::vector<Variable> leaves(const std::shared_ptr<Node>& root, OperandOrder order = OperandOrder::shown);
// A block's arguments, inside and outside, in the order of CNTK's blocks; the block itself has them in that
// of its operator's signature.
std::vector<std::pair<Variable, Variable>> shown_arguments(const Node& block);
// What a block reads: parameters and constants inside, then its arguments.
std::vector<Variable> block_inputs(const Node& node);
// An argument of a function that is being traced, by this thread.
bool is_being_traced(const Variable& place);
std::vector<Variable> outputs_of(const std::shared_ptr<Node>& node);
// Functions and leaves of a graph, inside blocks too.
std::unordered_set<Node*> nodes_below(Node* root);

// ---- building
// An error where the operator takes another number of operands.
void check_operand_count(const Operator& op, int32_t count);
Function make_function(const Operator& op, std::vector<Attribute> attributes, std::vector<Variable> inputs,
                       const std::string& name);
Function wrap(std::shared_ptr<Node> root, std::optional<std::string> name = {});

// Types of the outputs, from those of the inputs. True if something became known. Errors carry the node.
bool infer(Node& node);
// An error where the operator takes a batch beside sequences for a mistake: of a loss whose scores are those
// of all steps and whose label is one, `last` was forgotten.
void refuse_batch_beside_sequences(const Node& node);
bool infer_graph(const std::shared_ptr<Node>& root);
// Whether a constant can have this element type, in place of its own, without the loss of digits that matter:
// every one is taken for a float32, and a float16 is a single number that has it exactly.
bool follows(const Variable& constant, DType type);
// Types of operands as the operator sees them: a constant follows the element type of the others, known yet
// or not (it is cast when the graph is compiled), a parameter without one takes theirs.
void share_element_type(const Operator& op, const std::vector<Variable>& in, std::vector<Type>& types);
std::vector<Type> operand_types(const Operator& op, const std::vector<Variable>& in);

// ---- text
std::string uid_of(const Node& node);
std::string display_name(const Variable& v);  // its name, or what makes it
// for errors: times_7, inputs W : float32[96, 10], h : float32[#, 64]
std::string describe(const Node& node);
[[noreturn]] void rethrow_with(const Error& e, const Node& node);

// Visits each function once, root first; returns early when f says so.
void preorder(const std::shared_ptr<Node>& root, const std::function<bool(const std::shared_ptr<Node>&)>& f);

}  // namespace cantik
