// Node: what Variable and Function are handles on. A node only goes from unknown to known: a placeholder is bound once,
// types are inferred to a fixed point.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include <cantik/error.h>
#include <cantik/function.h>
#include <cantik/variable.h>

#include "graph/operator.h"

namespace cantik {

class Dictionary;
struct Foreign;

// The numbers of a parameter or constant. Made at the latest when they are asked for, from the initializer and its own seed.
struct Stored {
  std::mutex mutex;
  Tensor tensor;
  Initializer init;
  bool pending = false;               // still to be made
  std::atomic<uint64_t> version{0};   // raised by every change: what was packed from the numbers is then stale
};

// A composite seen from outside as one function.
struct Block {
  std::string op_name;
  Function composite;
  std::vector<std::pair<Variable, Variable>> arguments;  // placeholder inside, variable outside
  bool provisional = false;  // the inside is made by the operator's body as soon as the operands' shapes are known
};

struct Node : std::enable_shared_from_this<Node> {
  enum class Kind : uint8_t { input, parameter, constant, placeholder, function };

  Kind kind = Kind::function;
  bool needs_gradient = false;     // of a leaf
  bool is_block_argument = false;  // a placeholder bound to what stands outside the block; stays visible inside
  int64_t id = 0;
  std::string uid;                 // as a file gave it; else it is made of the kind and the id
  std::string name;
  Origin made_at;
  std::vector<Type> types;         // of the outputs; a leaf has one

  std::shared_ptr<Stored> stored;  // parameter, constant
  Variable bound;                  // placeholder: what it stands for, ...
  std::weak_ptr<Node> loop;        // ... or, where that closes a loop, without owning it
  uint32_t loop_index = 0;

  const Operator* op = nullptr;    // function, unless a block
  std::vector<Attribute> attributes;
  std::vector<Variable> inputs;    // as given; read them through resolved()
  std::unique_ptr<Block> block;
  std::shared_ptr<const Foreign> foreign;        // of an operator that only a file knows: what the file says; owns `op`
  std::shared_ptr<ObjectOperator> object;        // of an operator that is an object of the user's program: owns `op`
  std::shared_ptr<const Dictionary> annotations; // attributes of the user's own
  std::shared_ptr<const Dictionary> extra;       // of a native function: attributes it was given that its operator does not have
  std::shared_ptr<void> state;     // what runs remember (random positions); the runtime's, behind state_mutex
  std::mutex state_mutex;

  Node() = default;
  ~Node();
  bool is_leaf() const { return kind != Kind::function; }
  bool is_combine() const;
};

// One function of the whole graph below its root.
struct Composite {
  int64_t id = 0;
  std::string uid;  // as a file gave it
  std::string name;
  std::vector<std::shared_ptr<const void>> keeps;  // the loops below
  std::vector<std::shared_ptr<Node>> loops;        // nodes that only a loop's open edge points to
  std::mutex mutex;
  std::shared_ptr<void> engine;                    // plans already made; the runtime's
};

int64_t next_id();

// Follows bound placeholders (not those that are arguments of a block).
CANTIK_API Variable resolved(const Variable& v);
// Follows every binding, into and out of blocks: the value that is computed.
CANTIK_API Variable computed(const Variable& v);
std::vector<Variable> resolved_inputs(const Node& node);
// CNTK shows operands in the order that users give them, but lists parameters and constants in the order that it keeps: products
// have the second operand first.
enum class OperandOrder { shown, kept };
std::vector<Variable> operands_of(const Node& node, OperandOrder order);
// The leaves below a root, operand by operand, each once.
std::vector<Variable> leaves(const std::shared_ptr<Node>& root, OperandOrder order = OperandOrder::shown);
// What a block reads: parameters and constants inside, then its arguments.
std::vector<Variable> block_inputs(const Node& node);
// An argument of a function that is being traced, by this thread.
bool is_being_traced(const Variable& place);
std::vector<Variable> outputs_of(const std::shared_ptr<Node>& node, const std::shared_ptr<const void>& keep = {});

// ---- building
Function make_function(const Operator& op, std::vector<Attribute> attributes, std::vector<Variable> inputs, const std::string& name);
Function wrap(std::shared_ptr<Node> root, const std::string& name = {});
void collect_keeps(const Variable& v, std::vector<std::shared_ptr<const void>>& keeps);

// Types of the outputs, from those of the inputs. True if something became known. Errors carry the node.
bool infer(Node& node);
bool infer_graph(const std::shared_ptr<Node>& root);
// Types of operands as the operator sees them: a constant follows the element type of the others, known yet or not (it is cast when the
// graph is compiled), a parameter without one takes theirs.
void share_element_type(const Operator& op, const std::vector<Variable>& in, std::vector<Type>& types);
std::vector<Type> operand_types(const Operator& op, const std::vector<Variable>& in);

// ---- text
std::string uid_of(const Node& node);
std::string display_name(const Variable& v);  // its name, or what makes it
std::string describe(const Node& node);  // for errors: times_7, inputs W : float32[96, 10], h : float32[#, 64]
[[noreturn]] void rethrow_with(const Error& e, const Node& node);

// Visits each function once, root first; returns early when f says so.
void preorder(const std::shared_ptr<Node>& root, const std::function<bool(const std::shared_ptr<Node>&)>& f);

}  // namespace cantik
