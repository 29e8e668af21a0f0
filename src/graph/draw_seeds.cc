// New automatic seeds for what a network has not drawn yet.
#include <algorithm>
#include <mutex>
#include <vector>

#include <cantik/seed.h>

#include "graph/node.h"
#include "tensor/function_seed.h"

namespace cantik {

void draw_seeds(const Function& network) {
  std::vector<Node*> drawing;  // in the order in which they were made
  for (Node* n : nodes_below(network.node().get()))
    if (n->has_automatic_seed) drawing.push_back(n);
  std::sort(drawing.begin(), drawing.end(), [](const Node* a, const Node* b) { return a->id < b->id; });
  for (Node* n : drawing) {
    if (n->stored) {
      std::lock_guard lock(n->stored->mutex);
      if (n->stored->pending) n->stored->init.seed = next_seed();
    } else if (const int offset = n->op->field("rng_offset"); offset >= 0) {
      std::lock_guard lock(n->state_mutex);
      n->attributes[n->op->field("seed")] = static_cast<int64_t>(next_function_seed());
      n->attributes[offset] = int64_t{0};
      ++n->restorations;  // streams begin anew
    }
  }
}

}  // namespace cantik
