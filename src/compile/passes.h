// The passes: each takes the graph and changes it. pipeline.cc is their order.
#pragma once

#include <span>
#include <vector>

#include "compile/graph.h"
#include "compile/pipeline.h"

namespace cantik::ir {

// Gradients of the (summed) roots, given those of the roots themselves, with respect to `wrt`; -1 where a
// value has none.
std::vector<ValueId> differentiate(Graph& g, std::span<const ValueId> roots, std::span<const ValueId> seeds,
                                   std::span<const ValueId> wrt);

// An input that the user's graph does not have.
ValueId further_input(Graph& g, const Type& t);

// The part of a differentiated graph that the request asks for: what depends on the gradients of the roots,
// or the rest.
void cut_at_seam(Graph& g, const Request& r);

// Operators that take all rows of a step at once get operands without steps row by row, where they stand in
// cycles.
void call_in_steps(Graph& g);

// Parts of elementwise expressions that smaller operands decide are computed at their size.
void hoist(Graph& g);

// Equal nodes become one; maps of one input that change nothing go.
void share(Graph& g);

// Products of one operand, for the sake of a loop, become one.
void merge_products(Graph& g);

// Operators on float16 become operators on float32 between casts.
void widen(Graph& g);

// Channels-last chains: turned values meet where they can.
void turn_formats(Graph& g);

// Layouts that a cycle reads of itself are read where they come from.
void untie_layouts(Graph& g);

// Cycles through delays become loops.
void form_loops(Graph& g);

// The gradients of slices that fill a row, side by side.
void join_parts(Graph& g);

// What surrounds loops runs in step order where that moves less memory.
void order_by_steps(Graph& g);

// Chains of elementwise expressions become one expression.
void fuse(Graph& g);

// Those of a loop over the same elements become one with several results.
void gather_maps(Graph& g);

// Elementwise expressions read values of the batch at each step by an index, not as copies.
void fold_spreads(Graph& g);

// Slices and splices around loops become places in rows.
void place_columns(Graph& g);

// Nodes that the device has kernels for run there; what they read and what others read of them is copied.
void place_on_device(Graph& g);

}  // namespace cantik::ir
