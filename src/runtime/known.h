// Facts about a run's data that a plan needs before it can be laid out: told by the feeds, or found by
// running a part of the graph.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/bound_plans.h"
#include "execute/keeper.h"
#include "execute/outputs.h"

namespace cantik::runtime {

// How many samples were fed on which axes. Where nothing has a batch, there is one.
std::vector<std::pair<Axes, int64_t>> samples_fed(std::span<const Variable> inputs,
                                                  std::span<const Value* const> values);

// For the runs of one request.
class Inquiry {
 public:
  Inquiry(const ir::Request& request, std::shared_ptr<Draws> draws)
      : request_(request), parts_(std::move(draws)) {}
  // Everything of `needs` but samples, added to `known`. Functions of these sources are asked for sizes that
  // come late once in a run: the keeper has what they told.
  void ask(const ir::Needs& needs, const Sources& sources, const Feeds& feeds, RunKeeper& keeper,
           ir::Known& known);

 private:
  // What was fed says it; where the run itself makes an axis, its lengths are found by running what makes it,
  // once in a run.
  int64_t longest(const Axes& axes, const Feeds& feeds, RunKeeper& keeper);
  const std::vector<Shape>& sizes_of(const std::shared_ptr<Node>& function, const Feeds& feeds,
                                     RunKeeper& keeper);
  // A run of a part of the graph.
  Outputs rehearse(const ir::Request& part, const Feeds& feeds, RunKeeper& keeper);

  const ir::Request& request_;
  BoundPlans parts_;
};

}  // namespace cantik::runtime
