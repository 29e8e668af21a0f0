// Sizes that only a run knows as numbers that it computes: what a file does with the shape of a value
// beyond shapes themselves.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/computed.h"
#include "onnx/values.h"

namespace cantik::onnx {
namespace {

const char* operator_named(const std::string& op) {
  if (op == "Add") return "plus";
  if (op == "Sub") return "minus";
  if (op == "Mul") return "element_times";
  if (op == "Min") return "element_min";
  if (op == "Max") return "element_max";
  return nullptr;
}

}  // namespace

int Values::size_of_axis(int v, size_t axis) {
  // a number for each place of the axis is enough
  const std::vector<int64_t> all = dims(v);
  const auto lead = static_cast<size_t>(this->lead(v));
  std::vector<int64_t> axes, zeros, ones, left = all;
  for (size_t k = lead; k < all.size(); ++k) {
    if (k == axis || all[k] == 1) continue;
    axes.push_back(static_cast<int64_t>(k - lead));
    zeros.push_back(0);
    ones.push_back(1);
    left[k] = 1;
  }
  int x = v;
  if (!axes.empty()) {
    x = call("slice", {v},
             {{"axis", Attribute(axes)}, {"begin_index", Attribute(zeros)}, {"end_index", Attribute(ones)}});
    set_dims(x, left);
  }
  Computed what;
  what.results = {{{}, kInt64}};
  what.run = [axis](const std::vector<Array>& in) {
    return std::vector<Array>{{{}, {static_cast<double>(in[0].dims.at(axis))}}};
  };
  what.written = {"Size", {{"axis", Attribute(static_cast<int64_t>(axis))}}};
  what.elements = {at(x, "its type").element};
  ReadValue size;
  size.variable = computed_function(std::move(what), "Size", {variable(with_lead(x, 0))}, {}).output();
  size.element = kInt64;
  return add(std::move(size));
}

int Values::size(int64_t symbol) {
  if (in_steps) throw unsupported("sizes that only a run knows are numbers in the body of a loop");
  if (const auto before = run_sizes_.find(symbol); before != run_sizes_.end()) return before->second;
  int made = -1;
  if (const SizeAlgebra::Origin* o = sizes_.origin(symbol)) {
    const SizeAlgebra::Origin origin = *o;
    auto part = [&](int64_t p) {
      KnownNumbers k;
      k.whole = true;
      k.integers = {p};
      return sizes_.is_symbol(p) ? size(p) : add_known(std::move(k), kInt64);
    };
    made = part(origin.parts[0]);
    for (size_t i = 1; i < origin.parts.size(); ++i) {
      const int next = part(origin.parts[i]);
      if (const char* op = operator_named(origin.op)) {
        made = call(op, {made, next}, {});
        continue;
      }
      const int times = call("truncate", {call("element_divide", {made, next}, {})}, {});
      made = origin.op == "Div" ? times : call("minus", {made, call("element_times", {times, next}, {})}, {});
    }
  }
  for (size_t i = first_inside_; made < 0 && i < values_.size(); ++i) {
    const ReadValue& v = values_[i];
    if (!v.variable || v.constant || !v.variable.axes().is_known() || !v.variable.shape().is_known())
      continue;
    const std::vector<int64_t> all = dims(static_cast<int>(i));
    for (size_t k = 0; made < 0 && k < all.size(); ++k)
      if (all[k] == symbol) made = size_of_axis(static_cast<int>(i), k);
  }
  if (made < 0) throw unsupported("a size that only a run knows is used as a number, and no value has it");
  return run_sizes_[symbol] = made;
}

Variable Values::computed_numbers(const KnownNumbers& k, DType dtype) {
  std::vector<int> parts;
  for (int64_t n : k.integers) {
    int part;
    if (sizes_.is_symbol(n)) {
      part = size(n);
    } else {
      KnownNumbers one;
      one.whole = true;
      one.integers = {n};
      part = add_known(std::move(one), kInt64);
    }
    parts.push_back(call("reshape", {part}, {{"shape", Attribute(std::vector<int64_t>{1})}}));
  }
  int made = parts.size() == 1 ? parts[0] : call("splice", parts, {{"axis", Attribute(int64_t{0})}});
  if (k.dims.size() != 1) made = call("reshape", {made}, {{"shape", Attribute(k.dims)}});
  return variable_as(made, dtype);
}

}  // namespace cantik::onnx
