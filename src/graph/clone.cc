// Copies of graphs: with parameters shared, copied or frozen, and with some variables exchanged for others.
#include "base/text.h"
#include "graph/cycle.h"
#include "graph/node.h"
#include "graph/object.h"
#include "graph/types.h"

namespace cantik {
namespace {

class Cloner {
 public:
  Cloner(CloneMethod method, const Replacements& substitutions) : method_(method), map_(substitutions.begin(), substitutions.end()) {
    for (const auto& [from, to] : substitutions) {
      if (to.is_input()) map_.emplace(to, to);
      if (to.is_output())
        for (const Variable& v : to.owner().arguments()) map_.emplace(v, v);
    }
  }

  std::shared_ptr<Node> function(const std::shared_ptr<Node>& n) {
    if (auto it = done_.find(n.get()); it != done_.end()) return it->second;
    open_.insert(n.get());
    if (n->object) return object(n);
    auto copy = make_node();
    copy->id = next_id();
    copy->name = n->name;
    copy->made_at = n->made_at;
    copy->op = n->op;
    copy->attributes = n->attributes;
    copy->foreign = n->foreign;
    copy->annotations = n->annotations;
    copy->extra = n->extra;
    copy->types.assign(n->types.size(), Type::unknown());  // the inside of a block that waits for shapes learns no others
    if (n->block) {
      block(*n, *copy);
    } else {
      for (const Edge& e : n->inputs) copy->inputs.push_back(variable(e));
    }
    open_.erase(n.get());
    done_[n.get()] = copy;
    infer(*copy);
    return copy;
  }

  // Closes the loops: placeholders made for values that were still being copied.
  void bind() {
    for (auto& [place, target] : pending_) place->bound = Variable(done_.at(target.node().get()), target.index());
  }

 private:
  // The user's object makes its copy itself.
  std::shared_ptr<Node> object(const std::shared_ptr<Node>& n) {
    std::vector<Variable> in;
    for (const Edge& e : n->inputs) in.push_back(variable(e));
    std::shared_ptr<Node> copy = n->object->clone(in, n->name);
    copy->made_at = n->made_at;
    copy->annotations = n->annotations;
    open_.erase(n.get());
    done_[n.get()] = copy;
    infer(*copy);
    return copy;
  }

  Variable variable(const Variable& given) {
    if (auto it = map_.find(given); it != map_.end()) return it->second;
    Variable v = resolved(given);
    if (auto it = map_.find(v); it != map_.end()) return it->second;
    if (!v.is_output()) return map_[v] = leaf(v);
    if (open_.count(v.node().get())) {
      Variable p = placeholder(given.name());  // its axes may be others than those of what is copied
      pending_.emplace_back(p.node(), v);
      return p;
    }
    return Variable(function(v.node()), v.index());
  }

  // Inputs and placeholders are new ones, but for those that what is put in reads too; parameters and constants are shared, copied or frozen.
  Variable leaf(const Variable& v) {
    const Node& n = *v.node();
    if (n.kind == Node::Kind::placeholder) return is_being_traced(v) ? v : placeholder(n.name, n.types[0]);
    if (n.kind == Node::Kind::input) {
      const Type& t = n.types[0];
      return input(t.shape, {t.dtype, t.storage != Storage::dense, n.needs_gradient, t.axes, n.name});
    }
    if (method_ == CloneMethod::share) return v;
    return copied(v, n.kind == Node::Kind::constant || method_ == CloneMethod::freeze);
  }

  // Numbers that are not made yet are made of the same initializer, with the same seed.
  static Variable copied(const Variable& v, bool as_constant) {
    const Node& n = *v.node();
    Initializer init;
    {
      std::lock_guard lock(n.stored->mutex);
      init = n.stored->pending ? n.stored->init : Initializer(n.stored->tensor.clone());
    }
    return as_constant ? constant(n.types[0].shape, init, n.types[0].dtype, n.name) : cantik::parameter(n.types[0].shape, init, n.types[0].dtype, n.name);
  }

  void block(const Node& n, Node& copy) {
    std::vector<std::pair<Edge, Edge>> arguments;
    for (const auto& [inside, outside] : n.block->arguments) {
      Variable outer = variable(outside);
      Variable fresh = placeholder(outer.name());  // as CNTK calls it
      fresh.node()->is_block_argument = true;
      fresh.node()->bound = outer;
      learn(fresh.node()->types[0], outer.type());
      map_[inside] = fresh;
      arguments.emplace_back(fresh, outer);
      copy.inputs.push_back(outer);
    }
    Function inside = wrap(function(n.block->root.handle()), n.block->label->name);
    copy.block = std::make_unique<Block>(Block{n.block->op_name, Variable(inside.node()), inside.composite()->label, arguments, n.block->provisional});
  }

  CloneMethod method_;
  std::unordered_map<Variable, Variable> map_;
  std::unordered_map<const Node*, std::shared_ptr<Node>> done_;
  std::unordered_set<const Node*> open_;
  std::vector<std::pair<std::shared_ptr<Node>, Variable>> pending_;
};

}  // namespace

Function Function::clone(CloneMethod method, const Replacements& substitutions) const {
  Replacements given;
  for (const auto& [from, to] : substitutions) given.emplace(resolved(from), to);
  if (auto whole = given.find(Variable(node())); whole != given.end() && node()->types.size() == 1)
    return function_of({whole->second});
  Cloner cloner(method, given);
  std::shared_ptr<Node> copy = cloner.function(node());
  Function f = wrap(copy, composite_ ? composite_->label->name : std::string());
  cloner.bind();
  own_cycles(copy);
  infer_graph(copy);
  return f;
}

Function Function::operator()(const std::vector<Variable>& given) const {
  std::vector<Variable> mine = signature_arguments();
  if (given.size() != mine.size())
    throw type_error(cat("the function takes ", mine.size(), " arguments, got ", given.size())).node(text());
  Replacements substitutions;
  for (size_t i = 0; i < mine.size(); ++i) substitutions.emplace(mine[i], given[i]);
  return clone(CloneMethod::share, substitutions);
}

Function Function::operator()(std::initializer_list<Variable> given) const { return (*this)(std::vector<Variable>(given)); }

}  // namespace cantik
