// User operators (cantik/user_operator.h) as graphs and the compiler see them: operators like all others,
// with rules and kernels that call the object.
//
// What forward leaves for backward, it saves; its gradient is `backward`, which reads that. Where results
// have sequence axes of their own, it runs as `call`, which makes all of them and fills in those on axes of
// operands, and a `part` for each of the others, whose lengths the runtime asks for.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cantik/user_operator.h>

#include "graph/node.h"

namespace cantik {

struct UserOperator::Parts {
  Operator op, backward, call, part;
  WeakNode node;                                         // whose operator it is
  std::vector<std::optional<std::string>> output_names;  // of each result; without: the node's
  std::vector<bool> passes_gradient;                     // of each result

  std::mutex mutex;  // never held while the object is called
  std::vector<Type> known_in, known;
};

// The type rule as graphs ask for it: the last answer, unless something new is known.
std::vector<Type> types_of(UserOperator& object, std::span<const Type> in, bool building);
// Whether the graph has the operand without steps: in a recurrence it comes with the rows of each step.
bool is_of_batch(const UserOperator& object, size_t operand);
void lose_node(UserOperator& object, const std::vector<Edge>& operands);

// The rules of its operators: they call one another.
namespace object_rules {
cantik_status gradient(void* object, cantik_builder* b);
// Where results have axes of their own.
cantik_status finish(void* object, cantik_builder* b);
cantik_status sizes(void* object, cantik_sizes* s);
}  // namespace object_rules
// Their kernels.
namespace object_kernels {
cantik_status forward(void* object, cantik_prepare* p);
cantik_status call(void* object, cantik_prepare* p);
cantik_status part(void* object, cantik_prepare* p);
cantik_status backward(void* object, cantik_prepare* p);
}  // namespace object_kernels

UserFunctionReader user_function_reader();

}  // namespace cantik
