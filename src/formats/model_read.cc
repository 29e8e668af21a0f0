// From a model's dictionary to a Function.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "formats/attributes.h"
#include "formats/foreign.h"
#include "formats/model.h"
#include "formats/native.h"
#include "formats/records.h"
#include "graph/compose.h"
#include "graph/cycle.h"
#include "graph/loops.h"
#include "graph/object.h"
#include "graph/types.h"

namespace cantik {
namespace {

class ModelReader {
 public:
  explicit ModelReader(const Dictionary& model)
      : records_(model),
        leaves_(records_.leaves.size()),
        nodes_(records_.functions.size()),
        state_(records_.functions.size(), kNew) {}

  Function model() {
    build(records_.root);
    std::shared_ptr<Node> root = nodes_[at(records_.root)];
    Function f = wrap(root);
    f.composite()->label->uid = records_.uid;
    if (records_.name != root->name) f.composite()->label->name = records_.name;
    close_loops(root);
    infer_graph(root);
    check_loops_said();
    for (size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i] && nodes_[i]->block)
        recognise_block(*nodes_[i], *records_.functions[i].attributes, catalog_);
    return f;
  }

 private:
  enum State : char { kNew, kOpen, kDone };
  struct Frame {
    int function;
    std::vector<int> needs;
    size_t next = 0;
  };
  struct Loop {
    std::shared_ptr<Node> place;
    Ref target;
  };

  static size_t at(int i) { return static_cast<size_t>(i); }
  const FunctionRecord& record(int f) const { return records_.functions[at(f)]; }

  // Operands before the functions that read them, what a block reads before what is in it, without recursion:
  // models may be deep.
  void build(int root) {
    std::vector<Frame> stack;
    auto enter = [&](int f) {
      state_[at(f)] = kOpen;
      Frame frame{f, {}, 0};
      for (const Ref& r : record(f).inputs)
        if (r.function >= 0) frame.needs.push_back(r.function);
      if (record(f).inner_root >= 0) frame.needs.push_back(record(f).inner_root);
      stack.push_back(std::move(frame));
    };
    enter(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.needs.size()) {
        int f = top.needs[top.next++];
        if (state_[at(f)] == kNew) enter(f);
        continue;
      }
      make(top.function);
      state_[at(top.function)] = kDone;
      stack.pop_back();
    }
  }

  void make(int f) {
    const FunctionRecord& r = record(f);
    auto n = make_node();
    n->id = next_id();
    n->uid = r.uid;
    n->name = r.name;
    for (const Ref& in : r.inputs) n->inputs.push_back(variable(in));
    if (r.attributes)
      if (const DictionaryValue* custom = r.attributes->find(kCustomAttributes);
          custom && custom->get<Dictionary>())
        n->annotations = std::make_shared<const Dictionary>(*custom->get<Dictionary>());
    if (std::shared_ptr<Node> own =
            r.kind == FunctionRecord::Kind::user ? object_node_of(*r.record, *n) : nullptr) {
      own->uid = n->uid, own->annotations = n->annotations;
      n = own;
    } else if (r.kind == FunctionRecord::Kind::block)
      make_block_node(r, *n);
    else
      make_operator(r, *n);
    const bool is_spelled_out = n->op && !n->block && n->op->stands_as_block();
    if (is_spelled_out) n = spelled_out(*n);
    if (n->is_combine() && r.outputs > 0)
      broken_model("a function reads an output of the composite " + r.uid +
                   ", which has no outputs of its own");
    infer(*n);
    if (is_spelled_out) count(*n);
    if (!n->is_combine() && r.outputs > n->types.size())
      broken_model(cat("a function reads output ", r.outputs - 1, " of ", r.uid, ", which has ",
                       n->types.size(), " outputs"));
    nodes_[at(f)] = std::move(n);
  }

  void make_operator(const FunctionRecord& r, Node& n) {
    std::string why;
    if (r.kind == FunctionRecord::Kind::primitive)
      n.op = catalog_.primitive(r.number, *r.attributes, n.inputs.size(), n.attributes, why);
    else
      n.op = user_operator(*r.record, n);
    if (n.op) {
      std::vector<Variable> in = n.op->from_file_order(variables(n.inputs));
      n.inputs.assign(in.begin(), in.end());
      if (!read_operand_attributes(*n.op, in, n.attributes)) {
        why = " of operands that are not constant";
        n.op = nullptr;
      }
    }
    if (!n.op) {
      int64_t number = r.kind == FunctionRecord::Kind::user ? -1 : static_cast<int64_t>(r.number);
      n.foreign = make_foreign(*r.record, number, static_cast<int>(n.inputs.size()),
                               static_cast<int>(std::max(1u, r.outputs)), why);
      n.op = &n.foreign->op;
      n.attributes = n.op->defaults();
    }
    n.types.assign(static_cast<size_t>(n.op->outputs), Type::unknown());
  }

  // A few bytes of a file must not fill the memory.
  void count(const Node& spelled_out) {
    constexpr int64_t kMost = 100'000;
    preorder(spelled_out.block->root.handle(), [&](const std::shared_ptr<Node>&) {
      ++spelled_;
      return false;
    });
    if (spelled_ > kMost)
      broken_model(cat("its functions are more than ", kMost, " where they are written out"));
  }
  // One function in the file, several here.
  static std::shared_ptr<Node> spelled_out(const Node& n) {
    std::shared_ptr<Node> block = make_block(*n.op, n.attributes, variables(n.inputs), n.name).node();
    block->uid = n.uid, block->annotations = n.annotations;
    return block;
  }

  // What the program makes of a function of its own, if it knows it.
  std::shared_ptr<Node> object_node_of(const Dictionary& d, const Node& n) const {
    const DictionaryValue* found = d.find("user_defined_state");
    const UserFunctionReader reader = user_function_reader();
    if (!reader || !found || !found->get<Dictionary>()) return nullptr;
    const Function made = reader(*found->get<Dictionary>(), variables(n.inputs), n.name);
    return made ? made.node() : nullptr;
  }

  // An operator of ours that CNTK does not have stands in the file as a native function of a user's.
  const Operator* user_operator(const Dictionary& d, Node& n) const {
    const DictionaryValue* found = d.find("user_defined_state");
    const Dictionary* state = found ? found->get<Dictionary>() : nullptr;
    const DictionaryValue* name = state ? state->find("op") : nullptr;
    const DictionaryValue* kept = state ? state->find("user_defined_state") : nullptr;
    if (!name || !name->get<std::string>() || !kept || !kept->get<Dictionary>()) return nullptr;
    const DictionaryValue* factory = state->find("deserialize_method");
    const Operator* op = Registry::global().find(*name->get<std::string>());
    // in a file that CNTK wrote
    if (!op && factory && factory->get<std::string>())
      op = operator_of_factory("", *factory->get<std::string>());
    if (!op || static_cast<int>(n.inputs.size()) < op->inputs_min ||
        static_cast<int>(n.inputs.size()) > op->inputs_max)
      return nullptr;
    return read_native_attributes(*op, *kept->get<Dictionary>(), n) ? op : nullptr;
  }

  void make_block_node(const FunctionRecord& r, Node& n) {
    std::vector<std::pair<Edge, Edge>> arguments;
    for (size_t i = 0; i < r.arguments.size(); ++i) {
      Variable inside = leaf(r.arguments[i]);
      bind_argument(*inside.node(), n.inputs[i]);
      arguments.emplace_back(inside, n.inputs[i]);
    }
    Function inner = wrap(nodes_[at(r.inner_root)], r.inner_name);
    inner.composite()->label->uid = r.inner_uid;
    infer_graph(inner.node());
    n.block = std::make_unique<Block>();
    n.block->op_name = r.op_name;
    n.block->root = Variable(inner.node());
    n.block->label = inner.composite()->label;
    n.block->arguments = std::move(arguments);
    for (const Variable& v : inner.outputs()) n.types.push_back(v.type());
    n.foreign = make_foreign(*r.record);
  }

  static void bind_argument(Node& place, const Variable& outside) {
    place.is_block_argument = true;
    place.bound = outside;
    learn(place.types[0], resolved(outside).type());
  }

  Variable variable(const Ref& r) {
    if (r.leaf >= 0) return leaf(r.leaf);
    if (state_[at(r.function)] == kDone) return Variable(nodes_[at(r.function)], r.output);
    // Read before it is made: a loop. What the file says of the value helps to infer types around it.
    const FunctionRecord& f = record(r.function);
    std::string uid = cat(f.uid, "_Output_", r.output);
    const LeafRecord* said = records_.leaf(uid);
    Variable place = placeholder(f.name, said ? said->type : Type::unknown());
    place.node()->uid = uid;
    loops_.push_back({place.node(), r});
    return place;
  }

  Variable leaf(int i) {
    if (leaves_[at(i)]) return Variable(leaves_[at(i)]);
    const LeafRecord& r = records_.leaves[at(i)];
    auto n = make_node();
    leaves_[at(i)] = n;
    n->kind = r.kind;
    n->id = next_id();
    n->uid = r.uid;
    n->name = r.name;
    n->needs_gradient = r.needs_gradient;
    n->types.push_back(r.type);
    if (r.value.defined()) {
      n->stored = std::make_shared<Stored>();
      n->stored->tensor = r.value;
    }
    // Inside a block the types are those outside, where they are known by now.
    if (r.block >= 0) {
      n->types[0] = Type::unknown();
      if (const Ref& o = r.outside; o.leaf >= 0 || state_[at(o.function)] == kDone)
        bind_argument(*n, variable(o));
      else
        n->types[0] = r.type;
    }
    return Variable(n);
  }

  // What comes back is of the shape that the file said.
  void check_loops_said() const {
    for (const Loop& l : loops_) {
      const Shape &said = l.place->types[0].shape,
                  &made = nodes_[at(l.target.function)]->types[l.target.output].shape;
      bool same = !said.is_known() || !made.is_known() || said.rank() == made.rank();
      for (int i = 0; same && said.is_known() && made.is_known() && i < said.rank(); ++i)
        same = said[i] == kInferred || made[i] == kInferred || said[i] == made[i];
      if (!same)
        broken_model(cat("a loop comes back to ", record(l.target.function).uid, " with the shape ",
                         made.text(), ", but the file says ", said.text()));
    }
  }

  void close_loops(const std::shared_ptr<Node>& root) {
    if (loops_.empty()) return;
    for (const Loop& l : loops_)
      if (l.target.output >= nodes_[at(l.target.function)]->types.size())
        broken_model("a loop comes back to an output that " + record(l.target.function).uid +
                     " does not have");
    for (const Loop& l : loops_) l.place->bound = Variable(nodes_[at(l.target.function)], l.target.output);
    own_cycles(root);
    check_loops(root);
  }

  Catalog catalog_;
  ModelRecords records_;
  std::vector<std::shared_ptr<Node>> leaves_, nodes_;
  std::vector<State> state_;
  std::vector<Loop> loops_;
  int64_t spelled_ = 0;  // functions that one function of the file has become
};

}  // namespace

Function read_model(const Dictionary& model) { return ModelReader(model).model(); }

}  // namespace cantik
