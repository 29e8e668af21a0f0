// Where each value lives and in which order nodes run: the last thing decided about a graph.
//
// Row-wise nodes are gathered into stages: a stage runs a block of rows through all its nodes before the next
// block, so that what only the stage needs stays in cache and takes the memory of one block. Sums over rows
// join the stage: each block adds its part, in order. Nodes that see all rows at once stand between stages.
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
  block,   // slot `index` of a worker's memory: rows of one block
};

struct Place {
  Where where = Where::nowhere;
  int32_t index = -1;
  int64_t offset = 0;  // of columns of wider rows: where a row begins, in elements, ...
  int64_t pitch = 0;   // ... and how far it is to the next; 0: as many as it has
};

// Memory shared by values that are not alive together: rows * row_bytes. Of a block's slot, the rows are
// those of a block.
struct Slot {
  int32_t space = 0;  // whose rows, of Schedule::spaces
  int64_t row_bytes = 0;
  bool on_device = false;
};

// How many entries a sparse value may have: known at the start of a run.
struct SparseSlot {
  ValueId value;
  int64_t fixed = 0, per_row = 0;  // and as many as
  std::vector<int32_t> feeds;      // these input leaves have, ...
  int64_t most = -1;               // ... but not more than this (-1: no such limit)
  int32_t output = -1;             // of Graph::outputs: the memory goes to the caller
  bool on_device = false;
};

struct Stage {
  std::vector<NodeId> whole;    // run first, each on all rows
  std::vector<NodeId> blocked;  // then these, a block of rows at a time: rows of one space
  int64_t block_rows = 0;
  LoopId loop;  // of Graph::loops: then this is all there is, and `whole` its body
};

struct Schedule {
  // whose rows values have: [0] of none (one row), then batches and sequence axes
  std::vector<Axes> spaces;
  ById<ValueId, int32_t> space;
  std::vector<NodeId> setup;  // run when a parameter they read has changed
  std::vector<Stage> stages;  // run each time
  // at the end, in the order in which they were written, after what nothing else needs
  std::vector<NodeId> effects;
  ById<ValueId, Place> places;
  std::vector<ValueId> setup_values;  // kept from setup to runs
  std::vector<Slot> slots, block_slots;
  std::vector<SparseSlot> sparse;
};

// Rows of the blocks that a row-wise node or a sum over rows goes through.
const Axes& row_axes(const Graph& g, const Node& n);

// Static shapes only: a graph with free dimensions is scheduled once they are known.
Schedule schedule(const Graph& g);

// What a node means for rows.
enum class RowUse : uint8_t { row_wise, sums_rows, whole };
RowUse row_use(const Graph& g, const Node& n);
bool is_alias(const Node& n);

// Gathers nodes into stages (stages.cc).
std::vector<Stage> make_stages(const Graph& g, const std::vector<NodeId>& order);

}  // namespace cantik::ir
