// Which functions are computed from themselves, through delays.
#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/writer.h"

namespace cantik::onnx {

bool is_delay(const Node& n) { return n.op && n.op->has(CANTIK_DELAY); }

int OnnxWriter::loop_of(const Node& n) const {
  const auto at = loop_of_.find(&n);
  return at == loop_of_.end() ? -1 : at->second;
}

std::vector<Variable> OnnxWriter::read_by(const Loop& loop) {
  std::vector<Variable> list;
  for (const std::shared_ptr<Node>& n : loop.nodes)
    for (const Variable& v : read_by(*n))
      if (!v.is_output() || loop_of(*v.node()) != loop_of(*n)) list.push_back(v);
  return list;
}

// Tarjan's components of more than one function, or of one that reads itself; without recursion. A delay
// by itself is one, too.
void OnnxWriter::find_loops(const std::vector<Variable>& outputs) {
  struct Visit {
    std::shared_ptr<Node> node;
    std::vector<Variable> reads;
    size_t next = 0;
  };
  std::unordered_map<const Node*, std::pair<int, int>> index;  // when it was found, the earliest it reaches
  std::unordered_set<const Node*> held;
  std::vector<std::shared_ptr<Node>> path, all;
  std::vector<Visit> stack;
  auto enter = [&](const std::shared_ptr<Node>& n) {
    const int i = static_cast<int>(index.size());
    index[n.get()] = {i, i};
    held.insert(n.get());
    path.push_back(n);
    all.push_back(n);
    stack.push_back({n, read_by(*n), 0});
  };
  for (const Variable& wanted : outputs) {
    const Variable root = seen(wanted);
    if (!root.is_output() || index.count(root.node().get())) continue;
    enter(root.node());
    while (!stack.empty()) {
      Visit& top = stack.back();
      const Node* n = top.node.get();
      if (top.next < top.reads.size()) {
        const Variable in = top.reads[top.next++];
        if (!in.is_output()) continue;
        if (!index.count(in.node().get()))
          enter(in.node());
        else if (held.count(in.node().get()))
          index[n].second = std::min(index[n].second, index[in.node().get()].first);
        continue;
      }
      bool itself = false;
      for (const Variable& v : top.reads) itself = itself || v.node().get() == n;
      const auto [first, low] = index[n];
      stack.pop_back();
      if (!stack.empty()) {
        auto& outer = index[stack.back().node.get()];
        outer.second = std::min(outer.second, low);
      }
      if (first != low) continue;
      Loop loop;
      std::shared_ptr<Node> last;
      do {
        last = path.back();
        path.pop_back();
        held.erase(last.get());
        loop.nodes.push_back(last);
      } while (last.get() != n);
      if (loop.nodes.size() == 1 && !itself && !is_delay(*last)) continue;
      for (const std::shared_ptr<Node>& m : loop.nodes) loop_of_[m.get()] = static_cast<int>(loops_.size());
      loops_.push_back(std::move(loop));
    }
  }
  if (loops_.empty()) return;
  auto note = [&](const Variable& v, int reader) {
    const int loop = v.is_output() ? loop_of(*v.node()) : -1;
    if (loop < 0 || loop == reader) return;
    std::vector<Variable>& list = loops_[loop].read_outside;
    if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
  };
  for (const std::shared_ptr<Node>& n : all)
    for (const Variable& v : read_by(*n)) note(v, loop_of(*n));
  for (const Variable& v : outputs) note(seen(v), -1);
}

}  // namespace cantik::onnx
