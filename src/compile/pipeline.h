// From a user's graph to what is scheduled: the ordered list of passes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <cantik/compiler.h>

#include "compile/graph.h"

namespace cantik::ir {

// How much of a differentiated graph is to run: all of it, from gradients of the roots that are one; or what
// can run before those are known, and what waits for them. The first part makes the request's outputs, and
// then the values that the second part reads of it. To that one they are inputs, behind the gradients of the
// roots, which are inputs too (Graph::further_leaves).
enum class Part : uint8_t { whole, forward, backward };

// What is to be computed.
struct Request {
  std::vector<Variable> outputs;
  std::vector<Variable> roots;  // gradients of these, summed, ...
  std::vector<Variable> wrt;    // ... with respect to these; they become outputs after the others
  Mode mode = Mode::evaluation;
  // of each of `wrt`, whether its gradient may be row_sparse; without: of none
  std::vector<SparseGradients> sparse_gradients = {};
  bool unfused = false;  // every operator by itself, for those who look at what each makes
  bool checked = false;  // runs look for NaNs, whatever their options say
  // Graphs of assignments that run along; in them some leaves stand for the gradients with respect to `wrt`
  // (in its order, none where nothing stands for it). Such gradients become no outputs.
  std::vector<Variable> updates = {}, gradients = {};
  Variable counted = {};        // whose samples Graph::counted are to be
  bool unlike_batches = false;  // inputs may have unlike numbers of samples: the types say how many
  Part part = Part::whole;
  std::vector<int32_t> only = {};  // of Part::backward: which of `wrt`; they are the outputs
  Device device = {};              // where it is to run
  bool operator==(const Request&) const = default;
};

// The user's graph as it is; leaves and sources in an order that depends on the structure only.
// Given shapes for inputs with free dimensions and what else the data of a run say, the types say it all.
CANTIK_API Graph imported(const Request& r, std::span<const std::pair<Variable, Shape>> shapes = {},
                          Known known = {});

// All that decides what the passes make of an imported graph, as bytes: equal keys, equal plans.
std::string structure_key(const Graph& g, const Request& r);

// Runs the passes over an imported graph.
void run_passes(Graph& g, const Request& r);

// The same, and the graph after each pass, verified.
CANTIK_API std::vector<PassReport> run_passes_reported(Graph& g, const Request& r);

}  // namespace cantik::ir
