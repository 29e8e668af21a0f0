#include "graph/loops.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/components.h"
#include "base/text.h"
#include "graph/compose.h"
#include "graph/types.h"

namespace cantik {
namespace {

bool is_delay(const Node& n) { return n.op && n.op->has(CANTIK_DELAY) && n.attributes[0].integer() != 0; }
bool looks_ahead(const Node& n) { return n.op->facts.delay == CANTIK_FUTURE; }

// The functions below a root that compute something, blocks opened, and its loops: components that are
// strongly connected.
class Loops {
 public:
  // `layouts`: an operand that is read for its layout counts too, which matters for types alone.
  explicit Loops(const std::shared_ptr<Node>& root, bool layouts = false) : layouts_(layouts) {
    std::vector<int32_t> roots;
    for (const Variable& v : outputs_of(root))
      if (Node* n = function_at(v)) roots.push_back(number_of(n));
    auto reads = [&](int32_t i) {
      std::vector<int32_t> list;
      for (Node* n : operands(*nodes_[i])) list.push_back(number_of(n));
      return list;
    };
    for (const std::vector<int32_t>& component : components(roots, reads)) {
      std::vector<Node*> loop;
      for (int32_t i : component) loop.push_back(nodes_[i]);
      std::vector<Node*> in = operands(*loop[0]);
      if (loop.size() > 1 || std::find(in.begin(), in.end(), loop[0]) != in.end())
        loops_.push_back(within_a_step(loop));
    }
  }

  // Each with its functions, operands first where that can be.
  const std::vector<std::vector<Node*>>& all() const { return loops_; }

 private:
  struct Level {
    Node* node;
    std::vector<Node*> in;
    size_t next = 0;
  };

  int32_t number_of(Node* n) {
    auto [at, is_new] = numbers_.emplace(n, static_cast<int32_t>(nodes_.size()));
    if (is_new) nodes_.push_back(n);
    return at->second;
  }
  static Node* function_at(const Variable& v) {
    Variable at = computed(v);
    return at.is_output() ? at.node().get() : nullptr;
  }
  std::vector<Node*> operands(const Node& n) const {
    std::vector<Node*> list;
    for (size_t i = 0; i < n.inputs.size(); ++i)
      if (Node* in = n.op && n.op->reads_layout_only(i) && !layouts_ ? nullptr : function_at(n.inputs[i]))
        list.push_back(in);
    return list;
  }

  // Operands before those that read them, the delays first: they read another step.
  std::vector<Node*> within_a_step(const std::vector<Node*>& loop) const {
    enum class State { open, done };
    std::unordered_set<const Node*> inside(loop.begin(), loop.end());
    std::unordered_map<const Node*, State> state;
    std::vector<Node*> sorted;
    auto visit = [&](Node* start) {
      std::vector<Level> levels;
      auto enter = [&](Node* n) {
        state[n] = State::open;
        levels.push_back({n, is_delay(*n) ? std::vector<Node*>() : operands(*n)});
      };
      enter(start);
      while (!levels.empty()) {
        Level& at = levels.back();
        if (at.next == at.in.size()) {
          state[at.node] = State::done;
          sorted.push_back(at.node);
          levels.pop_back();
          continue;
        }
        Node* in = at.in[at.next++];
        if (!inside.count(in)) continue;
        auto known = state.find(in);
        if (known == state.end())
          enter(in);
        else if (known->second == State::open && !layouts_)
          throw value_error("a value depends on itself: the loop has no delay")
              .line("node", describe(*in))
              .made_at(in->made_at.text())
              .remedy("take the value of another step: sequence.past_value(x) or sequence.future_value(x)");
      }
    };
    for (Node* n : loop)
      if (is_delay(*n)) visit(n);
    for (Node* n : loop)
      if (!state.count(n)) visit(n);
    return sorted;
  }

  bool layouts_;
  std::unordered_map<const Node*, int32_t> numbers_;
  std::vector<Node*> nodes_;
  std::vector<std::vector<Node*>> loops_;
};

bool is_neutral(const Type& t) { return !t.shape.is_known(); }
bool is_shaped(const Type& t) { return t.shape.is_known() && t.axes.is_known(); }

// The types of one loop, tried out.
class Trial {
 public:
  explicit Trial(const std::vector<Node*>& loop) : loop_(loop) {
    for (Node* n : loop) types_[n].assign(n->types.size(), Type::unknown());
  }

  bool learn_delays() {
    if (!is_open() || !is_fed() || has_foreign()) return false;
    come_to_rest();
    if (std::any_of(loop_.begin(), loop_.end(),
                    [&](Node* n) { return is_delay(*n) && types_[n][0].dtype == DType::unknown; })) {
      constants_decide_ = true;  // nothing else says what the element type is
      come_to_rest();
    }
    bool changed = false;
    for (Node* n : loop_) {
      if (!is_delay(*n)) continue;
      if (is_shaped(types_[n][0]))  // the element type may come later, with an argument
        changed |= learn(n->types[0], types_[n][0]);
      else
        complain(*n);
    }
    if (!changed)
      for (Node* n : loop_)
        if (!is_delay(*n) && is_neutral(types_[n][0])) explain(*n);
    return changed;
  }

 private:
  static constexpr int kRounds = 64;

  bool is_open() const {
    return std::any_of(loop_.begin(), loop_.end(),
                       [](Node* n) { return is_delay(*n) && !n->types[0].is_known(); });
  }
  void come_to_rest() {
    for (int round = 0; go_round(); ++round)
      if (round == kRounds)
        throw shape_error("the shape of the recurrence's state grows with every step")
            .line("node", describe(*loop_[0]))
            .made_at(loop_[0]->made_at.text())
            .remedy("return a state of the same shape as the state that the step was given");
  }
  // A function that only a file knows gives results of unknown types. What reads them could only be guessed.
  bool has_foreign() const {
    return std::any_of(loop_.begin(), loop_.end(), [](const Node* n) { return n->foreign != nullptr; });
  }
  // All that comes from outside is known.
  bool is_fed() const {
    for (Node* n : loop_)
      for (const Edge& e : n->inputs) {
        Variable at = computed(e);
        if (!types_.count(at.node().get()) && !is_shaped(at.type())) return false;
      }
    return true;
  }

  std::vector<Type> operand_types_of(const Node& n) const {
    std::vector<Variable> in;
    for (const Edge& e : n.inputs) in.push_back(computed(e));
    std::vector<Type> list;
    for (const Variable& v : in) {
      auto inside = types_.find(v.node().get());
      list.push_back(inside == types_.end() ? v.type() : inside->second[v.index()]);
    }
    bool known = std::any_of(list.begin(), list.end(), [&](const Type& t) {
      return t.dtype != DType::unknown && !in[&t - list.data()].is_constant();
    });
    if (known || !constants_decide_) share_element_type(*n.op, in, list);
    return list;
  }

  bool go_round() {
    bool changed = false;
    for (Node* n : loop_) {
      std::vector<Type> now = tried(*n, operand_types_of(*n));
      if (now == types_[n]) continue;
      types_[n] = now;
      changed = true;
    }
    return changed;
  }

  // Where shapes of operands that are known do not go together, the rule of the operator says why.
  void explain(const Node& n) const {
    std::vector<Type> in = operand_types_of(n);
    if (n.op->compose || std::any_of(in.begin(), in.end(), is_neutral)) return;
    for (Type& t : in)
      if (!t.axes.is_known()) t.axes = Axes();
    try {
      infer_types(*n.op, n.attributes, in);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::shape) rethrow_with(e, n);
    }
  }

  // Where the loop has come to rest and the delay does not take what it gets, its rule says why.
  void complain(const Node& n) const {
    std::vector<Type> in = operand_types_of(n);
    if (is_neutral(in[0]) || !in[0].axes.is_known()) return;
    try {
      infer_types(*n.op, n.attributes, in);
    } catch (const Error& e) {
      rethrow_with(e, n);
    }
  }

  static std::vector<Type> tried(const Node& n, std::vector<Type> in) {
    const Operator& op = *n.op;
    std::vector<Type> nothing(n.types.size(), Type::unknown());
    if (is_delay(n) && is_neutral(in[0])) {  // as if the state stayed what it is in the beginning
      Type begin = in[1];
      begin.axes = Axes::unknown();
      return {begin};
    }
    if (!op.infer && !op.compose) {
      if (std::all_of(in.begin(), in.end(), is_neutral)) return nothing;
      for (Type& t : in)
        if (is_neutral(t)) t.shape = Shape();
    }
    // Dynamic axes that are not known count as none, until others come in; where the rule wants some, they
    // stay unknown.
    std::vector<Type> closed = in;
    bool open = false;
    for (Type& t : closed)
      if (!is_delay(n) && !t.axes.is_known()) t.axes = Axes(), open = true;
    std::optional<std::vector<Type>> out = results(n, closed);
    if (!out && open) out = results(n, in);
    if (!out) return nothing;  // not with these operands: the next round has others
    for (Type& t : *out)
      if (open && !t.axes.has_batch()) t.axes = Axes::unknown();
    return *out;
  }

  static std::optional<std::vector<Type>> results(const Node& n, const std::vector<Type>& in) {
    try {
      return n.op->compose && !n.op->infer ? types_of_body(n, in)
                                           : infer_types(*n.op, n.attributes, in).outputs;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  // Of a composite operator whose body waits for the shapes of its operands.
  static std::vector<Type> types_of_body(const Node& n, const std::vector<Type>& in) {
    std::vector<Variable> places;
    for (const Type& t : in) {
      if (is_neutral(t)) return std::vector<Type>(n.types.size(), Type::unknown());
      places.push_back(placeholder({}, t));
    }
    std::vector<Type> list;
    for (const Variable& v : make_block(*n.op, n.attributes, places, {}).outputs()) list.push_back(v.type());
    return list;
  }

  const std::vector<Node*>& loop_;
  std::unordered_map<const Node*, std::vector<Type>> types_;
  bool constants_decide_ = false;
};

}  // namespace

void check_loops(const std::shared_ptr<Node>& root) {
  Loops loops(root);
  for (const std::vector<Node*>& loop : loops.all()) {
    Node *past = nullptr, *future = nullptr;
    for (Node* n : loop)
      if (is_delay(*n)) (looks_ahead(*n) ? future : past) = n;
    if (past && future)
      throw value_error("the loop contains past_value and future_value: its steps have no order")
          .line("node", cat(describe(*past), "; ", describe(*future)))
          .made_at(past->made_at.text())
          .remedy("let one recurrence go forward and another one backward, and join their results");
  }
}

bool infer_delays(const std::shared_ptr<Node>& root) {
  Loops loops(root, true);
  bool changed = false;
  for (const std::vector<Node*>& loop : loops.all()) changed |= Trial(loop).learn_delays();
  return changed;
}

Variable maker_of_axes(const std::shared_ptr<Node>& root, const Axes& axes) {
  std::unordered_set<const Node*> seen;
  std::vector<Variable> open;
  for (const Variable& v : outputs_of(root)) open.push_back(computed(v));
  while (!open.empty()) {
    const std::shared_ptr<Node> n = open.back().node();
    open.pop_back();
    if (!n->op || !seen.insert(n.get()).second) continue;
    if (n->op->has(CANTIK_OWN_AXIS))
      for (size_t i = 0; i < n->types.size(); ++i)
        if (n->types[i].axes == axes) return {n, static_cast<uint32_t>(i)};
    for (size_t i = n->inputs.size(); i-- > 0;) open.push_back(computed(n->inputs[i]));
  }
  return {};
}

}  // namespace cantik
