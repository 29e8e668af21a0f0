#include "graph/node.h"

#include "graph/object.h"

namespace cantik {

// What weak references know of their node, and, under the mutex, whether it is still there.
struct NodeLife {
  std::mutex mutex;
  const Node* node = nullptr;
};

WeakNode::WeakNode(const std::shared_ptr<Node>& node) {
  if (!node->life) {
    node->life = std::make_shared<NodeLife>();
    node->life->node = node.get();
  }
  life_ = node->life;
}

std::shared_ptr<Node> WeakNode::lock() const {
  if (!life_) return nullptr;
  std::lock_guard lock(life_->mutex);
  return life_->node ? life_->node->handle() : nullptr;
}

Function Block::composite() const {
  auto c = std::make_shared<Composite>();
  c->label = label;
  return Function(root.handle(), std::move(c));
}

// A deep graph is taken down one node after another, not each inside the one before: the stack has an end.
Node::~Node() {
  static thread_local std::vector<Edge>* doomed = nullptr;
  if (life) {
    std::lock_guard lock(life->mutex);
    life->node = nullptr;
  }
  if (object) lose_node(*object, inputs);
  std::vector<Edge> own = std::move(inputs);
  own.push_back(std::move(bound));
  if (block) {
    own.push_back(std::move(block->root));
    for (auto& [inside, outside] : block->arguments) {
      own.push_back(std::move(inside));
      own.push_back(std::move(outside));
    }
  }
  if (doomed) {
    for (Edge& e : own) doomed->push_back(std::move(e));
    return;
  }
  doomed = &own;
  while (!own.empty()) {
    Edge last = std::move(own.back());
    own.pop_back();
  }
  doomed = nullptr;
}

}  // namespace cantik
