#include "graph/node.h"

namespace cantik {

// A deep graph is taken down one node after another, not each inside the one before: the stack has an end.
Node::~Node() {
  static thread_local std::vector<Variable>* doomed = nullptr;
  if (doomed) {
    for (Variable& v : inputs) doomed->push_back(std::move(v));
    doomed->push_back(std::move(bound));
    return;
  }
  if (inputs.empty() && !bound) return;
  std::vector<Variable> own = std::move(inputs);
  own.push_back(std::move(bound));
  doomed = &own;
  while (!own.empty()) {
    Variable last = std::move(own.back());
    own.pop_back();
  }
  doomed = nullptr;
}

}  // namespace cantik
