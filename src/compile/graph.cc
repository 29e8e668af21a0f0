// The compiler's graph: making nodes, keeping it tidy and checking it.
#include "compile/graph.h"

#include <algorithm>
#include <array>

#include "base/interrupt.h"
#include "base/text.h"
#include "compile/core.h"
#include "graph/types.h"
#include "tensor/steps.h"

namespace cantik::ir {

bool is_delay(const Node& n) { return n.kind == NodeKind::call && n.op->has(CANTIK_DELAY); }

bool looks_at_whole_sequences(const Node& n) {
  return n.kind == NodeKind::call && n.op->has(CANTIK_BY_SEQUENCE | CANTIK_OWN_AXIS | CANTIK_STEPS_AS_AXIS) &&
         !n.op->has(CANTIK_DELAY | CANTIK_STEP_BY_STEP);
}

ValueId Graph::add_leaf(LeafKind kind, const Type& type, int32_t index) {
  ValueInfo v;
  v.type = type;
  v.leaf = kind;
  v.leaf_index = index;
  return values.add(std::move(v));
}

ValueId Graph::number(double x, DType dtype) {
  ValueInfo v;
  v.type = {dtype, Shape(), Axes(), Storage::dense};
  v.leaf = LeafKind::number;
  v.number = x;
  return values.add(std::move(v));
}

ValueId Graph::live(Live l, DType dtype) {
  auto at = std::find(lives.begin(), lives.end(), l);
  if (at == lives.end()) at = lives.insert(at, l);
  return add_leaf(LeafKind::live, {dtype, Shape(), Axes(), Storage::dense},
                  static_cast<int32_t>(at - lives.begin()));
}

void Graph::bind_outputs(NodeId n, std::span<const Type> types) {
  for (size_t i = 0; i < types.size(); ++i) {
    ValueInfo v;
    v.type = types[i];
    v.producer = n;
    v.output = static_cast<int32_t>(i);
    node(n).out.push_back(values.add(std::move(v)));
  }
}

NodeId Graph::add(Node made, std::span<const Type> types) {
  const NodeId n = nodes.add(std::move(made));
  bind_outputs(n, types);
  return n;
}

namespace {

// What an expression only took for its shape need not be kept for it.
void drop_unread(Node& n) {
  std::vector<int32_t> place(n.in.size(), -1);
  Values left;
  for (size_t i = 0; i < n.in.size(); ++i)
    if (n.expression.reads(static_cast<int32_t>(i)))
      place[i] = static_cast<int32_t>(left.size()), left.push_back(n.in[i]);
  if (left.empty() || left.size() == n.in.size()) return;
  for (Code& k : n.expression.codes)
    if (k.op == CANTIK_X_INPUT) k.a = place[k.a];
  n.in = left;
}

}  // namespace

Type Graph::type_of_map(const Values& in) const {
  bool same = true;
  for (ValueId v : in) same &= type(v) == type(in[0]);
  if (same) return type(in[0]);
  std::vector<Type> types;
  for (ValueId v : in) types.push_back(type(v));
  return broadcast(types, "map");
}

ValueId Graph::dense(ValueId v, SourceId source) {
  if (type(v).storage == Storage::dense) return v;
  return call(core::to_dense.op(), {}, {&v, 1}, source)[0];
}

ValueId Graph::readable(const Operator& op, ValueId v, SourceId source) {
  const bool as_it_is =
      type(v).storage == Storage::row_sparse ? core::takes_few_rows(op) : op.has(CANTIK_TAKES_SPARSE);
  return as_it_is ? v : dense(v, source);
}

ValueId Graph::copied(ValueId v) {
  Node n;
  n.kind = NodeKind::map;
  n.in = {v};
  n.expression.results = {n.expression.input(0)};
  const Type t = type(v);
  return node(add(std::move(n), {&t, 1})).out[0];
}

void Graph::align(std::span<ValueId> in, SourceId source, const Operator* op) {
  auto like = std::find_if(in.begin(), in.end(), [&](ValueId v) { return type(v).axes.has_sequence(); });
  if (like == in.end()) return;
  ValueId steps = *like;
  for (size_t i = 0; i < in.size(); ++i)
    if (type(in[i]).axes.has_batch() && !type(in[i]).axes.has_sequence() && !(op && op->reads_layout_only(i)))
      in[i] = call(core::take_rows.op(), {Attribute(static_cast<int64_t>(RowMap::sequence))},
                   std::array{dense(in[i], source), steps}, source)[0];
}

ValueId Graph::map(Expression e, std::span<const ValueId> given, SourceId source) {
  Values in;
  in.append(given.data(), given.size());
  for (ValueId& v : in) v = dense(v, source);
  check_batches(in, nullptr, source);
  align({in.begin(), in.size()}, source);
  // Numbers become constants of the expression, equal inputs one input.
  Node n;
  n.kind = NodeKind::map;
  n.source = source;
  DType dtype = DType::unknown;
  for (ValueId v : in)
    if (value(v).leaf != LeafKind::number) dtype = type(v).dtype;
  bool plain = true;
  for (size_t i = 0; i < in.size() && plain; ++i)
    plain = value(in[i]).leaf != LeafKind::number &&
            std::find(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(i), in[i]) ==
                in.begin() + static_cast<std::ptrdiff_t>(i);
  if (plain) {
    n.in = in;
    n.expression = std::move(e);
  } else {
    Expression tidy;
    const Expression::Places place = tidy.splice(e, [&](const Code& k) {
      ValueId v = in[k.a];
      if (value(v).leaf == LeafKind::number) return tidy.constant(value(v).number);
      auto at = std::find(n.in.begin(), n.in.end(), v);
      if (at == n.in.end()) n.in.push_back(v), at = n.in.end() - 1;
      return tidy.input(static_cast<int32_t>(at - n.in.begin()));
    });
    for (int32_t r : e.results) tidy.results.push_back(place[r]);
    tidy.drop_unused();
    n.expression = std::move(tidy);
  }
  if (n.in.empty())
    return number(n.expression.result(0).value,
                  dtype == DType::unknown && !in.empty() ? type(in[0]).dtype : dtype);
  Type t = type_of_map(n.in);
  const Code& result = n.expression.result(0);
  if (result.op == CANTIK_X_INPUT && type(n.in[result.a]) == t) return n.in[result.a];
  drop_unread(n);
  return node(add(std::move(n), {&t, 1})).out[0];
}

Expression Graph::with_attributes(const Operator& op, const Expression& e,
                                  std::span<const Attribute> attributes, SourceId source, Values& in) {
  DType dtype = type(in[0]).dtype;
  Expression x;
  const Expression::Places place = x.splice(e, [&](const Code& k) {
    if (k.op == CANTIK_X_INPUT) return x.input(k.a);
    if (!op.fields[k.a].live || !source) return x.constant(attributes[k.a].real());
    in.push_back(live({source, k.a}, dtype));
    return x.input(static_cast<int32_t>(in.size() - 1));
  });
  for (int32_t r : e.results) x.results.push_back(place[r]);
  return x;
}

Values Graph::call(const Operator& op, std::vector<Attribute> attributes, std::span<const ValueId> in,
                   SourceId source) {
  if (!op.expression.empty()) {
    Values all;
    all.append(in.data(), in.size());
    Expression e = with_attributes(op, op.expression, attributes, source, all);
    bool numbers =
        std::all_of(all.begin(), all.end(), [&](ValueId v) { return value(v).leaf == LeafKind::number; });
    if (op.derivatives.empty() || numbers) return {map(std::move(e), all, source)};
    // Its own derivatives are better than derived ones: they speak of the inputs as they were given.
    for (ValueId& v : all) v = dense(v, source);
    check_batches(all, &op, source);
    align({all.begin(), all.size()}, source);
    Node n;
    n.kind = NodeKind::map;
    n.op = &op;
    n.attributes = std::move(attributes);
    n.in = all;
    n.expression = std::move(e);
    n.source = source;
    Type t = type_of_map(all);
    return node(add(std::move(n), {&t, 1})).out;
  }
  if (op.lower || (op.compose && op.kernels.empty()))
    return GraphBuilder(*this, op, attributes, in, source).run(op.lower ? op.lower : op.compose);
  Node n;
  n.kind = NodeKind::call;
  n.in.append(in.data(), in.size());
  if (!op.has(CANTIK_ALIAS))
    for (size_t i = 0; i < n.in.size(); ++i)
      if (!op.reads_layout_only(i)) n.in[i] = readable(op, n.in[i], source);
  const bool late = op.facts.sizes != nullptr;
  if (!late) check_batches(n.in, &op, source);
  if (op.has(CANTIK_ROW_WISE)) align({n.in.begin(), n.in.size()}, source, &op);
  std::vector<Type> types;
  types.reserve(in.size());
  for (ValueId v : n.in) types.push_back(type(v));
  std::vector<Type> made =
      late ? types_with_late_sizes(op, attributes, n.in, source) : infer_types(op, attributes, types).outputs;
  // An alias has its operand's numbers, so they are stored as its type says.
  if (op.has(CANTIK_ALIAS) && made[0].storage == Storage::dense && types[0].storage != Storage::dense) {
    n.in[0] = dense(n.in[0], source);
    return call(op, std::move(attributes), {n.in.begin(), n.in.size()}, source);
  }
  if (op.has(CANTIK_ROWS_AS_AXIS | CANTIK_AXIS_AS_ROWS | CANTIK_STEPS_AS_AXIS))
    turn_rows(op, types[0], made[0]);
  n.op = &op;
  n.attributes = std::move(attributes);
  n.source = source;
  return add_call(std::move(n), std::move(made));
}

Values Graph::call_like(const Operator& op, std::vector<Attribute> attributes, std::span<const ValueId> in,
                        std::vector<Type> types, SourceId source) {
  Node n;
  n.kind = NodeKind::call;
  n.op = &op;
  n.attributes = std::move(attributes);
  n.source = source;
  for (ValueId v : in) n.in.push_back(readable(op, v, source));
  return add_call(std::move(n), std::move(types));
}

Values Graph::add_call(Node n, std::vector<Type> types) {
  const Operator& op = *n.op;
  if (op.has(CANTIK_READS_SAVED)) {
    const Node* of = n.in.empty() ? nullptr : producer(n.in[0]);
    if (!of || of->kind != NodeKind::call || !saves(*of->op) || of->out.back() != n.in[0])
      throw runtime_error(op.name + " reads what an operator saves, and its first operand is no such thing")
          .remedy("call it in the gradient of an operator that saves, with g.saved()");
  }
  if (saves(op)) {  // what stands for it has the rows of the operands
    auto with = [&](auto&& has) {
      return std::find_if(n.in.begin(), n.in.end(), [&](ValueId v) { return has(type(v).axes); });
    };
    auto rows = with([](const Axes& a) { return a.has_sequence(); });
    if (rows == n.in.end()) rows = with([](const Axes& a) { return a.has_batch(); });
    types.push_back(
        {DType::float64, Shape(), rows == n.in.end() ? Axes() : type(*rows).axes, Storage::dense, 0});
  }
  const NodeId id = add(std::move(n), types);
  if (op.has(CANTIK_EFFECT)) effects.push_back(id);
  return node(id).out;
}

bool Graph::saves(const Operator& op) const {
  return op.facts.saves == CANTIK_SAVES_FOR_READERS ||
         (op.facts.saves == CANTIK_SAVES_FOR_GRADIENT && mode == Mode::training);
}

bool Graph::makes_axes_of(ValueId v) const {
  const Node* n = producer(v);
  const Axes& axes = type(v).axes;
  return n && n->kind == NodeKind::call && n->op->has(CANTIK_OWN_AXIS) && axes.has_sequence() &&
         std::none_of(n->in.begin(), n->in.end(), [&](ValueId x) { return type(x).axes == axes; });
}

void Graph::replace_uses(ValueId from, ValueId to) {
  for (Node& n : nodes)
    for (ValueId& v : n.in)
      if (v == from) v = to;
  for (ValueId& v : outputs)
    if (v == from) v = to;
}

void Graph::remove(NodeId n) {
  Node& dead = node(n);
  for (ValueId v : dead.out) value(v).producer = {};
  dead = Node();
}

std::vector<std::pair<Axes, NodeId>> Graph::makers() const {
  std::vector<std::pair<Axes, NodeId>> list;
  for (NodeId id : nodes.ids()) {
    const Node& n = node(id);
    if (n.kind != NodeKind::call || !n.op->has(CANTIK_OWN_AXIS)) continue;
    for (ValueId v : n.out)
      if (makes_axes_of(v)) list.emplace_back(type(v).axes, id);
  }
  return list;
}

NodeId Graph::maker_of(const Axes& axes, std::span<const std::pair<Axes, NodeId>> made) const {
  auto at = std::find_if(made.begin(), made.end(), [&](const auto& m) { return m.first == axes; });
  return at == made.end() ? NodeId() : at->second;
}

NodeId Graph::maker_of(NodeId n, std::span<const std::pair<Axes, NodeId>> made) const {
  const Node& reader = node(n);
  if (made.empty() || reader.out.empty()) return {};
  Axes axes = type(reader.out[0]).axes;
  // it may be told how many rows there are
  for (size_t i = 0; i < reader.in.size() && !axes.has_batch(); ++i)
    if (reader.kind == NodeKind::call && reader.op->reads_layout_only(i)) axes = type(reader.in[i]).axes;
  const NodeId maker = maker_of(axes, made);
  return maker == n ? NodeId() : maker;
}

std::vector<NodeId> Graph::order() const {
  constexpr int64_t kWorkPerNode = 50;
  may_end(kWorkPerNode * static_cast<int64_t>(nodes.size()));  // passes ask for the order again and again
  std::vector<NodeId> list;
  list.reserve(nodes.size());
  ById<LoopId, std::vector<NodeId>> bodies;
  for (LoopId loop : loops.ids()) bodies.push_back(body_of(loop));
  struct Unit {  // a node, or the nodes of a loop
    std::span<const NodeId> members;
    size_t member = 0, next = 0;
  };
  ById<NodeId, NodeId> entered(nodes.size());  // each node at its own place
  std::vector<Unit> stack;
  stack.reserve(nodes.size());
  auto enter = [&](NodeId n) {
    if (!n || entered[n]) return;
    std::span<const NodeId> members(&entered[n], 1);
    if (const LoopId loop = node(n).loop) members = bodies[loop];
    entered[n] = n;
    for (NodeId m : members) entered[m] = m;
    stack.push_back({members});
  };
  const std::vector<std::pair<Axes, NodeId>> made = makers();
  auto visit = [&](NodeId root) {
    enter(root);
    while (!stack.empty()) {
      Unit& u = stack.back();
      if (u.member == u.members.size()) {
        list.insert(list.end(), u.members.begin(), u.members.end());
        stack.pop_back();
        continue;
      }
      const Values& in = node(u.members[u.member]).in;
      if (u.next < in.size()) {
        enter(value(in[u.next++]).producer);
        continue;
      }
      NodeId maker = maker_of(u.members[u.member], made);
      ++u.member, u.next = 0;
      enter(maker);
    }
  };
  for (ValueId v : outputs) visit(value(v).producer);
  for (NodeId n : effects) visit(n);
  return list;
}

std::vector<NodeId> Graph::producers(NodeId id) const {
  std::vector<NodeId> list;
  for (ValueId v : node(id).in)
    if (NodeId p = value(v).producer) list.push_back(p);
  return list;
}

ById<ValueId, int32_t> Graph::use_counts() const {
  ById<ValueId, int32_t> uses(values.size(), 0);
  for (const Node& n : nodes)
    for (ValueId v : n.in) ++uses[v];
  for (ValueId v : outputs) ++uses[v];
  return uses;
}

void Graph::remove_unused() {
  ById<NodeId, char> needed(nodes.size(), 0);
  std::vector<NodeId> path;
  path.reserve(nodes.size());
  auto need = [&](NodeId n) {
    if (!n || needed[n]) return;
    needed[n] = 1;
    path.push_back(n);
  };
  // Not all of a loop: in its body, too, there may be nodes that nobody reads any more.
  const std::vector<std::pair<Axes, NodeId>> made = makers();
  for (ValueId v : outputs) need(value(v).producer);
  for (NodeId n : effects) need(n);
  while (!path.empty()) {
    NodeId n = path.back();
    path.pop_back();
    for (ValueId v : node(n).in) need(value(v).producer);
    need(maker_of(n, made));
  }
  for (NodeId n : nodes.ids())
    if (!needed[n] && is_live(n)) remove(n);
}

void Graph::verify(const char* after) const {
  auto check = [&](bool holds, const std::string& what) {
    if (!holds)
      throw runtime_error(cat("the graph is broken after ", after, ": ", what))
          .remedy("this is a defect of Cantik: report it with the graph");
  };
  for (NodeId id : nodes.ids()) {
    if (!is_live(id)) continue;
    const Node& n = node(id);
    const std::string text = cat("node ", id.number());
    check((n.kind == NodeKind::map) == (!n.expression.empty() && n.epilogue_inputs == 0 &&
                                        (n.op == nullptr || n.kind == NodeKind::map)) ||
              n.kind == NodeKind::call,
          cat(text, " is neither an expression nor a call"));
    for (ValueId v : n.in) check(v && v < values.end_id(), cat(text, " reads no value"));
    for (size_t o = 0; o < n.out.size(); ++o) {
      const ValueInfo& v = value(n.out[o]);
      check(v.producer == id && v.output == static_cast<int32_t>(o),
            cat("value ", n.out[o].number(), " does not know ", text, ", which makes it"));
      check(v.type.is_known(), cat("value ", n.out[o].number(), " has the type ", v.type.text()));
    }
    if (n.kind == NodeKind::map) {
      check(n.expression.inputs() <= static_cast<int>(n.in.size()),
            cat(text, " reads more inputs than it has"));
      check(n.expression.results.size() == n.out.size(),
            cat(text, " has ", n.out.size(), " values for ", n.expression.results.size(), " results"));
    }
  }
  for (NodeId id : order())
    for (ValueId v : node(id).in)
      check(value(v).producer ? is_live(value(v).producer) : value(v).leaf != LeafKind::none,
            cat("node ", id.number(), " reads value ", v.number(), ", which nothing makes"));
  for (ValueId v : outputs)
    check(value(v).producer || value(v).leaf != LeafKind::none, cat("nothing makes output ", v.number()));
}

}  // namespace cantik::ir
