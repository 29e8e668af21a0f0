// Objects of the user's program (graph/object.h) as nodes.
//
// A result with a sequence axis of its own is a node by itself, which takes it from what forward has made:
// the runtime asks each such node how long its sequences are. In a cycle an object is called once a step;
// what it reads of the batch is spread over the steps, so that a step has the rows of the sequences that go
// on, and the object still sees an operand without steps.
#include <algorithm>
#include <array>
#include <vector>

#include "base/components.h"
#include "compile/passes.h"
#include "graph/object.h"
#include "tensor/steps.h"

namespace cantik::ir {
namespace {

using Numbers = std::vector<int64_t>;

bool is_forward(const Node& n) {
  return n.kind == NodeKind::call && n.op->object &&
         (n.op == &n.op->object->parts().op || n.op == &n.op->object->parts().apart);
}

}  // namespace

Values Graph::call_object(Node n, const std::vector<Type>& results) {
  UserOperator& object = *n.op->object;
  auto reads = [&](auto&& wanted) {
    return std::find_if(n.in.begin(), n.in.end(), [&](ValueId v) { return wanted(type(v).axes); });
  };
  Numbers here, apart;
  std::vector<Type> types;
  for (size_t i = 0; i < results.size(); ++i) {
    const Axes& axes = results[i].axes;
    if (axes.has_sequence() && reads([&](const Axes& a) { return a == axes; }) == n.in.end()) {
      apart.push_back(static_cast<int64_t>(i));
      continue;
    }
    here.push_back(static_cast<int64_t>(i));
    types.push_back(results[i]);
  }
  if (!apart.empty()) {
    auto rows = reads([](const Axes& a) { return a.has_sequence(); });
    // there is one: UserOperator::types
    if (rows == n.in.end()) rows = reads([](const Axes& a) { return a.has_batch(); });
    types.push_back(object_token(type(*rows)));
    n.op = &object.parts().apart;
  } else if (mode == Mode::training) {
    types.push_back(object_token(results[0]));  // what forward leaves for backward
  }
  n.attributes = {Attribute(here), Attribute(Numbers())};
  const int32_t source = n.source;
  const NodeId id = add(std::move(n), types);
  Values all;
  for (size_t i = 0; i < results.size(); ++i) all.push_back(-1);
  for (size_t k = 0; k < here.size(); ++k) all[static_cast<size_t>(here[k])] = node(id).out[k];
  for (int64_t i : apart) {
    Node part;
    part.kind = NodeKind::call;
    part.op = &object.parts().part_of;
    part.source = source;
    part.in = {node(id).out.back()};
    part.attributes = {Attribute(Numbers{i})};
    all[static_cast<size_t>(i)] = node(add(std::move(part), {&results[static_cast<size_t>(i)], 1})).out[0];
  }
  return all;
}

Values Graph::object_results(NodeId id) const {
  const Node& n = node(id);
  const UserOperator& object = *n.op->object;
  Values all;
  for (int i = 0; i < object.parts().op.outputs; ++i) all.push_back(-1);
  const Numbers& here = *n.attributes[object_code::kResults].get<Numbers>();
  for (size_t k = 0; k < here.size(); ++k) all[static_cast<size_t>(here[k])] = n.out[k];
  if (n.op != &object.parts().apart) return all;
  for (const Node& part : nodes)
    if (part.kind == NodeKind::call && part.op == &object.parts().part_of && part.in[0] == n.out.back())
      all[static_cast<size_t>(part.attributes[object_code::kWhich].get<Numbers>()->front())] = part.out[0];
  return all;
}

bool Graph::is_stepped(NodeId id) const {
  return !node(id).attributes[object_code::kStepped].get<Numbers>()->empty();
}

void call_in_steps(Graph& g) {
  if (std::none_of(g.nodes.begin(), g.nodes.end(), is_forward)) return;
  auto operands = [&](NodeId id) {
    const Node& n = g.node(id);
    std::vector<NodeId> list;
    for (size_t i = 0; i < n.in.size(); ++i)
      if (NodeId p = g.value(n.in[i]).producer;
          p >= 0 && !(n.kind == NodeKind::call && n.op->reads_layout_only(i)))
        list.push_back(p);
    return list;
  };
  for (const std::vector<NodeId>& cycle : components(g.order(), operands)) {
    if (cycle.size() == 1) continue;  // a cycle has a delay
    for (NodeId id : cycle) {
      if (!is_forward(g.node(id))) continue;
      g.node(id).attributes[object_code::kStepped] = Attribute(Numbers{1});
      Values in = g.node(id).in;
      g.align({in.begin(), in.size()}, g.node(id).source);
      g.node(id).in = in;
    }
  }
}

}  // namespace cantik::ir
