// Type rules as functions of types: used while a graph is built, by the compiler's passes, and when free
// dimensions are known.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "graph/operator.h"

namespace cantik {

struct Inferred {
  std::vector<Type> outputs;
  std::vector<std::optional<Type>> refined;  // of the inputs: what a parameter has to be
  SmallVector<char, 4> late;                 // of the outputs: whether a run tells what is open in the type
  std::vector<std::pair<int, Attribute>> settled;  // fields that the function keeps from now on
};

// `name_of_input`: what input i is called, for axes that bear the name of a value; only where a graph is
// built.
Inferred infer_types(const Operator& op, std::span<const Attribute> attributes, std::span<const Type> inputs,
                     const std::function<std::string(int)>* name_of_input = nullptr);

// NumPy's rule for static axes, {} < {batch} < {batch, a} for dynamic ones, one element type. `refined` gets
// shapes for inputs with dimensions still to be inferred.
Type broadcast(std::span<const Type> inputs, const std::string& op,
               std::vector<std::optional<Type>>* refined = nullptr);

// Takes over what `news` knows and `type` does not. True if there was anything.
bool learn(Type& type, const Type& news);

// Between the C structs and ours.
cantik_type to_c(const Type& t);  // points into t
Type from_c(const cantik_type& t);
int32_t axes_code(const Axes& a);
Error failure(int32_t kind, const char* text, const char* remedy);  // kind: a cantik_failure

}  // namespace cantik
