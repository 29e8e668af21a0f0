#include "random_graph.h"

#include <memory>
#include <utility>

#include "execute/draws.h"
#include "runtime/run.h"

namespace cantik::support {

std::vector<float> results_of(ir::Graph g, const std::vector<Variable>& leaves,
                              std::span<const Variable> inputs, std::span<const Value> values) {
  runtime::BoundPlan x(std::make_shared<const runtime::Plan>(std::move(g)), leaves, {},
                       std::make_shared<runtime::Draws>());
  std::vector<const Value*> feeds(leaves.size(), nullptr);
  for (size_t i = 0; i < leaves.size(); ++i)
    for (size_t k = 0; k < inputs.size(); ++k)
      if (leaves[i] == inputs[k]) feeds[i] = &values[k];
  runtime::Outputs out;
  runtime::GraphRun(x, feeds, out).go();
  std::vector<float> all;
  for (size_t i = 0; i < out.size(); ++i) {
    Value v = out.value(i);
    all.insert(all.end(), v.data.data<float>(), v.data.data<float>() + v.data.elements());
  }
  return all;
}

}  // namespace cantik::support
