#include "graph/cycle.h"

#include <algorithm>
#include <unordered_map>

#include "base/components.h"
#include "graph/object.h"

namespace cantik {
namespace {

// What the handles on one node count on. The node itself may belong to a cycle by the time the last of them
// goes.
struct Release {
  std::shared_ptr<Cycle> cycle = {};
  void operator()(Node* n) {
    if (!cycle) delete n;
    cycle.reset();
  }
};

// Every edge that owns, but for those of an object of the user's program.
template <class F>
void for_each_edge(Node& n, F&& f) {
  for (Edge& e : n.inputs) f(e);
  if (n.bound) f(n.bound);
  if (!n.block) return;
  f(n.block->root);
  for (auto& [inside, outside] : n.block->arguments) {
    f(inside);
    f(outside);
  }
}

}  // namespace

class CycleMaker {
 public:
  explicit CycleMaker(const std::shared_ptr<Node>& root) {
    const int32_t roots[] = {number_of(root.get())};
    auto reads = [&](int32_t i) {
      std::vector<int32_t> list;
      for_each_edge(*nodes_[i], [&](Edge& e) { list.push_back(number_of(e.node())); });
      return list;
    };
    for (const std::vector<int32_t>& component : components(roots, reads))
      if (component.size() > 1) close(component);
  }

 private:
  int32_t number_of(Node* n) {
    auto [at, is_new] = numbers_.emplace(n, static_cast<int32_t>(nodes_.size()));
    if (is_new) nodes_.push_back(n);
    return at->second;
  }

  void close(const std::vector<int32_t>& component) {
    std::vector<std::shared_ptr<Node>> held;  // nobody's last handle goes meanwhile
    for (int32_t i : component) held.push_back(nodes_[i]->handle());
    auto in_cycle = std::find_if(held.begin(), held.end(), [](const auto& n) { return n->cycle != nullptr; });
    std::shared_ptr<Cycle> cycle = in_cycle == held.end() ? std::make_shared<Cycle>() : cycle_of(**in_cycle);
    for (const std::shared_ptr<Node>& n : held) join(n, cycle);
    for (const std::shared_ptr<Node>& n : held)
      for_each_edge(*n, [&](Edge& e) {
        if (e.node()->cycle == cycle.get()) e.loosen();
      });
  }

  static std::shared_ptr<Cycle> cycle_of(const Node& n) {
    return std::static_pointer_cast<Cycle>(n.owner.lock());
  }

  static void join(const std::shared_ptr<Node>& n, const std::shared_ptr<Cycle>& cycle) {
    if (n->cycle == cycle.get()) return;
    if (!n->cycle) {
      std::get_deleter<Release>(n)->cycle = cycle;
      take(*n, cycle);
      return;
    }
    std::shared_ptr<Cycle> other = cycle_of(*n);
    for (Node* member : other->nodes_) take(*member, cycle);
    other->nodes_.clear();
    other->joined_ = cycle;
  }
  static void take(Node& n, const std::shared_ptr<Cycle>& cycle) {
    cycle->nodes_.push_back(&n);
    n.cycle = cycle.get();
    n.owner = cycle;
  }

  std::unordered_map<Node*, int32_t> numbers_;
  std::vector<Node*> nodes_;
};

Cycle::~Cycle() {
  // an object of the user's program looks at the nodes that its own reads: while all of them are there
  for (Node* n : nodes_)
    if (n->object) lose_node(*n->object, n->inputs), n->object.reset();
  for (Node* n : nodes_) delete n;
}

void own_cycles(const std::shared_ptr<Node>& root) { CycleMaker maker(root); }

std::shared_ptr<Node> make_node() {
  std::shared_ptr<Node> n(new Node, Release{});
  n->owner = n;
  return n;
}

std::shared_ptr<Node> Node::handle() const {
  std::shared_ptr<void> o = owner.lock();
  return o ? std::shared_ptr<Node>(std::move(o), const_cast<Node*>(this)) : nullptr;
}

CANTIK_API std::shared_ptr<Node> Edge::handle() const {
  return node_ && node_.use_count() == 0 ? node_->handle() : node_;
}

std::vector<Variable> variables(const std::vector<Edge>& edges) { return {edges.begin(), edges.end()}; }

}  // namespace cantik
