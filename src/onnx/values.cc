#include "onnx/values.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <cantik/error.h>

#include "base/text.h"
#include "graph/node.h"

namespace cantik::onnx {
namespace {

// Numbers that rules may ask for: shapes, axes, bounds, tables of indices.
constexpr int64_t kMostKnown = 1 << 20;
constexpr int64_t kMostMade = 1 << 26;  // numbers that a file asks for and does not hold

bool is_symbol(int64_t size) { return size <= CANTIK_ONNX_SYMBOL; }

bool has_symbols(const KnownNumbers& k, const SizeAlgebra& sizes) {
  return std::any_of(k.integers.begin(), k.integers.end(), [&](int64_t n) { return sizes.is_symbol(n); });
}

// Sizes that only a run knows by their numbers: [#1, 3].
std::string sizes_text(const std::vector<int64_t>& sizes) {
  return "[" +
         join(sizes, ", ",
              [](int64_t d) { return is_symbol(d) ? cat("#", CANTIK_ONNX_SYMBOL - d) : cat(d); }) +
         "]";
}

// The greatest whole number up to which an element type holds all.
int64_t exact_in(DType dtype) { return int64_t{1} << (dtype == DType::float64 ? 53 : 24); }

// The greatest number of float32 that is one of int64 again: INT64_MAX itself is rounded beyond.
constexpr double kFarthest = 0x1.fffffep62;

Tensor numbers_as_tensor(const KnownNumbers& k, DType dtype) {
  Tensor t(DType::float64, Shape(k.dims));
  double* to = t.data<double>();
  if (!k.whole) std::copy(k.reals.begin(), k.reals.end(), to);
  for (size_t i = 0; i < k.integers.size(); ++i) {
    int64_t n = k.integers[i];
    // limits such as the largest integer stand for: no limit
    if (n > exact_in(dtype) && n < (dtype == DType::float64 ? INT64_MAX : INT32_MAX))
      throw unsupported(cat("the whole number ", n, " is too large to be exact as ", name_of(dtype)));
    to[i] = std::min(static_cast<double>(n), kFarthest);
  }
  return dtype == DType::float64 ? t : t.cast(dtype);
}

}  // namespace

int Values::add(ReadValue v) {
  values_.push_back(std::move(v));
  return static_cast<int>(values_.size()) - 1;
}

int Values::add_known(KnownNumbers k, int32_t element) {
  ReadValue v;
  v.known = std::make_shared<KnownNumbers>(std::move(k));
  v.element = element;
  v.evaluated = true;
  v.constant = !has_symbols(*v.known, sizes_);
  return add(std::move(v));
}

int Values::add_made(KnownNumbers k, int32_t element) {
  count_made(static_cast<int64_t>(k.integers.size() + k.reals.size()));
  return add_known(std::move(k), element);
}

void Values::count_made(int64_t numbers) {
  made_ += std::min(numbers, kMostMade);
  if (made_ >= kMostMade) throw value_error("the file asks for far too many numbers that it does not hold");
}

ReadValue& Values::at(cantik_value v, const char* what) {
  if (v < 0 || static_cast<size_t>(v) >= values_.size())
    throw value_error(cat("an input that is missing is needed for ", what));
  if (values_[v].list)
    throw unsupported("a sequence of tensors is used where a tensor is read")
        .remedy("join the tensors in the model: torch.stack or torch.cat, ConcatFromSequence");
  return values_[v];
}

int Values::add_list(TensorList list) {
  ReadValue v;
  v.list = std::make_shared<const TensorList>(std::move(list));
  return add(std::move(v));
}

const TensorList* Values::list(cantik_value v) const {
  return v < 0 || static_cast<size_t>(v) >= values_.size() ? nullptr : values_[v].list.get();
}

const Variable& Values::variable(int i) {
  ReadValue& v = at(i, "an operator");
  if (v.variable) return v.variable;
  const DType dtype = holder_of(v.element);
  v.variable =
      v.constant ? Variable(constant(numbers_as_tensor(*v.known, dtype))) : computed_numbers(*v.known, dtype);
  return v.variable;
}

Variable Values::variable_as(int i, DType dtype) {
  ReadValue& v = at(i, "an operator");
  if (dtype == DType::unknown) return variable(i);
  if (v.known && v.known->whole && v.constant && !v.variable) {  // tables of indices, often long
    Variable& made = constants_[{i, dtype}];
    if (!made) made = constant(numbers_as_tensor(*v.known, dtype));
    return made;
  }
  const Variable& made = variable(i);
  if (made.dtype() == dtype || made.dtype() == DType::unknown) return made;
  return cantik::call("cast", {made}, std::vector<NamedAttribute>{{"dtype", Attribute(dtype)}}).output();
}

DType Values::common_type(const std::vector<int>& in) {
  bool differ = false;
  DType first = DType::unknown;
  for (int i : in) {
    const ReadValue& v = at(i, "an operator");
    const DType dtype = v.variable ? v.variable.dtype() : holder_of(v.element);
    if (!is_whole(v.element)) return dtype;
    if (first == DType::unknown) first = dtype;
    differ = differ || dtype != first;
  }
  return differ ? DType::float64 : first;
}

const KnownNumbers* Values::known(int i) {
  ReadValue& v = at(i, "numbers");
  if (v.known) return v.known.get();
  if (v.evaluated || !v.constant) return nullptr;
  v.evaluated = true;
  const Shape& shape = v.variable.shape();
  if (shape.is_static() && shape.elements() > kMostKnown) return nullptr;
  KnownNumbers k;
  k.dims = dims(i);
  k.whole = is_whole(v.element);
  Tensor t;
  if (v.variable.is_parameter() || v.variable.is_constant()) {
    t = v.variable.value();
  } else {
    t = function_of({v.variable}).eval().data.to_dense();
    if (t.elements() > kMostKnown) return nullptr;
    count_made(t.elements());
    // sizes that had to be computed
    int64_t n = t.elements();
    if (std::count_if(k.dims.begin(), k.dims.end(), is_symbol) > 1) return nullptr;
    for (int64_t d : k.dims)
      if (!is_symbol(d) && d) n /= d;
    for (int64_t& d : k.dims)
      if (is_symbol(d)) d = n;
  }
  for (int64_t j = 0; j < t.elements(); ++j)
    if (k.whole)
      k.integers.push_back(static_cast<int64_t>(t.at(j)));
    else
      k.reals.push_back(t.at(j));
  v.known = std::make_shared<KnownNumbers>(std::move(k));
  return v.known.get();
}

bool Values::rank_is_known(int i) {
  ReadValue& v = at(i, "its shape");
  return v.known || (v.variable.shape().is_known() && v.variable.axes().is_known());
}

std::vector<int64_t> Values::dims(int i) {
  ReadValue& v = at(i, "its shape");
  if (v.known) return v.known->dims;
  const Type& t = v.variable.type();
  if (!t.shape.is_known() || !t.axes.is_known()) throw unsupported("the rank of a value is not known");
  if (v.sizes.size() != t.shape.size()) {
    v.sizes.assign(t.shape.begin(), t.shape.end());
    for (int64_t& d : v.sizes)
      if (d < 0) d = new_symbol();
  }
  std::vector<int64_t> all;
  if (t.axes.has_sequence() && !in_steps && !v.sequences) all.push_back(v.steps);
  if (t.axes.has_batch()) all.push_back(v.batch);
  all.insert(all.end(), v.sizes.begin(), v.sizes.end());
  return all;
}

void Values::set_dims(int i, const std::vector<int64_t>& to) {
  ReadValue& v = at(i, "its shape");
  if (v.known && !v.variable) return;
  const Type& t = v.variable.type();
  const auto lead = static_cast<size_t>(this->lead(i));
  if (!t.shape.is_known() || to.size() != lead + t.shape.size()) return;
  v.sizes.assign(to.begin() + static_cast<std::ptrdiff_t>(lead), to.end());
  for (size_t k = 0; k < v.sizes.size(); ++k)
    if (const int64_t d = t.shape[static_cast<int>(k)]; d >= 0)
      v.sizes[k] = d;
    else if (!is_symbol(v.sizes[k]))  // it is free for the types
      v.sizes[k] = new_symbol();
}

const Operator& Values::counterpart(const Operator& op) const {
  const std::string_view name = exact ? op.named("onnx.exact") : std::string_view();
  return name.empty() ? op : Registry::global().get(name);
}

std::vector<int> Values::call_all(const std::string& op, const std::vector<int>& operands_in_file,
                                  const std::vector<NamedAttribute>& attributes) {
  const std::vector<int> in = on_same_rows(operands_in_file);
  std::vector<Variable> operands;
  ReadValue like;
  like.constant = true;
  bool first = true;
  // Whole numbers take the element type of the real ones that they meet.
  const DType common = in.size() > 1 ? common_type(in) : DType::unknown;
  for (int v : in) {
    operands.push_back(is_whole(at(v, "an operator").element) ? variable_as(v, common) : variable(v));
    ReadValue& r = at(v, "an operator");
    like.constant = like.constant && r.constant;
    if (first) like.element = r.element;
    const Axes& axes = operands.back().axes();
    if (axes.has_batch() && like.batch == CANTIK_ONNX_SYMBOL) like.batch = r.batch;
    if (axes.has_sequence() && like.steps == CANTIK_ONNX_SYMBOL) like.steps = r.steps;
    if (r.sequences) like.sequences = r.sequences;
    first = false;
  }
  const Operator& known_op = counterpart(Registry::global().get(op));
  if (known_op.has(CANTIK_DRAWS)) like.constant = false;
  const Function f = cantik::call(known_op.name, operands, attributes);
  // Elementwise operators keep the sizes that only a run knows.
  const bool elementwise = !known_op.infer && !known_op.compose && !known_op.expression.empty();
  std::vector<int> made;
  for (const Variable& y : f.outputs()) {
    ReadValue v = like;
    v.variable = y;
    if (elementwise && y.shape().is_known()) {
      v.sizes.assign(y.shape().begin(), y.shape().end());
      for (size_t k = 0; k < v.sizes.size(); ++k)
        for (size_t j = 0; v.sizes[k] < 0 && !is_symbol(v.sizes[k]) && j < in.size(); ++j) {
          const std::vector<int64_t> d = dims(in[j]);
          const int64_t at = static_cast<int64_t>(d.size()) - static_cast<int64_t>(v.sizes.size() - k);
          const int lead = this->lead(in[j]);
          if (at >= lead && is_symbol(d[at])) v.sizes[k] = d[at];
        }
      for (int64_t& d : v.sizes)
        if (d < 0 && !is_symbol(d)) d = new_symbol();
    }
    made.push_back(add(std::move(v)));
  }
  return made;
}

int Values::call(const std::string& op, const std::vector<int>& in,
                 const std::vector<NamedAttribute>& attributes) {
  return call_all(op, in, attributes)[0];
}

int Values::lead(int i) {
  const Axes& axes = variable(i).axes();
  const bool together = at(i, "its axes").sequences.has_value();
  if (together && in_steps) throw unsupported("the body of a loop reads the rows of all its sequences");
  return axes.size() - (together || (in_steps && axes.has_sequence()) ? 1 : 0);
}

int Values::rows_of_sequences(int i) {
  ReadValue v = at(i, "a form");
  v.sequences = v.batch;
  v.batch = sizes_.product({v.steps, v.batch});
  v.plain = v.rows = v.sequence = -1;
  return add(std::move(v));
}

int Values::sequences_of_rows(int i) {
  ReadValue v = at(i, "a form");
  v.batch = *v.sequences;
  v.sequences.reset();
  v.plain = v.rows = v.sequence = -1;
  return add(std::move(v));
}

int Values::with_axes_apart(int i) { return at(i, "a form").sequences ? with_lead(i, 0) : i; }

// Sequences that meet in one node have the same steps there, whatever axes the file's inputs give them.
void Values::join_steps(std::vector<int>& in) {
  const Variable* first = nullptr;
  for (int& i : in) {
    const ReadValue& v = at(i, "an operator");
    if (!v.variable || !v.variable.axes().is_known() || !v.variable.axes().has_sequence()) continue;
    if (!first || v.variable.axes() == first->axes()) {
      if (!first) first = &v.variable;
      continue;
    }
    ReadValue joined = v;
    joined.variable =
        cantik::call("reconcile_dynamic_axes", {v.variable, *first}, std::vector<NamedAttribute>{}).output();
    joined.plain = joined.rows = joined.sequence = -1;
    i = add(std::move(joined));
  }
}

// Rows of sequences stay what they are only among themselves: beside a batch they are a batch.
std::vector<int> Values::on_same_rows(std::vector<int> in) {
  join_steps(in);
  const ReadValue* rows = nullptr;
  bool same = true;
  for (int i : in) {
    const ReadValue& v = at(i, "an operator");
    if (v.sequences) {
      same = same && (!rows || (rows->steps == v.steps && rows->sequences == v.sequences));
      rows = &v;
    } else {
      same = same && !(v.variable && v.variable.axes().is_known() && v.variable.axes().size() > 0);
    }
  }
  if (!rows || same) return in;
  for (int& i : in)
    if (at(i, "an operator").sequences) i = with_lead(i, 1);
  return in;
}

Tensor Values::tensor(int i) {
  ReadValue& v = at(i, "its numbers");
  if (!v.constant) throw unsupported("weights are asked for, and a run computes them");
  const Variable& made = variable(i);
  if (made.is_parameter() || made.is_constant()) return made.value();
  Tensor t = function_of({made}).eval().data.to_dense();
  return t;
}

int Values::to_sequence(int i, int lengths) {
  if (lead(i) == 2) {
    if (lengths >= 0) throw unsupported("lengths of sequences are given twice");
    return i;
  }
  if (const int before = at(i, "a form").sequence; before >= 0 && lengths < 0) return before;
  const std::vector<int64_t> all = dims(i);
  const int p = with_lead(i, 0);
  std::vector<int64_t> perm{1, 0};
  for (size_t k = 2; k < all.size(); ++k) perm.push_back(static_cast<int64_t>(k));
  std::vector<int64_t> turned = all;
  std::swap(turned[0], turned[1]);
  const int t = call("transpose", {p}, {{"perm", Attribute(perm)}});
  set_dims(t, turned);
  std::vector<int> in{with_lead(t, 1)};
  if (lengths >= 0) in.push_back(with_lead(lengths, 1));
  const int made = call("to_sequence", in, {});
  ReadValue& m = at(made, "a form");
  m.batch = all[1];
  m.steps = all[0];
  m.sizes.assign(all.begin() + 2, all.end());
  if (lengths >= 0) return made;
  return at(i, "a form").sequence = on_common_axis(made);
}

int Values::on_common_axis(int i) {
  const ReadValue& v = at(i, "a sequence");
  auto [other, first] = whole_sequences_.try_emplace({v.steps, v.batch}, i);
  if (first) return i;
  ReadValue joined = v;
  joined.variable = cantik::call("reconcile_dynamic_axes", {v.variable, variable(other->second)},
                                 std::vector<NamedAttribute>{})
                        .output();
  return add(std::move(joined));
}

bool Values::is_batch(int64_t size) const {
  return std::any_of(values_.begin(), values_.end(), [&](const ReadValue& v) {
    return v.variable && v.variable.axes().is_known() && v.variable.axes().has_batch() && v.batch == size;
  });
}

int Values::expand(int i, const std::vector<int64_t>& wanted) {
  std::vector<int64_t> to = wanted, from = dims(i);
  const size_t rank = std::max(to.size(), from.size());
  to.insert(to.begin(), rank - to.size(), 1);
  from.insert(from.begin(), rank - from.size(), 1);
  // over dynamic axes: as those of a value that has them
  const ReadValue* like = nullptr;
  for (size_t lead : {size_t{2}, size_t{1}}) {
    if (like || to.size() < lead) continue;
    bool wider = false;
    for (size_t k = 0; k < lead; ++k) wider = wider || (is_symbol(to[k]) && from[k] == 1);
    if (!wider) continue;
    for (const ReadValue& v : values_) {
      if (!v.variable || !v.variable.axes().is_known() ||
          static_cast<size_t>(v.variable.axes().size()) != lead)
        continue;
      if (lead == 2
              ? v.steps == to[0] && v.batch == to[1] && from[0] == 1 && (from[1] == 1 || from[1] == to[1])
              : v.batch == to[0] && from[0] == 1) {
        like = &v;
        break;
      }
    }
  }
  if (!like && !in_steps && !to.empty() && is_symbol(to[0]) && from[0] == 1)
    for (size_t k = 0; k < values_.size() && !like; ++k) {
      const ReadValue& v = values_[k];
      if (!v.variable || !v.variable.axes().has_sequence() || v.batch != to[0]) continue;
      ReadValue one;  // a value for each sequence
      one.batch = v.batch;
      one.variable = cantik::call("sequence_last", {v.variable}, std::vector<NamedAttribute>{}).output();
      like = &values_[add(std::move(one))];
    }
  if (like) {
    const auto lead = static_cast<size_t>(like->variable.axes().size());
    // a batch, once for each step
    const bool batched = lead == 2 && from[1] != 1;
    const std::vector<int64_t> statics(to.begin() + static_cast<std::ptrdiff_t>(lead), to.end());
    const std::vector<int64_t> sample(from.begin() + static_cast<std::ptrdiff_t>(lead), from.end());
    const Variable axes = like->variable;
    const int64_t batch = like->batch, steps = like->steps;
    std::vector<int64_t> inside = sample, wide = statics;
    if (batched) inside.insert(inside.begin(), from[1]), wide.insert(wide.begin(), to[1]);
    const int one = reshape(batched ? with_lead(i, 1) : with_lead(i, 0), inside);
    const int inner = inside == wide ? one : expand(one, wide);
    ReadValue made;
    made.element = at(i, "a form").element;
    Variable spread = variable(inner);
    if (spread.is_constant())  // it keeps its own element type
      spread = cantik::call("alias", {spread}, std::vector<NamedAttribute>{}).output();
    made.variable =
        cantik::call("reconcile_dynamic_axes", {spread, axes}, std::vector<NamedAttribute>{}).output();
    made.batch = batch;
    made.steps = steps;
    return add(std::move(made));
  }
  // a size that only a run knows behind others: it comes to the front, and goes back
  for (size_t k = 1; k < rank; ++k) {
    if (!is_symbol(to[k]) || from[k] != 1 || !is_batch(to[k])) continue;
    auto moved = [&](std::vector<int64_t> d) {
      std::rotate(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(k),
                  d.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      return d;
    };
    std::vector<int64_t> perm, back;
    for (size_t j = 0; j < rank; ++j) perm.push_back(static_cast<int64_t>(j));
    perm = moved(perm);
    for (size_t j = 0; j < rank; ++j)
      back.push_back(std::find(perm.begin(), perm.end(), static_cast<int64_t>(j)) - perm.begin());
    const int first = call("transpose", {with_lead(reshape(i, from), 0)}, {{"perm", Attribute(perm)}});
    set_dims(first, moved(from));
    const int wide = with_lead(expand(first, moved(to)), 0);
    const int made = call("transpose", {wide}, {{"perm", Attribute(back)}});
    set_dims(made, to);
    return made;
  }
  std::vector<int64_t> ones(rank, 1);
  bool wider = false;
  for (size_t k = 0; k < rank; ++k) {
    if (to[k] == 1 || to[k] == from[k]) continue;
    if (is_symbol(to[k]) || from[k] != 1)
      throw unsupported(cat("a value of the shape ", sizes_text(from), " is spread to ", sizes_text(to),
                            ", as often as only a run knows"))
          .remedy("write the model with fixed sizes");
    ones[k] = to[k];
    wider = true;
  }
  const int shaped = reshape(i, from);
  if (!wider) return shaped;
  const Shape shape(ones);
  count_made(shape.elements());
  ReadValue factor;
  factor.variable = constant(Tensor::full(variable(shaped).dtype(), shape, 1));
  factor.constant = true;
  return call("element_times", {with_lead(shaped, 0), add(std::move(factor))}, {});
}

int Values::with_lead(int i, int lead) {
  const int have = this->lead(i);
  const bool together = at(i, "a form").sequences.has_value();
  if (have == lead && !together) return i;
  if (in_steps) throw unsupported("what is done in the body of a loop mixes the samples of a batch");
  if (lead == 0) {
    if (const int before = at(i, "a form").plain; before >= 0) return before;
    const std::vector<int64_t> all = dims(i);
    if (together) {
      const int made = reshape_static(with_lead(sequences_of_rows(i), 0), all, 0);
      at(i, "a form").plain = made;
      return made;
    }
    if (have == 2) {
      // [batch][steps, ...], [batch, steps, ...], [steps, batch, ...]
      ReadValue unpacked;
      unpacked.element = at(i, "a form").element;
      // Sequences that are fed have one length; others may have those that the file computes, and zeros
      // behind them.
      const Axes axes = variable(i).axes();
      const bool fed = std::any_of(values_.begin(), values_.end(), [&](const ReadValue& v) {
        return v.variable && v.variable.is_input() && v.variable.axes() == axes;
      });
      unpacked.variable =
          cantik::call("unpack_values", {variable(i)},
                       std::vector<NamedAttribute>{{"padding_value", 0.0}, {"one_length", fed}})
              .output();
      std::vector<int64_t> turned = all, perm{1, 0};
      std::swap(turned[0], turned[1]);
      for (size_t k = 2; k < all.size(); ++k) perm.push_back(static_cast<int64_t>(k));
      unpacked.batch = turned[0];
      unpacked.sizes.assign(turned.begin() + 1, turned.end());
      const int flat = with_lead(add(std::move(unpacked)), 0);
      const int made = call("transpose", {flat}, {{"perm", Attribute(perm)}});
      set_dims(made, all);
      at(i, "a form").plain = made;
      return made;
    }
    int made = call("unpack_batch", {i}, {});
    if (!is_symbol(all[0]) && !open_batches)  // a batch of a size that is known
      made = call("reshape", {made},
                  {{"shape", Attribute(std::vector<int64_t>{all[0]})},
                   {"begin_axis", Attribute(int64_t{0})},
                   {"end_axis", Attribute(int64_t{1})}});
    set_dims(made, all);
    at(i, "a form").plain = made;
    at(made, "a form").rows = i;
    return made;
  }
  if (together) return with_lead(with_lead(i, 0), lead);
  if (have != 0) throw unsupported("a sequence is used as a batch");
  if (const int before = at(i, "a form").rows; before >= 0) return before;
  const std::vector<int64_t> all = dims(i);
  if (all.empty()) throw value_error("a single number is used as a batch");
  const int made = call("to_batch", {i}, {});
  ReadValue& m = at(made, "a form");
  m.batch = all[0];
  m.sizes.assign(all.begin() + 1, all.end());
  m.plain = i;
  at(i, "a form").rows = made;
  return made;
}

// The static axes from `leading` on take the shape `to`; those before them stay.
int Values::reshape_static(int i, std::vector<int64_t> to, size_t leading) {
  const std::vector<int64_t> all = dims(i);
  const size_t lead = static_cast<size_t>(this->lead(i));
  std::vector<int64_t> from(all.begin() + static_cast<std::ptrdiff_t>(lead), all.end());
  // sizes that are the same in front and at the end stay as they are
  while (leading < from.size() && leading < to.size() && from[leading] == to[leading]) ++leading;
  std::vector<int64_t> shape(to.begin() + static_cast<std::ptrdiff_t>(leading), to.end());
  size_t end = from.size(), tail = shape.size();
  while (end > leading && tail > 0 && shape[tail - 1] == from[end - 1]) --end, --tail;
  if (tail == 0 && end == leading) return i;
  std::vector<int64_t> middle(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(tail));
  int open = 0;
  for (int64_t& d : middle)
    if (d < 0) d = kInferred, ++open;
  if (open > 1)
    throw unsupported("a shape is asked for with several sizes that only a run knows")
        .remedy("write the model with fixed sizes, or with one that is free");
  const int made = call("reshape", {i},
                        {{"shape", Attribute(middle)},
                         {"begin_axis", Attribute(static_cast<int64_t>(leading))},
                         {"end_axis", Attribute(static_cast<int64_t>(end))}});
  ReadValue& m = at(made, "a shape");
  m.sizes.clear();
  const Shape& shape_made = m.variable.shape();
  if (shape_made.size() == to.size())
    for (size_t k = 0; k < to.size(); ++k)
      m.sizes.push_back(shape_made[static_cast<int>(k)] >= 0 ? shape_made[static_cast<int>(k)]
                        : is_symbol(to[k])                   ? to[k]
                                                             : new_symbol());
  m.batch = at(i, "a shape").batch;
  m.steps = at(i, "a shape").steps;
  m.sequences = at(i, "a shape").sequences;
  return made;
}

int Values::as_whole(int i, int32_t element) {
  if (!at(i, "a result").variable) return i;
  const std::vector<int64_t> all = dims(i);
  // float64 has all numbers of up to 53 bits
  const int made = bits_of(element) < 64
                       ? call("round_to_element", {i}, {{"element", Attribute(int64_t{element})}})
                       : call("truncate", {i}, {});
  set_dims(made, all);
  return made;
}

std::vector<int64_t> Values::resolved(std::vector<int64_t> to, const std::vector<int64_t>& from) {
  const auto rest = std::find(to.begin(), to.end(), -1);
  if (rest == to.end() || std::find(rest + 1, to.end(), -1) != to.end()) return to;
  std::vector<int64_t> others(to.begin(), rest);
  others.insert(others.end(), rest + 1, to.end());
  const int64_t divisor = sizes_.product(others);
  if (divisor == 0) return to;
  const int64_t count = sizes_.product(from);
  // numbers that do not go are refused by the operator itself
  if (sizes_.is_symbol(count) || sizes_.is_symbol(divisor)) *rest = sizes_.arithmetic("Div", count, divisor);
  return to;
}

int Values::reshape(int i, std::vector<int64_t> to) {
  if (at(i, "a shape").known && !at(i, "a shape").variable) {
    KnownNumbers k = *at(i, "a shape").known;
    int64_t n = 1;
    for (int64_t d : k.dims) n *= d;
    int64_t rest = 1;
    for (int64_t d : to)
      if (d >= 0 && __builtin_mul_overflow(rest, d, &rest))
        throw value_error(cat(n, " numbers have no such shape"));
    for (int64_t& d : to)
      if (d == -1 && rest > 0) d = n / rest, rest *= d;
    if (rest != n || std::any_of(to.begin(), to.end(), [](int64_t d) { return d < 0; }))
      throw value_error(cat(n, " numbers do not have the shape ", Shape(to).text()));
    k.dims = to;
    return add_made(std::move(k), at(i, "a shape").element);
  }
  const std::vector<int64_t> all = dims(i);
  to = resolved(std::move(to), all);
  if (all == to) return i;
  if (lead(i) == 2 && to.size() >= 2 &&
      ((to[0] == all[0] && to[1] == all[1]) || (to[0] == all[0] && to[1] == -1))) {
    if (to[1] == all[1]) return reshape_static(i, {to.begin() + 2, to.end()}, 0);
  }
  if (lead(i) == 2 && !in_steps && to.size() + 1 == all.size() &&
      (to[0] == -1 || to[0] == sizes_.product({all[0], all[1]})) &&
      std::equal(to.begin() + 1, to.end(), all.begin() + 2))
    return rows_of_sequences(i);
  if (const ReadValue& v = at(i, "a shape");
      v.sequences && to.size() >= 2 && to[0] == v.steps && to[1] == v.sequences)
    return reshape(sequences_of_rows(i), to);
  if (lead(i) == 1 && !to.empty()) {
    const std::vector<int64_t> stays(to.begin() + 1, to.end());
    const auto fixed = [](const std::vector<int64_t>& d) {
      return std::all_of(d.begin(), d.end(), [](int64_t s) { return s >= 0; });
    };
    const std::vector<int64_t> sample(all.begin() + 1, all.end());
    bool keeps = to[0] == all[0];
    // nothing but the batch can be what is left open
    if (to[0] == -1 && fixed(stays) && fixed(sample))
      keeps = Shape(stays).elements() == Shape(sample).elements();
    if (keeps) {
      const int made = reshape_static(i, stays, 0);
      return made;
    }
  }
  const int p = with_lead(i, 0);
  return reshape_static(p, std::move(to), 0);
}

}  // namespace cantik::onnx
