// Models as CNTK's dictionaries.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <cantik/dictionary.h>
#include <cantik/function.h>

#include "graph/node.h"

namespace cantik {

namespace runtime {
class Draws;
}

// With the positions of its streams of random numbers, as they are in a composite; by default, in the
// function itself.
Dictionary write_model(const Function& model);
Dictionary write_model(const Function& model, const runtime::Draws& draws);
Function read_model(const Dictionary& model);
// A model of CNTK's first generation, and whether bytes begin as one does.
Function read_legacy_model(std::string_view bytes);
bool is_legacy_model(std::string_view bytes);

// A value_error that names the first place in which two functions have other inputs, parameters, constants or
// outputs: others in number, kind, name, type or shape.
void check_same_graph(const Function& target, const Function& source);
// Parameters, constants and streams of random numbers of a function, from another one of the same graph.
void restore_values(const Function& target, const Function& source);

// Streams of random numbers of a function's nodes, in the order of the graph: a seed and a position for each.
Dictionary write_draws(const Function& model, const runtime::Draws& draws);
// Nodes draw on as a dictionary of write_draws says; nothing where it is empty. apart: how many seeds they
// are away from the seeds there, and then from the beginning of their streams.
void restore_draws(const Function& model, const Dictionary& draws, int64_t apart = 0);

// Operators by what CNTK's files call them.
class Catalog {
 public:
  Catalog();
  // The operator that a function of this number with these attributes is, and its attributes. Null: `why`
  // says what is in the way.
  const Operator* primitive(uint64_t number, const Dictionary& attributes, size_t inputs,
                            std::vector<Attribute>& read, std::string& why) const;
  const std::vector<const Operator*>& blocks(const std::string& name) const;

 private:
  std::unordered_map<uint64_t, std::vector<const Operator*>> primitives_;
  std::unordered_map<std::string, std::vector<const Operator*>> blocks_;
};

// A block of a file whose inside is that of one of our operators becomes that operator: its kernels run in
// its place. attributes: what the file says of the block.
void recognise_block(Node& block, const Dictionary& attributes, const Catalog& catalog);

}  // namespace cantik
