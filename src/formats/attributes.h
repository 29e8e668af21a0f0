// An operator's attributes as CNTK's files hold them: names, types, and the order of axes.
//
// An operator's registration says how: each field its key and its role (plugin.h); `key.3` is the fourth
// element of the list under `key`. Its form in CNTK's files (CntkForm in op/facts.h) adds what the fields do
// not say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cantik/dictionary.h>

#include "graph/node.h"

namespace cantik {

namespace runtime {
class Draws;
}

inline constexpr const char* kCustomAttributes = "customAttributes";

// Of a function that is not a block, axes are counted from the front where the rank is known, as CNTK's
// evaluation wants them. With the position of its stream in a composite, of a function that draws random
// numbers.
CANTIK_API Dictionary write_attributes(const Node& node, const runtime::Draws* draws = nullptr);

// Nothing if the dictionary holds what this operator cannot mean.
std::optional<std::vector<Attribute>> read_attributes(const Operator& op, const Dictionary& attributes);

// Those that are values of operands; false where such an operand is no constant number.
bool read_operand_attributes(const Operator& op, const std::vector<Variable>& operands,
                             std::vector<Attribute>& attributes);

// Of operators that CNTK does not have: every field under its own name.
Dictionary write_by_name(const Node& node);
std::optional<std::vector<Attribute>> read_by_name(const Operator& op, const Dictionary& attributes);

// "a;b;c" in its parts.
std::vector<std::string> split(const std::string& text, char separator);

}  // namespace cantik
