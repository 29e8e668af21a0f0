// A recurrence as a Scan of ONNX's.
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/writer.h"

namespace cantik::onnx {

bool OnnxWriter::is_inside(const Variable& v) const {
  return inside_ && inside_->count(Key{v.node().get(), v.index()});
}

Type OnnxWriter::as_seen(Type t) const {
  if (inside_ && t.axes.has_sequence()) t.axes = Axes::batch();
  return t;
}

void OnnxWriter::recurrence(const Loop& loop) {
  const int me = loop_of(*loop.nodes[0]);
  auto within = [&](const Variable& v) { return v.is_output() && loop_of(*v.node()) == me; };
  struct Delay {
    const Node* node;
    int64_t steps;
    Variable next, initial;
  };
  std::vector<Delay> delays;
  int ahead = -1;
  for (const std::shared_ptr<Node>& n : loop.nodes) {
    if (!is_delay(*n)) continue;
    const int way = n->op->facts.delay == CANTIK_FUTURE;
    if (ahead >= 0 && way != ahead)
      throw unsupported("a recurrence that looks back and ahead cannot be written to ONNX's files")
          .node(describe(*n));
    ahead = way;
    const std::vector<Variable> in = read_by(*n);
    delays.push_back({n.get(), n->attributes[n->op->field("time_step")].integer(), in[0], in[1]});
    if (within(in[1]) || in[1].axes().has_sequence())
      throw unsupported(
          "the initial state of a recurrence that is computed in it, or is a sequence, cannot be written "
          "to ONNX's files")
          .node(describe(*n));
  }
  // what it reads of sequences
  std::vector<Variable> scanned;
  for (const Variable& v : read_by(loop))
    if (v.axes().has_sequence() && std::find(scanned.begin(), scanned.end(), v) == scanned.end())
      scanned.push_back(v);
  if (scanned.empty())
    throw unsupported(
        "a recurrence that reads no sequence cannot be written to ONNX's files: its length is not known")
        .node(describe(*loop.nodes[0]));
  std::vector<int> inputs;
  const int batch = slice(node("Shape", "", {lookup(scanned[0], scanned[0].dtype())}, {}, 1)[0], 1, 2);
  GraphRecord body;
  body.name = record.own(cat("recurrence_", me));
  std::map<Key, int> inner;
  std::vector<std::vector<int>> states;
  for (const Delay& d : delays) {
    const Type& t = d.node->types[0];
    if (!t.shape.is_static())
      throw unsupported("the state of a recurrence has a free size").node(describe(*d.node));
    std::vector<int64_t> statics(t.shape.begin(), t.shape.end());
    int shape = batch;
    if (!statics.empty())
      shape = node("Concat", "", {batch, whole_numbers({static_cast<int64_t>(statics.size())}, statics)},
                   {number_attribute("axis", 0)}, 1)[0];
    int initial = lookup(d.initial, t.dtype);
    const int missing = d.initial.axes().has_batch() ? t.shape.rank() - d.initial.shape().rank() : 0;
    if (missing > 0) {
      std::vector<int64_t> axes;
      for (int i = 0; i < missing; ++i) axes.push_back(1 + i);
      initial = node("Unsqueeze", "", {initial, whole_numbers({missing}, axes)}, {}, 1)[0];
    }
    initial = node("Expand", "", {initial, shape}, {}, 1)[0];
    std::vector<int> names;
    for (int64_t k = 0; k < d.steps; ++k) {
      inputs.push_back(initial);
      names.push_back(named(fresh("state")));
      body.inputs.push_back(bare(names.back(), t.dtype));
    }
    inner[Key{d.node, 0}] = names.back();
    states.push_back(std::move(names));
  }
  for (const Variable& v : scanned) {
    inputs.push_back(lookup(v, v.dtype()));
    const int name = named(fresh("step"));
    body.inputs.push_back(bare(name, v.dtype()));
    inner[Key{v.node().get(), v.index()}] = name;
  }
  // the body, in a graph of its own
  std::map<Key, int>* around = inside_;
  if (around) throw unsupported("a recurrence inside a recurrence cannot be written to ONNX's files");
  std::vector<NodeRecord> outer = std::move(record.graph.nodes);
  record.graph.nodes.clear();
  inside_ = &inner;
  in_order(loop);
  auto copied = [&](int v) { return node("Identity", "", {v}, {}, 1)[0]; };
  for (size_t i = 0; i < delays.size(); ++i)
    for (size_t k = 0; k < states[i].size(); ++k) {
      const int next =
          copied(k == 0 ? lookup(delays[i].next, delays[i].node->types[0].dtype) : states[i][k - 1]);
      body.outputs.push_back(bare(next, delays[i].node->types[0].dtype));
    }
  for (const Variable& v : loop.read_outside)
    body.outputs.push_back(bare(copied(lookup(v, v.dtype())), v.dtype()));
  inside_ = nullptr;
  body.nodes = std::move(record.graph.nodes);
  record.graph.nodes = std::move(outer);
  const size_t count = body.outputs.size(), kept = count - loop.read_outside.size();
  AttributeRecord graph;
  graph.name = "body";
  graph.kind = AttributeRecord::Kind::graph;
  graph.graphs.push_back(std::move(body));
  std::vector<AttributeRecord> attributes{
      std::move(graph), number_attribute("num_scan_inputs", static_cast<int64_t>(scanned.size()))};
  if (ahead) {
    attributes.push_back(numbers_attribute("scan_input_directions", std::vector<int64_t>(scanned.size(), 1)));
    attributes.push_back(
        numbers_attribute("scan_output_directions", std::vector<int64_t>(loop.read_outside.size(), 1)));
  }
  const std::vector<int> made = node("Scan", "", inputs, std::move(attributes), static_cast<int>(count));
  for (size_t i = 0; i < loop.read_outside.size(); ++i) {
    const Variable& v = loop.read_outside[i];
    values_[Key{v.node().get(), v.index()}] = made[kept + i];
  }
}

void OnnxWriter::in_order(const Loop& loop) {
  const int me = loop_of(*loop.nodes[0]);
  auto within = [&](const Variable& v) { return v.is_output() && loop_of(*v.node()) == me; };
  std::unordered_map<const Node*, int> state;
  std::vector<std::pair<std::shared_ptr<Node>, size_t>> stack;
  for (const std::shared_ptr<Node>& root : loop.nodes) {
    if (is_delay(*root) || state.count(root.get())) continue;
    state[root.get()] = 1;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      auto& [n, next] = stack.back();
      const std::vector<Variable> reads = read_by(*n);
      if (next < reads.size()) {
        const Variable& v = reads[next++];
        if (!within(v) || is_delay(*v.node()) || state.count(v.node().get()) == 1) {
          if (within(v) && !is_delay(*v.node()) && state[v.node().get()] == 1)
            throw value_error("a value is computed from itself without a delay").node(describe(*n));
          continue;
        }
        state[v.node().get()] = 1;
        stack.push_back({v.node(), 0});
        continue;
      }
      const std::shared_ptr<Node> made = n;
      stack.pop_back();
      state[made.get()] = 2;
      function(*made);
    }
  }
}

}  // namespace cantik::onnx
