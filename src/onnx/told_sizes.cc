// Nodes over sizes that only a run knows: arithmetic on them stays known, as symbols, and nodes that are told
// sizes make values of these.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/reader.h"

namespace cantik::onnx {
namespace {

constexpr std::string_view kArithmetic[] = {"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max"};

bool is_arithmetic(std::string_view op) {
  return std::find(std::begin(kArithmetic), std::end(kArithmetic), op) != std::end(kArithmetic);
}

// How many of `size` places lie from one to another. Numbers beyond the axis are its end, but an axis of open
// size is taken to reach as far as a begin does; -1: only a run knows.
int64_t size_of_range(SizeAlgebra& sizes, int64_t begin, int64_t end, int64_t size) {
  auto from_end = [&](int64_t place) { return !sizes.is_symbol(place) && place < 0; };
  const bool to_end = end == size || (!sizes.is_symbol(end) && end >= CANTIK_ONNX_BEYOND);
  if (begin <= -CANTIK_ONNX_BEYOND) begin = 0;
  if (begin >= CANTIK_ONNX_BEYOND || end <= -CANTIK_ONNX_BEYOND) return 0;
  if (from_end(begin)) {
    if (!to_end && !from_end(end)) return -1;
    const int64_t behind = begin == -1 ? 1 : sizes.arithmetic("Min", size, -begin);
    return to_end ? behind : sizes.arithmetic("Add", behind, end);
  }
  auto place = [&](int64_t p) {
    if (from_end(p)) return sizes.arithmetic("Add", size, p);
    return sizes.is_symbol(p) || p <= 1 ? p : sizes.arithmetic("Min", size, p);
  };
  return sizes.arithmetic("Sub", to_end ? size : place(end), begin);
}

}  // namespace

bool OnnxReader::has_symbols(int v) {
  const KnownNumbers* k = v < 0 ? nullptr : values_.known(v);
  return k && k->whole && std::any_of(k->integers.begin(), k->integers.end(), [&](int64_t n) {
           return values_.sizes().is_symbol(n);
         });
}

bool OnnxReader::size_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope) {
  if (n.domain.empty() && n.op == "Size" && in.size() == 1 && in[0] >= 0 && values_.rank_is_known(in[0])) {
    KnownNumbers count;
    count.whole = true;
    count.integers = {values_.sizes().product(values_.dims(in[0]))};
    define(scope, n.outputs.at(0), values_.add_known(std::move(count), kInt64));
    return true;
  }
  if (!n.domain.empty() || in.empty() ||
      std::none_of(in.begin(), in.end(), [&](int v) { return has_symbols(v); }))
    return false;
  std::vector<const KnownNumbers*> x;
  for (int v : in) {
    const KnownNumbers* k = v < 0 ? nullptr : values_.known(v);
    if (!k || !k->whole) return false;
    x.push_back(k);
  }
  KnownNumbers y;
  y.whole = true;
  int32_t element = values_.at(in[0], "its type").element;
  const auto& shaped =
      *std::max_element(x.begin(), x.end(), [](const KnownNumbers* a, const KnownNumbers* b) {
        return std::pair(a->integers.size(), a->dims.size()) < std::pair(b->integers.size(), b->dims.size());
      });
  y.dims = shaped->dims;
  const size_t count = shaped->integers.size();
  for (const KnownNumbers* k : x)
    if (k->integers.size() != 1 && k->dims != y.dims) return false;
  auto number = [&](size_t i, size_t at) { return x[i]->integers[x[i]->integers.size() == 1 ? 0 : at]; };
  if (n.op == "Cast") {
    const AttributeRecord* to = n.find("to");
    if (!to || (to->integer != kInt64 && to->integer != kInt32)) return false;
    y.integers = x[0]->integers;
    element = static_cast<int32_t>(to->integer);
  } else if (is_arithmetic(n.op) && x.size() == 2) {
    for (size_t i = 0; i < count; ++i)
      y.integers.push_back(values_.sizes().arithmetic(n.op, number(0, i), number(1, i)));
  } else if (n.op == "ReduceProd" && x.size() == 1 && !n.find("axes") && x[0]->dims.size() == 1) {
    const AttributeRecord* keeps = n.find("keepdims");
    y.dims.assign(keeps && keeps->integer == 0 ? 0 : 1, 1);
    y.integers = {values_.sizes().product(x[0]->integers)};
  } else if (n.op == "Equal" && x.size() == 2) {
    for (size_t i = 0; i < count; ++i) {
      const std::optional<bool> same = same_size(number(0, i), number(1, i));
      if (!same) return false;
      y.integers.push_back(*same);
    }
    element = kBool;
  } else if (n.op == "Where" && x.size() == 3) {
    for (size_t i = 0; i < count; ++i) {
      if (values_.sizes().is_symbol(number(0, i))) return false;
      y.integers.push_back(number(number(0, i) != 0 ? 1 : 2, i));
    }
    element = values_.at(in[1], "its type").element;
  } else {
    return false;
  }
  define(scope, n.outputs.at(0), values_.add_made(std::move(y), element));
  return true;
}

// Nothing: only a run knows.
std::optional<bool> OnnxReader::same_size(int64_t a, int64_t b) {
  const bool open = values_.sizes().is_symbol(a) || values_.sizes().is_symbol(b);
  if (!open || a == b) return a == b;
  const int64_t other = values_.sizes().is_symbol(a) ? b : a;
  if (!values_.sizes().is_symbol(other) && other < 0) return false;
  return std::nullopt;
}

// The sizes of what a node makes that is told them by its inputs; empty: they are not known. -1 is one that
// only a run knows.
std::vector<int64_t> OnnxReader::told_dims(const NodeRecord& n, const std::vector<int>& in) {
  SizeAlgebra& sizes = values_.sizes();
  auto told = [&](size_t i) -> const std::vector<int64_t>* {
    const KnownNumbers* k = i < in.size() && in[i] >= 0 ? values_.known(in[i]) : nullptr;
    return k && k->whole ? &k->integers : nullptr;
  };
  if (n.op == "Range") {
    const auto *begin = told(0), *end = told(1), *step = told(2);
    if (!begin || !end || !step || begin->size() != 1 || end->size() != 1 || step->size() != 1) return {};
    const int64_t way = sizes.arithmetic("Sub", (*end)[0], (*begin)[0]);
    return {sizes.is_symbol((*step)[0]) || (*step)[0] != 1 ? sizes.arithmetic("Div", way, (*step)[0]) : way};
  }
  if (n.op == "ConstantOfShape") return told(0) ? *told(0) : std::vector<int64_t>();
  const std::vector<int64_t> from = values_.dims(in.at(0));
  if (n.op == "Tile" && told(1) && told(1)->size() == from.size()) {
    std::vector<int64_t> to;
    for (size_t k = 0; k < from.size(); ++k) to.push_back(sizes.product({from[k], (*told(1))[k]}));
    return to;
  }
  if (n.op == "Expand" && told(1)) {
    std::vector<int64_t> to = *told(1), own = from;
    const size_t rank = std::max(to.size(), own.size());
    to.insert(to.begin(), rank - to.size(), 1);
    own.insert(own.begin(), rank - own.size(), 1);
    for (size_t k = 0; k < rank; ++k)
      if (to[k] == 1) to[k] = own[k];
    return to;
  }
  if (n.op == "Reshape" && told(1)) {
    std::vector<int64_t> to = *told(1);
    const AttributeRecord* zero = n.find("allowzero");
    for (size_t k = 0; k < to.size(); ++k)
      if (to[k] == 0 && !(zero && zero->integer) && k < from.size()) to[k] = from[k];
    return values_.resolved(std::move(to), from);
  }
  if (n.op == "TopK" && told(1) && told(1)->size() == 1) {
    std::vector<int64_t> to = from;
    const AttributeRecord* axis = n.find("axis");
    const int64_t at = axis ? axis->integer : -1;
    to.at(static_cast<size_t>(at < 0 ? at + static_cast<int64_t>(to.size()) : at)) = (*told(1))[0];
    return to;
  }
  if (n.op == "Pad" && told(1)) {
    std::vector<int64_t> to = from, axes(from.size());
    std::iota(axes.begin(), axes.end(), int64_t{0});
    if (told(3)) axes = *told(3);
    for (size_t k = 0; k < axes.size(); ++k) {
      int64_t& size =
          to.at(static_cast<size_t>(axes[k] < 0 ? axes[k] + static_cast<int64_t>(to.size()) : axes[k]));
      for (size_t side : {k, k + axes.size()}) size = sizes.arithmetic("Add", size, told(1)->at(side));
    }
    return to;
  }
  if (n.op == "Resize") return resized_dims(n, in, from);
  if (n.op == "Slice" && told(1) && told(2)) {
    const std::vector<int64_t>&begins = *told(1), &ends = *told(2);
    std::vector<int64_t> axes, to = from;
    if (told(3)) axes = *told(3);
    for (size_t k = axes.size(); !told(3) && k < begins.size(); ++k) axes.push_back(static_cast<int64_t>(k));
    if (axes.size() != begins.size() || ends.size() != begins.size()) return {};
    for (size_t k = 0; k < axes.size(); ++k) {
      const auto rank = static_cast<int64_t>(from.size());
      const int64_t axis = axes[k] < 0 ? axes[k] + rank : axes[k];
      if (axis < 0 || axis >= rank) return {};
      const bool ahead = !told(4) ? in.size() < 5 || in[4] < 0 : told(4)->size() > k && (*told(4))[k] == 1;
      to[axis] = ahead ? size_of_range(sizes, begins[k], ends[k], from[axis]) : -1;
    }
    return to;
  }
  return {};
}

// Sizes behind a Resize: those that are asked for, or multiples.
std::vector<int64_t> OnnxReader::resized_dims(const NodeRecord& n, const std::vector<int>& in,
                                              const std::vector<int64_t>& from) {
  auto numbers = [&](size_t i) { return i < in.size() && in[i] >= 0 ? values_.known(in[i]) : nullptr; };
  const KnownNumbers *scales = numbers(2), *wanted = numbers(3);
  const AttributeRecord *axes = n.find("axes"), *policy = n.find("keep_aspect_ratio_policy");
  if (policy && policy->text != "stretch") return std::vector<int64_t>(from.size(), -1);
  std::vector<int64_t> to = from;
  const size_t count = axes ? axes->integers.size() : from.size();
  for (size_t k = 0; k < count; ++k) {
    const int64_t axis = axes ? axes->integers[k] : static_cast<int64_t>(k);
    int64_t& size = to.at(static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(to.size()) : axis));
    if (scales && scales->reals.size() == count) {
      const double scale = scales->reals[k];
      const bool multiple = scale >= 1 && scale <= 1024 && scale == std::floor(scale);
      size = multiple ? values_.sizes().product({size, static_cast<int64_t>(scale)}) : -1;
    } else {
      size = wanted && wanted->integers.size() == count ? wanted->integers[k] : -1;
    }
  }
  return to;
}

void OnnxReader::keep_told_dims(const NodeRecord& n, const std::vector<cantik_value>& in,
                                const Scope& scope) {
  const int made = scope.find(n.outputs.at(0));
  if (made < 0 || !values_.rank_is_known(made)) return;
  const std::vector<int64_t> own = values_.dims(made);
  if (std::none_of(own.begin(), own.end(), [&](int64_t d) { return values_.sizes().is_symbol(d); })) return;
  std::vector<int64_t> told = told_dims(n, in);
  if (told.size() != own.size()) return;
  for (size_t k = 0; k < own.size(); ++k)
    if (!values_.sizes().is_symbol(told[k])) told[k] = own[k];
  values_.set_dims(made, told);
}

bool OnnxReader::told_node(const ComputedRule& rule, const NodeRecord& n, const std::vector<cantik_value>& in,
                           Scope& scope, const Bindings* bindings) {
  bool known = rule.known_for_operator != 0 && !in.empty(), open = false;
  auto is_open = [](int64_t d) { return d < 0; };
  // an operator's file takes them for symbols, also where they are numbers that a file says
  auto is_far = [](int64_t d) { return d <= CANTIK_ONNX_SYMBOL; };
  for (size_t i = 0; known && i < in.size(); ++i) {
    if (in[i] < 0) continue;
    const KnownNumbers* k = values_.known(in[i]);
    if (rule.known_for_operator >> i & 1) known = k != nullptr;
    const std::vector<int64_t> dims =
        values_.rank_is_known(in[i]) ? values_.dims(in[i]) : std::vector<int64_t>();
    open = open || std::any_of(dims.begin(), dims.end(), is_open) ||
           (k && std::any_of(k->integers.begin(), k->integers.end(), is_far));
  }
  if (known && (!open || values_.in_steps)) return false;  // an operator of ours
  if (known) {
    try {  // it often needs no more than that sizes are equal
      if (!ruled_node(n, in, scope, bindings)) return false;
      keep_told_dims(n, in, scope);
      return true;
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::unsupported || !has_inputs(rule, in)) throw;
    }
  }
  computed_node(rule, n, in, scope);
  return true;
}

}  // namespace cantik::onnx
