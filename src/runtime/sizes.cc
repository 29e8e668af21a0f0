#include "runtime/sizes.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <cantik/feeds.h>

#include "graph/node.h"
#include "graph/types.h"

namespace cantik::runtime {
namespace {

// What data tell of their input's type.
Type type_of_data(const Variable& input, const Value& value) {
  check_feed(input, value);
  const Shape& shape = value.data.shape();
  const int rows = input.axes().has_batch() ? 1 : 0;
  return {DType::unknown, shape.sub(rows, shape.rank()), Axes::unknown(), Storage::dense};
}

}  // namespace

bool await_sizes(const std::unordered_set<Node*>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const Node* n) { return n->stored && !n->types[0].shape.is_static(); });
}

void take_sizes(const std::shared_ptr<Node>& root, const Feeds& feeds) {
  static std::mutex mutex;  // graphs share their leaves
  std::lock_guard lock(mutex);
  const std::unordered_set<Node*> nodes = nodes_below(root.get());
  if (!await_sizes(nodes)) return;  // another thread has been here
  struct Before {
    Node* node;
    std::vector<Type> types;
    std::vector<Attribute> attributes;
  };
  std::vector<Before> before;
  for (Node* n : nodes) before.push_back({n, n->types, n->attributes});
  try {
    for (const auto& [input, value] : feeds)
      if (input.is_input() && input.shape().has_inferred())
        learn(input.node()->types[0], type_of_data(input, value));
    infer_graph(root);
  } catch (...) {
    for (Before& b : before) {
      b.node->types = std::move(b.types);
      b.node->attributes = std::move(b.attributes);
    }
    throw;
  }
}

}  // namespace cantik::runtime
