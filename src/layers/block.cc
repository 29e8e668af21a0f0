#include "layers/block.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace cantik::layers {

Activation::Activation(const std::string& op)
    : op_(op), code_([op](const Variable& x) { return Variable(call(op, {x})); }) {}
Activation::Activation(const Function& f) {
  if (!is_identity(f)) code_ = [f](const Variable& x) { return Variable(f(x)); };
}

template <class T>
std::vector<int64_t> PerAxis<T>::over(int axes, const char* what) const {
  if (values_.size() == 1) return std::vector<int64_t>(static_cast<size_t>(axes), values_[0]);
  if (static_cast<int>(values_.size()) != axes)
    throw value_error(std::string(what) + " has " + std::to_string(values_.size()) +
                      " numbers, but the kernel has " + std::to_string(axes) + " axes")
        .remedy("give one number for each axis, or one for all");
  return values_;
}
template class PerAxis<int64_t>;
template class PerAxis<bool>;

Function block(const std::string& op_name, const std::string& name,
               const std::function<Variable(const Variable&)>& body) {
  return trace_block(
      {"x"}, [&](const std::vector<Variable>& in) { return function_of({body(in[0])}); }, op_name, name);
}

Function network(const char* argument, const std::string& name,
                 const std::function<Variable(const Variable&)>& body) {
  return named(trace({argument}, [&](const std::vector<Variable>& in) { return function_of({body(in[0])}); }),
               name);
}

Function named(const Function& f, const std::string& name) {
  if (name.empty()) return f;
  std::vector<Variable> outputs = f.outputs();
  return outputs.size() == 1 ? call("alias", outputs, {}, name) : combine(outputs, name);
}

Function identity() {
  return trace({"keep"}, [](const std::vector<Variable>& in) { return function_of({in[0]}); });
}

bool is_identity(const Function& f) {
  const std::vector<Variable> arguments = f.signature_arguments();
  return arguments.size() == 1 && f.outputs() == arguments;
}

void check_least(int64_t least, const Shape& numbers, const char* layer, const char* what) {
  if (!numbers.is_known())  // as the shape (-2) is
    throw value_error(cat(layer, ": ", what, " must be known, and is -2, the unknown shape"))
        .made_at(Origin::current().text())
        .remedy(cat("give numbers of at least ", least));
  if (std::all_of(numbers.begin(), numbers.end(), [least](int64_t n) { return n >= least; })) return;
  std::string all;
  for (int64_t n : numbers) all += (all.empty() ? "" : ", ") + std::to_string(n);
  throw value_error(cat(layer, ": ", what, " must be at least ", least, ", and is ", all))
      .made_at(Origin::current().text())
      .remedy(cat("give numbers of at least ", least));
}

Shape joined(const Shape& a, int count, int64_t value, const Shape& b) {
  return a + Shape(std::vector<int64_t>(static_cast<size_t>(count), value)) + b;
}

}  // namespace cantik::layers
