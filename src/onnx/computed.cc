#include "onnx/computed.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <cantik/error.h>
#include <cantik/user_operator.h>

#include "base/text.h"

namespace cantik::onnx {
namespace {

Array array_of(const Type& type, const void* data) {
  Array a;
  a.dims.assign(type.shape.begin(), type.shape.end());
  a.numbers.resize(static_cast<size_t>(type.shape.elements()));
  copy_numbers(type.dtype, data, DType::float64, a.numbers.data(), static_cast<int64_t>(a.numbers.size()));
  return a;
}

class ComputedOperator final : public UserOperator {
 public:
  // `there`: for each input whether it is an operand.
  ComputedOperator(Computed what, const std::string& op, std::vector<bool> there)
      : UserOperator(op, static_cast<size_t>(std::count(there.begin(), there.end(), true))),
        what_(std::move(what)),
        there_(std::move(there)) {
    differentiable = what_.moves != 0 || what_.gradient;
    reads_x.assign(reads_x.size(), differentiable);
    tells_sizes = true;
  }
  const Computed& what() const { return what_; }

  std::vector<UserResult> infer(std::span<const Type>) override {
    std::vector<UserResult> results;
    for (const ComputedResult& r : what_.results) {
      std::vector<int64_t> dims = r.dims;
      for (int64_t& d : dims)
        if (d < 0) d = kFree;
      UserResult result;
      result.type = Type{holder_of(r.element), Shape(dims), Axes(), Storage::dense, 0};
      result.passes_gradient = !is_whole(r.element);
      results.push_back(std::move(result));
    }
    return results;
  }

  std::shared_ptr<const void> make(const UserCall& call) const override {
    return std::make_shared<const std::vector<Array>>(run(call));
  }
  void sizes(const UserCall& call, std::span<Shape> shapes) const override {
    const auto& made = *static_cast<const std::vector<Array>*>(call.made.get());
    for (size_t i = 0; i < shapes.size(); ++i) shapes[i] = Shape(made[i].dims);
  }
  std::shared_ptr<const void> forward(const UserCall& call) const override {
    std::vector<Array> own;
    if (!call.made) own = run(call);
    const auto& made = call.made ? *static_cast<const std::vector<Array>*>(call.made.get()) : own;
    for (size_t i = 0; i < made.size(); ++i)
      if (call.y[i])
        copy_numbers(DType::float64, made[i].numbers.data(), call.y[i].type->dtype, call.y[i].operand->data,
                     static_cast<int64_t>(made[i].numbers.size()));
    return nullptr;
  }
  void backward(const UserCall& call) const override {
    const std::vector<Array> in = inputs(call);
    std::vector<Array> dy;
    for (const UserRows& r : call.dy) dy.push_back(r ? array_of(*r.type, r.operand->data) : Array());
    std::vector<Array> dx = what_.gradient ? what_.gradient(in, dy) : moved_back(in, dy[0]);
    size_t next = 0;
    for (size_t k = 0; k < there_.size(); ++k) {
      if (!there_[k]) continue;
      const UserRows& to = call.dx[next++];
      if (!to) continue;
      dx[k].numbers.resize(static_cast<size_t>(to.type->shape.elements()));
      copy_numbers(DType::float64, dx[k].numbers.data(), to.type->dtype, to.operand->data,
                   static_cast<int64_t>(dx[k].numbers.size()));
    }
  }
  Dictionary saved() const override {
    throw unsupported(cat("ONNX's operator ", name(), " cannot be written to a file of CNTK's format"))
        .remedy("save the model as ONNX: format=ModelFormat.ONNX");
  }
  Function clone(const std::vector<Variable>& operands, const std::string& name) const override {
    return user_function(std::make_shared<ComputedOperator>(what_, this->name(), there_), operands, name);
  }

 private:
  // The gradient of numbers that were moved. Those of the inputs are counted, from 1 on, to see where they
  // go.
  std::vector<Array> moved_back(std::vector<Array> in, const Array& dy) const {
    std::vector<Array> dx(in.size());
    std::vector<double*> places{nullptr};
    for (size_t k = 0; k < in.size(); ++k) {
      if (!(what_.moves >> k & 1)) continue;
      dx[k] = sized(in[k].dims);
      for (size_t i = 0; i < in[k].numbers.size(); ++i) {
        in[k].numbers[i] = static_cast<double>(places.size());
        places.push_back(&dx[k].numbers[i]);
      }
    }
    const std::vector<Array> from = what_.run(in);
    for (size_t i = 0; i < dy.numbers.size(); ++i)
      if (double* to = places.at(static_cast<size_t>(from[0].numbers.at(i)))) *to += dy.numbers[i];
    return dx;
  }
  std::vector<Array> inputs(const UserCall& call) const {
    std::vector<Array> in;
    size_t next = 0;
    for (bool there : there_) {
      in.push_back(there ? array_of(*call.x[next].type, call.x[next].operand->data) : Array());
      next += there;
    }
    return in;
  }
  std::vector<Array> run(const UserCall& call) const {
    const std::vector<Array> in = inputs(call);
    std::vector<Array> made;
    try {
      made = what_.run(in);
    } catch (const std::out_of_range&) {
      throw value_error(cat(name(), ": an input has fewer numbers, or axes, than are read"));
    }
    if (made.size() != what_.results.size())
      throw runtime_error(cat(name(), " made ", made.size(), " results instead of ", what_.results.size()));
    for (size_t i = 0; i < made.size(); ++i) check(made[i], what_.results[i], i);
    return made;
  }
  void check(const Array& a, const ComputedResult& said, size_t i) const {
    bool holds = a.dims.size() == said.dims.size();
    for (size_t k = 0; holds && k < a.dims.size(); ++k) holds = said.dims[k] < 0 || said.dims[k] == a.dims[k];
    if (!holds)
      throw value_error(cat(name(), ": its result ", i, " has the shape ", Shape(a.dims).text(),
                            ", and the file says ", sizes_text(said.dims)));
  }
  static std::string sizes_text(const std::vector<int64_t>& dims) {
    return "[" + join(dims, ", ", [](int64_t d) { return d < 0 ? std::string("?") : cat(d); }) + "]";
  }

  Computed what_;
  std::vector<bool> there_;
};

std::pair<std::string, Attribute> written_attribute(const AttributeRecord& a) {
  using Kind = AttributeRecord::Kind;
  const std::string name(a.name);
  switch (a.kind) {
    case Kind::real: return {name, Attribute(a.real)};
    case Kind::integer: return {name, Attribute(a.integer)};
    case Kind::text: return {name, Attribute(std::string(a.text))};
    case Kind::reals: return {name, Attribute(a.reals)};
    case Kind::integers: return {name, Attribute(a.integers)};
    case Kind::texts: return {name, Attribute(";" + join(a.texts, ";", [](auto s) { return s; }))};
    default: throw unsupported(cat("the attribute ", name, " is of a kind that is not read"));
  }
}

template <class T, class From>
std::string packed_as(const std::vector<From>& numbers) {
  const std::vector<T> made(numbers.begin(), numbers.end());
  return {reinterpret_cast<const char*>(made.data()), made.size() * sizeof(T)};
}

// None: of elements that are read, and not written.
std::optional<WrittenTensor> written_tensor(std::string_view name, const TensorRecord& r) {
  const KnownNumbers k = known_of(r, {});
  WrittenTensor t{std::string(name), r.type, k.dims, {}};
  switch (r.type) {
    case kFloat: t.bytes = packed_as<float>(k.reals); break;
    case kDouble: t.bytes = packed_as<double>(k.reals); break;
    case kUint8: t.bytes = packed_as<uint8_t>(k.integers); break;
    case kInt16: t.bytes = packed_as<int16_t>(k.integers); break;
    case kInt32: t.bytes = packed_as<int32_t>(k.integers); break;
    case kInt64: t.bytes = packed_as<int64_t>(k.integers); break;
    default: return std::nullopt;
  }
  return t;
}

}  // namespace

int64_t Array::axis(int64_t a) const {
  const auto rank = static_cast<int64_t>(dims.size());
  if (a < -rank || a >= rank) throw value_error(cat("there is no axis ", a, " in a rank of ", rank));
  return a < 0 ? a + rank : a;
}

int64_t Array::product(size_t from, size_t to) const {
  int64_t p = 1;
  for (size_t i = from; i < to; ++i) p *= dims[i];
  return p;
}

int64_t ComputedNode::integer(std::string_view name, int64_t otherwise) const {
  const AttributeRecord* a = node.find(name);
  return a ? a->integer : otherwise;
}
double ComputedNode::real(std::string_view name, double otherwise) const {
  const AttributeRecord* a = node.find(name);
  return a ? a->real : otherwise;
}
std::string ComputedNode::text(std::string_view name, const char* otherwise) const {
  const AttributeRecord* a = node.find(name);
  return std::string(a ? a->text : std::string_view(otherwise));
}
std::vector<int64_t> ComputedNode::integers(std::string_view name) const {
  const AttributeRecord* a = node.find(name);
  return a ? a->integers : std::vector<int64_t>();
}
std::vector<double> ComputedNode::reals(std::string_view name) const {
  const AttributeRecord* a = node.find(name);
  return a ? a->reals : std::vector<double>();
}

Tensor tensor_of(const Array& a, DType dtype) {
  Tensor t(DType::float64, Shape(a.dims));
  std::copy(a.numbers.begin(), a.numbers.end(), t.data<double>());
  return dtype == DType::float64 ? t : t.cast(dtype);
}

Array array_of(const Tensor& t) {
  const Tensor dense = t.to_dense();
  return array_of(Type{dense.dtype(), dense.shape(), Axes(), Storage::dense, 0}, dense.raw());
}

std::vector<Array> InnerFunction::run(const std::vector<Array>& given) const {
  const std::vector<Variable> read = function.arguments();
  Feeds feeds;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (std::find(read.begin(), read.end(), inputs[i]) != read.end())
      feeds.emplace_back(inputs[i], Value(tensor_of(given[i], inputs[i].dtype()), nullptr));
  std::vector<Array> made;
  for (const Value& v : function.eval(feeds, outputs)) made.push_back(array_of(v.data));
  return made;
}

const ComputedRule* computed_rule(std::string_view name) {
  static const auto* table = [] {
    auto* t = new std::map<std::string_view, const ComputedRule*>;
    for (const auto& family : {computed_shapes(), computed_places(), computed_resize(), computed_pictures(),
                               computed_image_files(), computed_tables(), computed_trees(),
                               computed_vectors(), computed_columns()})
      for (const ComputedRule& r : family) t->emplace(r.name, &r);
    return t;
  }();
  const auto at = table->find(name);
  return at == table->end() ? nullptr : at->second;
}

bool has_inputs(const ComputedRule& rule, std::span<const int> in) {
  const std::string_view needed =
      std::string_view(rule.inputs).substr(0, std::string_view(rule.inputs).find('?'));
  return in.size() >= needed.size() &&
         std::all_of(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(needed.size()),
                     [](int v) { return v >= 0; });
}

Computed computed_from(const ComputedRule& rule, ComputedNode node) {
  bool needed = true;
  size_t i = 0;
  for (const char* c = rule.inputs; *c; ++c) {
    if (*c == '?') {
      needed = false;
      continue;
    }
    if (needed && !node.has(i)) throw value_error(cat(node.node.op, " lacks its input ", i));
    if (node.has(i) && *c != '*' && node.dims[i].size() != static_cast<size_t>(*c - '0'))
      throw value_error(
          cat("the input ", i, " of ", node.node.op, " has ", node.dims[i].size(), " axes, not ", *c));
    ++i;
  }
  if (node.dims.size() > i) throw value_error(cat(node.node.op, " has more than ", i, " inputs"));
  node.dims.resize(i);
  node.elements.resize(i, kUndefined);
  try {
    Computed what = rule.rule(node);
    what.moves |= rule.moves;
    what.elements = node.elements;
    if (rule.since) {
      const std::string_view full(rule.name);
      const size_t domain = full.find("::");
      what.written.domain = full.substr(0, domain == full.npos ? 0 : domain);
      what.written.op = full.substr(domain == full.npos ? 0 : domain + 2);
      what.written.since = std::max(what.written.since, rule.since);
      auto is_left_out = [&](std::string_view name) {
        const auto& all = what.written.left_out;
        return std::find(all.begin(), all.end(), name) != all.end();
      };
      for (const AttributeRecord& a : node.node.attributes) {
        if (is_left_out(a.name)) continue;
        if (a.kind != AttributeRecord::Kind::tensor)
          what.written.attributes.push_back(written_attribute(a));
        else if (auto t = written_tensor(a.name, a.tensors.at(0)))
          what.written.tensors.push_back(*std::move(t));
        else
          return what.written = {}, what;
      }
    }
    return what;
  } catch (const std::out_of_range&) {
    throw value_error(cat(node.node.op, " has fewer attributes, numbers or axes than are read"));
  }
}

Array sized(const std::vector<int64_t>& dims) {
  constexpr int64_t kMost = int64_t{1} << 28;
  Array a{dims, {}};
  int64_t count = 1;
  for (int64_t d : dims) {
    if (d < 0) throw value_error(cat("a size of a result is ", d));
    if (d && count > kMost / d) throw value_error("a result is far too large");
    count *= d;
  }
  a.numbers.resize(static_cast<size_t>(count));
  return a;
}

const Computed* computed_of(const UserOperator& op) {
  const auto* computed = dynamic_cast<const ComputedOperator*>(&op);
  return computed ? &computed->what() : nullptr;
}

Function computed_function(Computed what, const std::string& op, const std::vector<Variable>& operands,
                           const std::string& name) {
  std::vector<bool> there;
  std::vector<Variable> given;
  for (const Variable& v : operands) {
    there.push_back(static_cast<bool>(v));
    if (!v) continue;
    given.push_back(v);
    // constants of a graph take the element type of the other operands; here each has its own
    if (v.is_constant())
      given.back() = cantik::call("alias", {v}, std::initializer_list<NamedAttribute>{}).output();
  }
  return user_function(std::make_shared<ComputedOperator>(std::move(what), op, std::move(there)), given,
                       name);
}

}  // namespace cantik::onnx
