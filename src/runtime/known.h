// What the data of a run say about types, as far as a plan asks: told by the feeds, or found by running a
// part of the graph.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "graph/object.h"
#include "runtime/longest.h"

namespace cantik::runtime {

// How many samples were fed on which axes. Where nothing has a batch, there is one.
std::vector<std::pair<Axes, int64_t>> samples_fed(std::span<const Variable> inputs,
                                                  std::span<const Value* const> values);

// For the runs of one request.
class Inquiry {
 public:
  Inquiry(const ir::Request& request, std::shared_ptr<Draws> draws)
      : request_(request), draws_(draws), longest_(request, draws) {}
  // Everything of `needs` but samples, added to `known`. Results of open sizes are made by calling objects,
  // once in a run: `states` keeps what they gave.
  void ask(const ir::Needs& needs, const Feeds& feeds, ObjectStates& states, ir::Known& known);

 private:
  const std::vector<Shape>& call(const ObjectOperator& object, const Feeds& feeds, ObjectStates& states);
  std::shared_ptr<Executable> operands_of(const ObjectOperator& object);

  const ir::Request& request_;
  std::shared_ptr<Draws> draws_;
  LongestSequences longest_;
  std::mutex mutex_;
  std::vector<std::pair<const ObjectOperator*, std::shared_ptr<Executable>>> operands_;
};

}  // namespace cantik::runtime
