// Looking at networks: their functions and leaves, as lists, tables and pictures.
//
//   for (const Function& f : functions_of(model)) std::puts(f.text().c_str());
//   std::puts(summary(model).text().c_str());      // name, operator, output, parameters
//   std::ofstream("model.dot") << plot_dot(model);  // dot -Tsvg model.dot
//   std::printf("%g operations\n", cost(model).operations);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/api.h>
#include <cantik/dictionary.h>
#include <cantik/function.h>

namespace cantik {

// What stands at one place of a graph: a function, or a leaf (an input, parameter, constant, placeholder).
// One of the two is empty.
struct GraphNode {
  Function function = {};  // empty of a leaf
  Variable leaf = {};      // empty of a function

  // The name of either.
  const std::string& name() const { return function ? function.name() : leaf.name(); }
  // The uid of either.
  std::string uid() const { return function ? function.uid() : leaf.uid(); }
};

// All nodes below the root, each once, the root first; operands in their order, before what stands further
// away. `depth`: how many levels of blocks are entered; a negative depth: all.
CANTIK_API std::vector<GraphNode> walk(const Function& root, int depth = 0);
// The functions among them.
CANTIK_API std::vector<Function> functions_of(const Function& root, int depth = 0);
// The node with this uid; without: there is none.
CANTIK_API std::optional<GraphNode> find_by_uid(const Function& root, std::string_view uid, int depth = 0);
// Every node with this name, functions and leaves.
CANTIK_API std::vector<GraphNode> find_nodes(const Function& root, std::string_view name, int depth = 0);

// Whether what a network makes of a sample may depend on the samples beside it: one of its operators looks at
// all of them (a mean over the batch), or makes something as long as the longest sequence. Operators that do
// not state that their rows, or sequences, are computed by themselves count as such.
CANTIK_API bool mixes_samples(const Function& network);

// A function's arguments in the order of CNTK's files and of its C++ programs: products from the right.
CANTIK_API std::vector<Variable> arguments_in_file_order(const Function& f);
// A function's attributes under the names, and in the forms, of CNTK's files; without: CNTK's files do not
// have its operator, or it is a network.
CANTIK_API std::optional<Dictionary> file_attributes(const Function& f);

// One function of a network, as a table shows it.
struct SummaryRow {
  std::string name, op_name;   // of the function, and of its operator or block
  std::vector<Shape> outputs;  // the shapes of its results
  int64_t parameters = 0;      // numbers in parameters that no row above has
};

// A network as a table.
struct CANTIK_API NetworkSummary {
  std::vector<std::pair<std::string, Shape>> inputs;  // names, or uids, with the shapes of samples
  std::vector<SummaryRow> rows;                       // in the order in which data flow
  int64_t parameters = 0, tensors = 0;                // numbers in all parameters; how many parameters

  // The table.
  std::string text() const;
};
// The table of a network. Shapes that are not known yet count for nothing.
CANTIK_API NetworkSummary summary(const Function& network);

// All functions of one operator.
struct OperatorCost {
  std::string op_name;    // as Function::op_name
  int64_t functions = 0;  // how many of them the network has
  double operations = 0;  // additions, multiplications, ... of a forward run
};

// The work and the memory that a network takes for each row: a sample, or a step where it has sequences.
struct NetworkCost {
  std::vector<OperatorCost> operators;  // the most expensive first, then by name
  double operations = 0;                // of all of them
  int64_t parameter_bytes = 0;          // of parameters and constants
  int64_t value_bytes = 0;              // of the results of all functions, if none shared its memory
};
// The cost of a network, inside its blocks too. A product of [m, k] and [k, n] counts as 2 m k n operations,
// with sparse rows as 2 n; a convolution as 2 for each number of its window; an elementwise function as 1 for
// each number of its result, a reduction as 1 for each number of its operand. Operators that move numbers,
// and all others, count for nothing; so do shapes that are not known yet.
CANTIK_API NetworkCost cost(const Function& network);

// A line for each output of each function: operator(operands) -> output;
CANTIK_API std::string plot_text(const Function& network);
// The network in the language of Graphviz: operands above, results below.
CANTIK_API std::string plot_dot(const Function& network);
// The same in Mermaid's language, which pages of GitHub and of GitLab draw.
CANTIK_API std::string plot_mermaid(const Function& network);

}  // namespace cantik
