// Operators that stand in graphs and files as blocks of others.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/node.h"

namespace cantik {

// A block of the operator's body over these inputs.
Function make_block(const Operator& op, std::vector<Attribute> attributes,
                    const std::vector<Variable>& inputs, const std::string& name);

// A block whose placeholders are its own already.
Function block_of(const Function& composite, const std::vector<std::pair<Variable, Variable>>& arguments,
                  const std::string& op_name, const std::string& name);

// Makes the inside of a provisional block, if it can be made by now.
void complete_block(Node& block);

// The graph of the body of an operator that stands as what it is made of, or of the operators that it runs
// as.
Function spell(const Operator& op, std::span<const Attribute> attributes, const std::vector<Variable>& inputs,
               const std::string& name);

// A scalar expression as a graph of elementwise operators.
Variable spell_out(const Expression& e, const std::vector<Variable>& in,
                   std::span<const Attribute> attributes);

}  // namespace cantik
