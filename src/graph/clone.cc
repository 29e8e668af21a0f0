// Copies of graphs: with parameters shared, copied or frozen, and with some variables exchanged for others.
#include <algorithm>
#include <memory>
#include <optional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "graph/cycle.h"
#include "graph/node.h"
#include "graph/presume.h"
#include "graph/object.h"
#include "graph/types.h"

namespace cantik {
namespace {

class Cloner {
 public:
  Cloner(CloneMethod method, const Replacements& substitutions, bool opens_blocks = false)
      : method_(method), opens_blocks_(opens_blocks), map_(substitutions.begin(), substitutions.end()) {}

  // What is put in is copied too where it reads anything that the copy of the root has a copy of, as in CNTK:
  // a network whose state is exchanged for its own output becomes a recurrence. Otherwise it stays itself. A
  // function from outside the network may read the variable that it takes the place of: to it the variable
  // stands for itself.
  void copy_what_reads_copies(const std::shared_ptr<Node>& root) {
    if (map_.empty()) return;
    mark(Variable(root));
    for (const auto& [from, to] : map_)
      if (reads_marked(to)) joins_.insert(to);
  }

  // The copies of all that the function reads come first, so that deep networks need no deep stack.
  std::shared_ptr<Node> function(const std::shared_ptr<Node>& root) {
    struct Level {
      std::shared_ptr<Node> node;
      std::vector<std::shared_ptr<Node>> reads;
      size_t next = 0;
    };
    std::vector<Level> path;
    auto enter = [&](const std::shared_ptr<Node>& n) {
      if (done_.count(n.get()) || !open_.insert(n.get()).second) return;
      path.push_back({n, read_by(*n)});
    };
    enter(root);
    while (!path.empty()) {
      Level& at = path.back();
      if (at.next < at.reads.size()) {
        enter(at.reads[at.next++]);
        continue;
      }
      const std::shared_ptr<Node> n = at.node;
      path.pop_back();
      const std::shared_ptr<Node> copy = copied_function(n);
      open_.erase(n.get());
      done_[n.get()] = copy;
      infer(*copy);
    }
    return done_.at(root.get());
  }

  Function whole(const Function& f) {
    std::shared_ptr<Node> copy = function(f.node());
    std::optional<std::string> name;
    if (f.composite() && !opens_blocks_) {
      name = f.composite()->label->name;
      if (copy->name.empty() && !name) copy = put_in_place_of(*f.node(), copy);
    }
    Function made = wrap(copy, name);
    bind();
    own_cycles(copy);
    infer_graph(copy);
    presume_graph(copy);
    return made;
  }

 private:
  // The copy of a network that hands on what is put in is the function that was put in, as in CNTK.
  static std::shared_ptr<Node> put_in_place_of(const Node& root, const std::shared_ptr<Node>& copy) {
    if (!copy->is_combine() || copy->inputs.size() != 1 || resolved(root.inputs[0]).is_output()) return copy;
    const Variable given = resolved(copy->inputs[0]);
    return given.is_output() && given.node()->types.size() == 1 ? given.node() : copy;
  }

  // Closes the loops: placeholders made for values that were still being copied.
  void bind() {
    for (auto& [place, target] : pending_)
      place->bound = result(done_.at(target.node().get()), target.index());
  }

  // A block's results may be those of several functions.
  static Variable result(const std::shared_ptr<Node>& copy, int index) {
    return copy->is_combine() ? Variable(copy->inputs[index]) : Variable(copy, index);
  }

  // The functions whose copies the copy of n reads, in the order of its operands.
  std::vector<std::shared_ptr<Node>> read_by(const Node& n) const {
    std::vector<std::shared_ptr<Node>> list;
    auto add = [&](const Variable& operand) {
      if (const Variable from = original(n, operand); from && from.is_output()) list.push_back(from.node());
    };
    if (n.block) {
      for (const auto& [inside, outside] : n.block->arguments) add(outside);
    } else {
      for (const Edge& e : n.inputs) add(e);
    }
    return list;
  }

  std::shared_ptr<Node> copied_function(const std::shared_ptr<Node>& n) {
    if (n->object) return object(*n);
    return n->block && opens_blocks_ ? inside(*n) : plain(*n);
  }

  // Of a function that is no object of the program.
  std::shared_ptr<Node> plain(const Node& n) {
    auto copy = make_node();
    copy->id = next_id();
    copy->name = n.name;
    copy->made_at = n.made_at;
    copy->op = n.op;
    copy->attributes = n.attributes;
    copy->has_automatic_seed = n.has_automatic_seed;
    copy->foreign = n.foreign;
    copy->annotations = n.annotations;
    copy->element = n.element;
    copy->extra = n.extra;
    // the inside of a block that waits for shapes learns no others
    copy->types.assign(n.types.size(), Type::unknown());
    if (n.block) {
      block(n, *copy);
    } else {
      for (const Edge& e : n.inputs) copy->inputs.push_back(variable(n, e));
    }
    return copy;
  }

  // The user's object makes its copy itself.
  std::shared_ptr<Node> object(const Node& n) {
    std::vector<Variable> in;
    for (const Edge& e : n.inputs) in.push_back(variable(n, e));
    std::shared_ptr<Node> copy = n.object->clone(in, n.name).node();
    copy->made_at = n.made_at;
    copy->annotations = n.annotations;
    return copy;
  }

  // What is put in for an operand; null: nothing.
  const Variable* put_in_for(const Variable& given) const {
    for (const Variable& key : {given, resolved(given)})
      if (auto it = map_.find(key); it != map_.end()) return &it->second;
    return nullptr;
  }

  // What the operand's copy is a copy of; none: what is put in for it stays itself.
  Variable original(const Node& reader, const Variable& given) const {
    const Variable* given_for_it = put_in_for(given);
    const bool reader_is_from_outside = copied_.count(&reader) == 0;
    if (!given_for_it || (joins_.count(*given_for_it) && reader_is_from_outside)) return resolved(given);
    return joins_.count(*given_for_it) ? resolved(*given_for_it) : Variable();
  }

  // The copy's operand in place of this one of `reader`.
  Variable variable(const Node& reader, const Variable& given) {
    const Variable from = original(reader, given);
    return from ? copy_of(from, given.name()) : *put_in_for(given);
  }

  // `name`: of the placeholder that stands for v where v is just being copied; its axes may be others than
  // v's.
  Variable copy_of(const Variable& v, const std::string& name) {
    if (!v.is_output()) {
      if (auto it = leaves_.find(v); it != leaves_.end()) return it->second;
      return leaves_[v] = leaf(v);
    }
    if (auto it = done_.find(v.node().get()); it != done_.end()) return result(it->second, v.index());
    Variable p = placeholder(name);
    pending_.emplace_back(p.node(), v);
    return p;
  }

  // All that is copied, below what is put in.
  void mark(const Variable& root) {
    std::vector<Variable> open{root};
    while (!open.empty()) {
      const Variable given = open.back(), v = resolved(given);
      open.pop_back();
      if (map_.count(given) || map_.count(v)) continue;
      const Node& n = *v.node();
      const bool stays = method_ == CloneMethod::share && (v.is_parameter() || v.is_constant());
      if (stays || !copied_.insert(&n).second) continue;
      open.insert(open.end(), n.inputs.begin(), n.inputs.end());
    }
  }

  bool reads_marked(const Variable& root) const {
    std::unordered_set<const Node*> seen;
    std::vector<Variable> open{root};
    while (!open.empty()) {
      const Variable v = resolved(open.back());
      open.pop_back();
      const Node& n = *v.node();
      if (copied_.count(&n)) return true;
      if (seen.insert(&n).second) open.insert(open.end(), n.inputs.begin(), n.inputs.end());
    }
    return false;
  }

  // Inputs and placeholders are new ones; parameters and constants are shared, copied or frozen.
  Variable leaf(const Variable& v) {
    const Node& n = *v.node();
    if (n.kind == Node::Kind::placeholder) return is_being_traced(v) ? v : placeholder(n.name, n.types[0]);
    if (n.kind == Node::Kind::input) {
      const Type& t = n.types[0];
      Variable copy =
          input(t.shape, {t.dtype, t.storage != Storage::dense, n.needs_gradient, t.axes, n.name});
      copy.node()->element = n.element;
      return copy;
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
    Variable copy = as_constant ? constant(n.types[0].shape, init, n.types[0].dtype, n.name)
                                : cantik::parameter(n.types[0].shape, init, n.types[0].dtype, n.name);
    copy.node()->has_automatic_seed = n.has_automatic_seed;
    return copy;
  }

  void block(const Node& n, Node& copy) {
    std::vector<std::pair<Edge, Edge>> arguments;
    for (const auto& [inside, outside] : n.block->arguments) {
      Variable outer = variable(n, outside);
      // What a program's own block gets for a placeholder is a part of it if it is a parameter or a constant,
      // as in CNTK.
      if (!n.op && (outer.is_parameter() || outer.is_constant()) && resolved(outside).is_placeholder()) {
        map_[inside] = outer;
        continue;
      }
      Variable fresh = placeholder(outer.name());  // as CNTK calls it
      fresh.node()->is_block_argument = true;
      fresh.node()->bound = outer;
      learn(fresh.node()->types[0], outer.type());
      fresh.node()->presumed = outer.node()->presumed;
      map_[inside] = fresh;
      arguments.emplace_back(fresh, outer);
      copy.inputs.push_back(outer);
    }
    Function inside = wrap(function(n.block->root.handle()), n.block->label->name);
    copy.block = std::make_unique<Block>(Block{n.block->op_name, Variable(inside.node()),
                                               inside.composite()->label, arguments, n.block->provisional});
  }

  // A copy of what is in a block takes the block's place.
  std::shared_ptr<Node> inside(const Node& n) {
    for (const auto& [argument, outside] : n.block->arguments) map_[argument] = variable(n, outside);
    return function(n.block->root.handle());
  }

  CloneMethod method_;
  bool opens_blocks_;
  std::unordered_map<Variable, Variable> map_, leaves_;
  std::unordered_set<Variable> joins_;
  std::unordered_set<const Node*> copied_;
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
  // One function of a network is copied as a network with its outputs, as in CNTK.
  if (!composite()) return combine(outputs()).clone(method, substitutions);
  Cloner cloner(method, given);
  cloner.copy_what_reads_copies(node());
  return cloner.whole(*this);
}

Function Function::clone_flattened(CloneMethod method) const { return Cloner(method, {}, true).whole(*this); }

Function Function::operator()(const std::vector<Variable>& given) const {
  std::vector<Variable> mine = signature_arguments();
  if (given.size() != mine.size())
    throw type_error(cat("the function takes ", mine.size(), " arguments, and was given ", given.size()))
        .node(text());
  Replacements substitutions;
  for (size_t i = 0; i < mine.size(); ++i) substitutions.emplace(resolved(mine[i]), given[i]);
  return clone(CloneMethod::share, substitutions);
}

Function Function::operator()(std::initializer_list<Variable> given) const {
  return (*this)(std::vector<Variable>(given));
}

}  // namespace cantik
