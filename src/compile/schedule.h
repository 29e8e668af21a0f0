// Where each value lives and in which order nodes run: the last thing decided about a graph.
#pragma once

#include <vector>

#include "compile/graph.h"

namespace cantik::ir {

enum class Where : uint8_t {
  nowhere,
  feed,    // the caller's memory: input leaf `index`
  stored,  // a parameter or constant: leaf `index`
  number,  // a constant of the graph: value `index`
  live,    // an attribute read at the start of the run: Graph::lives[index]
  setup,   // depends on parameters only: made once per version, setup value `index`
  output,  // memory that goes to the caller: Graph::outputs[index]
  frame,   // slot `index` of the run's memory
  sparse,  // sparse rows made in the run, `index` of Schedule::sparse: sized by how many entries there can be
};

struct Place {
  Where where = Where::nowhere;
  int32_t index = -1;
};

// Memory of a run, shared by values that are not alive together. Its size is rows * row_bytes.
struct Slot {
  bool has_rows = false;  // rows of the batch; otherwise one row
  int64_t row_bytes = 0;
};

// How many entries a sparse value may have: known at the start of a run.
struct SparseSlot {
  ValueId value = -1;
  int64_t fixed = 0, per_row = 0;   // and as many as
  std::vector<int32_t> feeds;       // these input leaves have, ...
  int64_t most = -1;                // ... but not more than this (-1: no such limit)
  int32_t output = -1;              // of Graph::outputs: the memory goes to the caller
};

struct Schedule {
  std::vector<NodeId> setup;          // run when a parameter they read has changed
  std::vector<NodeId> order;          // run each time
  std::vector<Place> places;          // of each value
  std::vector<ValueId> setup_values;  // kept from setup to runs
  std::vector<Slot> slots;
  std::vector<SparseSlot> sparse;
};

// Static shapes only: a graph with free dimensions is scheduled once they are known.
Schedule schedule(const Graph& g);

}  // namespace cantik::ir
