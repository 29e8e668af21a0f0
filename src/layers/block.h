// What layers are made with.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <cantik/error.h>
#include <cantik/layers/argument.h>

namespace cantik::layers {

// A block of one argument x: what `body` makes of a placeholder, seen as one function.
Function block(const std::string& op_name, const std::string& name,
               const std::function<Variable(const Variable&)>& body);
// The same without a block around it; named by an alias, as CNTK does, where there is a name.
Function network(const char* argument, const std::string& name,
                 const std::function<Variable(const Variable&)>& body);
// The function under a name: an alias of its only output, or a combination of all.
Function named(const Function& f, const std::string& name);

// y = x; and whether a function gives back its only argument.
Function identity();
bool is_identity(const Function& f);

// A ValueError where one of the numbers is smaller. layer: "Dense"; what: "shape".
void check_least(int64_t least, const Shape& numbers, const char* layer, const char* what);

// dims of `a`, then `count` times `value`, then dims of `b`.
Shape joined(const Shape& a, int count, int64_t value, const Shape& b);

}  // namespace cantik::layers
