// Sequences of tensors, as far as the file says which tensors they have: they are lists while it is read, and
// a run computes the tensors.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/reader.h"

namespace cantik::onnx {
namespace {

int64_t integer_or(const NodeRecord& n, std::string_view name, int64_t otherwise) {
  const AttributeRecord* a = n.find(name);
  return a ? a->integer : otherwise;
}

// Of `size` places, negative ones are counted from the end.
size_t place_in(int64_t place, size_t size) {
  const auto count = static_cast<int64_t>(size);
  if (place < -count || place >= count)
    throw value_error(cat("there is no place ", place, " in a sequence of ", size, " tensors"));
  return static_cast<size_t>(place < 0 ? place + count : place);
}

}  // namespace

int OnnxReader::inserted(const TensorList& list, const std::vector<cantik_value>& in) {
  if (list.stacked >= 0) throw unsupported("a tensor is added to a sequence that a loop has made");
  TensorList made = list;
  size_t place = made.tensors.size();
  if (in.size() > 2 && in[2] >= 0) {
    const KnownNumbers* known = values_.known(in[2]);
    if (!known || known->integers.size() != 1 || list.grows)
      throw unsupported("the place where a tensor is added to a sequence is not known");
    if (known->integers[0] != static_cast<int64_t>(place)) place = place_in(known->integers[0], place);
  }
  values_.at(in.at(1), "an element of a sequence");
  made.tensors.insert(made.tensors.begin() + static_cast<std::ptrdiff_t>(place), in[1]);
  return values_.add_list(std::move(made));
}

int OnnxReader::element_at(const TensorList& list, int place) {
  if (list.grows) throw unsupported("the body of a loop reads the sequence that it adds to");
  if (list.stacked >= 0)
    return made("Gather", {list.stacked, values_.reshape(place, {})}, {number_attribute("axis", 0)});
  const KnownNumbers* known = values_.known(place);
  if (!known || known->integers.size() != 1)
    throw unsupported("which tensor of a sequence is read, only a run knows");
  return list.tensors[place_in(known->integers[0], list.tensors.size())];
}

// ConcatFromSequence: along an axis that all have, or along a new one.
int OnnxReader::joined(const NodeRecord& n, const TensorList& list) {
  if (list.grows) throw unsupported("the body of a loop reads the sequence that it adds to");
  const bool fresh = integer_or(n, "new_axis", 0) != 0;
  if (list.stacked < 0 && list.tensors.empty()) throw value_error("an empty sequence is joined");
  int all = list.stacked;
  const size_t rank = all < 0 ? values_.dims(list.tensors[0]).size() : values_.dims(all).size() - 1;
  const int64_t axis =
      static_cast<int64_t>(place_in(integer_or(n, "axis", 0), fresh ? rank + 1 : std::max<size_t>(rank, 1)));
  if (all < 0) {
    if (fresh) return stacked(list.tensors, axis);
    return made("Concat", list.tensors, {number_attribute("axis", axis)});
  }
  // The tensors lie along the first axis, which goes where they are joined.
  std::vector<int64_t> order(rank + 1);
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + 1, order.begin() + 1 + axis);
  if (axis > 0) all = made("Transpose", {all}, {numbers_attribute("perm", order)});
  if (fresh) return all;
  if (rank == 0) throw value_error("single numbers are joined along an axis");
  std::vector<int64_t> dims = values_.dims(all);
  const auto at = dims.begin() + axis;
  *at = values_.sizes().product({at[0], at[1]});
  dims.erase(at + 1);
  return values_.reshape(all, dims);
}

// SplitToSequence into parts of sizes that are known.
int OnnxReader::split(const NodeRecord& n, const std::vector<cantik_value>& in) {
  const std::vector<int64_t> dims = values_.dims(in.at(0));
  const int64_t axis = static_cast<int64_t>(place_in(integer_or(n, "axis", 0), dims.size()));
  const int64_t size = dims[static_cast<size_t>(axis)];
  const bool by_one = in.size() < 2 || in[1] < 0;
  const KnownNumbers* known = by_one ? nullptr : values_.known(in[1]);
  if (size < 0 || (!by_one && (!known || known->integers.empty())))
    throw unsupported("a tensor is split into a sequence, and only a run knows its parts");
  std::vector<int64_t> parts = by_one ? std::vector<int64_t>{1} : known->integers;
  if (parts[0] < 1 && (by_one || known->dims.empty())) throw value_error("a part of a tensor has no size");
  if (by_one || known->dims.empty()) {
    const int64_t each = parts[0];
    if (size / each > kMostRounds)
      throw unsupported(cat("a tensor is split into more than ", kMostRounds, " parts"));
    parts.assign(static_cast<size_t>(size / each), each);
    if (size % each) parts.push_back(size % each);
  }
  TensorList list;
  int64_t from = 0;
  for (int64_t part : parts) {
    int v =
        made("Slice", {in[0], known_numbers({from}), known_numbers({from + part}), known_numbers({axis})});
    if (by_one && !integer_or(n, "keepdims", 1)) {
      std::vector<int64_t> left = dims;
      left.erase(left.begin() + axis);
      v = values_.reshape(v, left);
    }
    list.tensors.push_back(v);
    from += part;
  }
  if (from != size) throw value_error(cat("the parts of a tensor have ", from, " places, and it has ", size));
  return values_.add_list(std::move(list));
}

bool OnnxReader::list_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope) {
  if (!n.domain.empty()) return false;
  auto list = [&]() -> const TensorList& {
    const TensorList* l = in.empty() ? nullptr : values_.list(in[0]);
    if (!l) throw value_error(cat(n.op, " reads a sequence of tensors"));
    return *l;
  };
  int result;
  if (n.op == "SequenceEmpty") {
    result = values_.add_list({});
  } else if (n.op == "SequenceConstruct") {
    for (int v : in) values_.at(v, "an element of a sequence");
    result = values_.add_list({.tensors = in});
  } else if (n.op == "SequenceInsert") {
    result = inserted(list(), in);
  } else if (n.op == "SequenceAt") {
    result = element_at(list(), in.at(1));
  } else if (n.op == "SequenceLength") {
    if (list().grows) throw unsupported("the body of a loop reads the sequence that it adds to");
    const int64_t count = list().stacked >= 0 ? values_.dims(list().stacked).at(0)
                                              : static_cast<int64_t>(list().tensors.size());
    result = values_.reshape(known_numbers({count}), {});
  } else if (n.op == "ConcatFromSequence") {
    result = joined(n, list());
  } else if (n.op == "SplitToSequence") {
    result = split(n, in);
  } else if (n.op == "Identity" && !in.empty() && values_.list(in[0])) {
    result = in[0];
  } else {
    return false;
  }
  define_all(scope, n, {result});
  return true;
}

}  // namespace cantik::onnx
