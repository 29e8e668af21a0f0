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

bool awaits_sizes(const std::shared_ptr<Node>& root) {
  const std::vector<Variable> found = leaves(root);
  return std::any_of(found.begin(), found.end(), [](const Variable& v) {
    return (v.is_parameter() || v.is_constant()) && !v.shape().is_static();
  });
}

void take_sizes(const std::shared_ptr<Node>& root, const Feeds& feeds) {
  static std::mutex mutex;  // graphs share their leaves
  std::lock_guard lock(mutex);
  if (!awaits_sizes(root)) return;
  std::vector<std::pair<Node*, std::vector<Type>>> before;
  for (Node* n : nodes_below(root.get())) before.emplace_back(n, n->types);
  try {
    for (const auto& [input, value] : feeds)
      if (input.is_input() && input.shape().has_inferred())
        learn(input.node()->types[0], type_of_data(input, value));
    infer_graph(root);
  } catch (...) {
    for (auto& [node, types] : before) node->types = std::move(types);
    throw;
  }
}

}  // namespace cantik::runtime
