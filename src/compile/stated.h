// What the operator of a node states of its operands and results, asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/graph.h"

namespace cantik::ir {

// A part along one static axis of the whole.
struct PartOf {
  int axis = 0;
  int64_t begin = 0;  // of its positions; of parts that are joined: 0
};
// Which part the result is of the operand, or the operand of the result, or along which axis operands are
// joined; nothing where the operator says none, or the part is no run of positions.
std::optional<PartOf> part_of(const Graph& g, const Node& n);

// Which axes are one: a number for each axis of each operand and each result, with none for those that are
// not named.
struct AxesByName {
  using List = std::vector<int32_t>;
  std::vector<List> in, out;
};
std::optional<AxesByName> axis_names(const Graph& g, const Node& n);

// The call that makes the packed form of an operand.
struct PackedOperand {
  size_t operand = 0;
  const Operator* op = nullptr;
  std::vector<Attribute> attributes;
};
// Of a node whose kernels want one packed, and have it as it is; nothing of others.
std::optional<PackedOperand> operand_to_pack(const Graph& g, const Node& n);

// Whether the node has the trait: its operator, or the form of it with a packed operand.
bool has_trait(const Node& n, uint64_t trait);

}  // namespace cantik::ir
