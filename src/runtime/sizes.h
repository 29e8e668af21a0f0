// Sizes that the first data tell: of inputs with InferredDimension, and of parameters that follow from them.
#pragma once

#include <memory>
#include <unordered_set>

#include <cantik/function.h>

namespace cantik::runtime {

// Whether parameters or constants among a graph's nodes have no size yet.
bool await_sizes(const std::unordered_set<Node*>& nodes);

// Where they have none, the inputs take the sizes of the data, for good, and the graph's types are inferred
// anew. Where the data do not suit the graph, that is an error and everything stays as it was.
void take_sizes(const std::shared_ptr<Node>& root, const Feeds& feeds);

}  // namespace cantik::runtime
