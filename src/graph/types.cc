#include "graph/types.h"

#include <algorithm>
#include <string>

#include <cantik/error.h>

#include "base/text.h"
#include "graph/attribute_kind.h"
#include "graph/boundary.h"
#include "graph/object.h"

namespace cantik {

int32_t axes_code(const Axes& a) {
  return !a.is_known()      ? CANTIK_AXES_UNKNOWN
         : a.has_sequence() ? CANTIK_SEQUENCE
         : a.has_batch()    ? CANTIK_BATCH
                            : CANTIK_NO_AXES;
}

namespace {

// Dynamic axes as one number: their count and the two names that matter.
int64_t axes_key(const Axes& a) { return a.has_sequence() ? a[1].id() : -1; }

// Of the same axes as one of the inputs the names are theirs.
Axes axes_from(int32_t code, int64_t sequence, std::span<const Type> inputs) {
  if (code == CANTIK_AXES_UNKNOWN) return Axes::unknown();
  if (code == CANTIK_NO_AXES) return Axes();
  for (const Type& t : inputs)
    if (axes_code(t.axes) == code && (code == CANTIK_BATCH || axes_key(t.axes) == sequence)) return t.axes;
  const auto first = std::ranges::find_if(inputs, [](const Type& t) { return t.axes.has_batch(); });
  const Axis batch = first == inputs.end() ? Axis::batch() : first->axes[0];
  if (code == CANTIK_BATCH) return Axes({batch});
  return Axes({batch, sequence >= 0 ? Axis::of_id(static_cast<int32_t>(sequence)) : Axis::sequence()});
}

// The host's side of cantik_infer.
constexpr int32_t kAbsent = -1;  // the storage of the spare types

struct Context {
  const Operator& op;
  std::span<const Type> inputs;
  Inferred result;
  const std::function<std::string(int)>* name_of_input;
  Type broadcasted;
  Boundary boundary;

  template <class F>
  static cantik_status guard(void* self, F&& f) {
    auto& c = *static_cast<Context*>(self);
    return c.boundary.serve([&] { f(c); });
  }
  // What a rule says of a value's type can be one.
  void check(const cantik_type& t, const char* which, int32_t i) const {
    auto wrong = [&](const std::string& what) {
      return runtime_error(cat("the type rule of ", op.name, " gave ", which, " ", i, " ", what));
    };
    if (t.storage == kAbsent) throw wrong("the type of an operand that the call does not have");
    if (t.rank < -1 || (t.rank > 0 && !t.dims)) throw wrong(cat("a shape of ", t.rank, " axes"));
    for (int32_t k = 0; k < t.rank; ++k)
      if (t.dims[k] < 0 && t.dims[k] != kInferred && t.dims[k] != kFree)
        throw wrong(
            cat("the shape ", Shape(t.dims, static_cast<size_t>(t.rank)).text(), ", with a negative size"));
    if (t.dtype != 0 && size_of(static_cast<DType>(t.dtype)) == 0)
      throw wrong(cat("the unknown element type ", t.dtype));
    if (t.axes < CANTIK_AXES_UNKNOWN || t.axes > CANTIK_SEQUENCE)
      throw wrong(cat("the unknown dynamic axes ", t.axes));
    if (t.storage < CANTIK_DENSE || t.storage > CANTIK_ROW_SPARSE)
      throw wrong(cat("the unknown storage ", t.storage));
  }
  static cantik_status set(void* self, int32_t i, const cantik_type* t) {
    return guard(self, [&](Context& c) {
      if (i < 0 || i >= c.op.outputs)
        throw runtime_error(cat("the type rule of ", c.op.name, " set output ", i, ", but the operator has ",
                                c.op.outputs, " outputs (counted from 0)"))
            .remedy("declare the number of outputs with .outputs(n)");
      c.check(*t, "output", i);
      Type& out = c.result.outputs[i];
      out.dtype = static_cast<DType>(t->dtype);
      out.shape = t->rank < 0 ? Shape::unknown() : Shape(t->dims, static_cast<size_t>(t->rank));
      out.axes = axes_from(t->axes, t->sequence_axis, c.inputs);
      out.storage = static_cast<Storage>(t->storage);
      out.entries = t->entries;
    });
  }
  static cantik_status set_late(void* self, int32_t i, const cantik_type* t) {
    const cantik_status status = set(self, i, t);
    if (status) return status;
    return guard(self, [&](Context& c) {
      if (!c.op.facts.sizes)
        throw runtime_error(cat("the type rule of ", c.op.name, " sets a type with late sizes for output ", i,
                                ", but nothing tells them"))
            .remedy("state .sizes(f)");
      c.result.late[i] = 1;
    });
  }
  static cantik_status refine(void* self, int32_t i, int32_t rank, const int64_t* dims) {
    return guard(self, [&](Context& c) {
      if (i < 0 || static_cast<size_t>(i) >= c.inputs.size())
        throw runtime_error(cat("the type rule of ", c.op.name, " refined input ", i, ", but the call has ",
                                c.inputs.size(), " inputs (counted from 0)"));
      Type t = c.inputs[i];
      t.shape = Shape(dims, static_cast<size_t>(std::max(rank, 0)));
      c.check(to_c(t), "input", i);
      c.result.refined[i] = t;
    });
  }
  static cantik_status settle(void* self, const char* attribute, const cantik_attribute* value) {
    return guard(self, [&](Context& c) {
      const int f = c.op.field(attribute);
      if (f < 0)
        throw runtime_error(cat("the type rule of ", c.op.name, " settled ", attribute,
                                ", but the operator has no attribute of that name"));
      c.result.settled.emplace_back(f, fitted(c.op, c.op.fields[static_cast<size_t>(f)], from_c(*value)));
    });
  }
  static cantik_status broadcast(void* self, cantik_type* out) {
    return guard(self, [&](Context& c) {
      c.broadcasted = cantik::broadcast(c.inputs, c.op.name, &c.result.refined);
      *out = to_c(c.broadcasted);
    });
  }
  static cantik_status derived_axis(void* self, int64_t axis, const char* suffix, int64_t* out) {
    return guard(
        self, [&](Context&) { *out = Axis(Axis::of_id(static_cast<int32_t>(axis)).name() + suffix).id(); });
  }
  static cantik_status named_axis(void* self, const char* prefix, int32_t input, int64_t* out) {
    return guard(self, [&](Context& c) {
      if (input < 0 || static_cast<size_t>(input) >= c.inputs.size())
        throw runtime_error(cat("the type rule of ", c.op.name, " names an axis after input ", input,
                                ", but the call has ", c.inputs.size(), " inputs (counted from 0)"));
      if (!c.name_of_input)
        throw runtime_error("the sequence axis of the result of " + c.op.name + " has no name yet");
      *out = Axis(prefix + (*c.name_of_input)(input)).id();
    });
  }
  static void fail(void* self, int32_t kind, const char* text, const char* remedy) {
    static_cast<Context*>(self)->boundary.fail(kind, text, remedy);
  }
};

void join_axes(Axes& result, const Axes& a, const std::string& op) {
  if (!a.is_known() || !result.is_known()) {
    result = Axes::unknown();
    return;
  }
  if (a == result || a.size() == 0) return;
  if (result.size() == 0) {
    result = a;
    return;
  }
  const Axes& longer = a.size() > result.size() ? a : result;
  const Axes& shorter = a.size() > result.size() ? result : a;
  bool nested = true;
  for (int i = 0; i < shorter.size(); ++i) nested &= shorter[i] == longer[i];
  if (!nested || longer.size() > 2)
    throw shape_error(op + ": the operands have different dynamic axes, " + result.text() + " and " +
                      a.text())
        .remedy(
            "join them with reconcile_dynamic_axes(x, like), sequence.broadcast_as(x, like) or "
            "to_sequence_like(x, like)");
  Axes keep = longer;
  result = keep;
}

}  // namespace

Error failure(int32_t kind, const char* text, const char* remedy) {
  ErrorKind k = kind == CANTIK_VALUE         ? ErrorKind::value
                : kind == CANTIK_SHAPE       ? ErrorKind::shape
                : kind == CANTIK_TYPE        ? ErrorKind::type
                : kind == CANTIK_KEY         ? ErrorKind::key
                : kind == CANTIK_UNSUPPORTED ? ErrorKind::unsupported
                : kind == CANTIK_MEMORY      ? ErrorKind::memory
                                             : ErrorKind::runtime;
  return Error(k, text && *text ? text : "no reason was given").remedy(remedy ? remedy : "");
}

void Boundary::fail(int32_t kind, const char* text, const char* remedy) {
  if (!kept_ || (text && *text)) kept_ = std::make_exception_ptr(failure(kind, text, remedy));
}

void Boundary::rethrow(const Error& e, const Operator& op) {
  if (op.library.empty() || e.has("library")) throw Error(e);
  throw Error(e).line("library", op.library);
}

cantik_type to_c(const Type& t) {
  return {sizeof(cantik_type),
          static_cast<int32_t>(t.dtype),
          t.shape.is_known() ? t.shape.rank() : -1,
          t.shape.data(),
          axes_code(t.axes),
          static_cast<int32_t>(t.storage),
          t.axes.has_sequence() ? t.axes[1].id() : -1,
          t.entries};
}

Type from_c(const cantik_type& t) {
  return {static_cast<DType>(t.dtype),
          t.rank < 0 ? Shape::unknown() : Shape(t.dims, static_cast<size_t>(t.rank)),
          axes_from(t.axes, t.sequence_axis, {}), static_cast<Storage>(t.storage), t.entries};
}

bool learn(Type& type, const Type& news) {
  bool changed = false;
  if (type.dtype == DType::unknown && news.dtype != DType::unknown) type.dtype = news.dtype, changed = true;
  if (!type.axes.is_known() && news.axes.is_known()) type.axes = news.axes, changed = true;
  if (!type.shape.is_known() && news.shape.is_known()) {
    type.shape = news.shape;
    changed = true;
    // one unknown dimension stands for several
  } else if (type.shape.has_inferred() && news.shape.rank() > type.shape.rank()) {
    type.shape = news.shape;
    changed = true;
  } else if (type.shape.is_known() && news.shape.is_known() && type.shape.rank() == news.shape.rank()) {
    for (int i = 0; i < type.shape.rank(); ++i)
      if (type.shape[i] == kInferred && news.shape[i] != kInferred)
        type.shape[i] = news.shape[i], changed = true;
  }
  if (type.storage == Storage::dense && news.storage != Storage::dense)
    type.storage = news.storage, type.entries = news.entries, changed = true;
  return changed;
}

Type broadcast(std::span<const Type> inputs, const std::string& op,
               std::vector<std::optional<Type>>* refined) {
  Type result{DType::unknown, Shape(), Axes(), Storage::dense};
  int rank = 0;
  bool known = true;
  for (const Type& t : inputs) {
    if (t.dtype != DType::unknown) {
      if (result.dtype != DType::unknown && result.dtype != t.dtype)
        throw value_error(cat(op, ": the operands have different element types, ", name_of(result.dtype),
                              " and ", name_of(t.dtype)))
            .remedy("cast one of them");
      result.dtype = t.dtype;
    }
    join_axes(result.axes, t.axes, op);
    known &= t.shape.is_known();
    rank = std::max(rank, t.shape.rank());
  }
  if (refined && result.dtype != DType::unknown)
    for (size_t k = 0; k < inputs.size(); ++k)  // a constant made before its operand's type was known
      if (inputs[k].dtype == DType::unknown) {
        Type t = inputs[k];
        t.dtype = result.dtype;
        (*refined)[k] = t;
      }
  if (!known) {
    result.shape = Shape::unknown();
    return result;
  }
  std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
  for (const Type& t : inputs)
    for (int i = 0; i < t.shape.rank(); ++i) {
      int64_t d = t.shape[t.shape.rank() - 1 - i];
      int64_t& have = dims[rank - 1 - i];
      if (d == have || d == 1) continue;
      if (have == 1 || have == kInferred)
        have = d;
      else if (d == kInferred)
        continue;
      else if (have == kFree)
        have = d;
      else if (d != kFree)
        throw shape_error(cat(op, ": the shapes ",
                              join(inputs, " and ", [](const Type& u) { return u.shape.text(); }),
                              " do not broadcast: ", have, " and ", d, " stand in one axis"));
    }
  result.shape = Shape(dims);
  if (refined)
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (!inputs[k].shape.has_inferred()) continue;
      Type t = (*refined)[k] ? *(*refined)[k] : inputs[k];
      int offset = rank - t.shape.rank();
      for (int i = 0; i < t.shape.rank(); ++i)
        if (t.shape[i] == kInferred) t.shape[i] = dims[offset + i];
      (*refined)[k] = t;
    }
  return result;
}

namespace {

// Sizes are counted in bytes with 64 bits.
void check_size(const Operator& op, const Type& t) {
  int64_t elements = 1;
  if (!t.shape.is_static()) return;
  for (int64_t d : t.shape)
    if (d == 0) return;
  for (int64_t d : t.shape)
    if (__builtin_mul_overflow(elements, d, &elements) || elements > INT64_MAX / 16)
      throw shape_error(op.name + ": the result's shape " + t.shape.text() +
                        " has more elements than can be counted");
}

}  // namespace

namespace {

// The units of the kernel are sequences: there have to be some.
void check_sequences(const Operator& op, std::span<const Type> inputs, const Type& made) {
  if (!op.has(CANTIK_BY_SEQUENCE) || op.has(CANTIK_HIDDEN) || inputs.empty() || !made.axes.is_known()) return;
  const Axes& first = inputs[0].axes;
  if (!first.is_known() || first.has_sequence() || made.axes.has_sequence()) return;
  Boundary::rethrow(
      runtime_error(cat(op.name, " works sequence by sequence, and its operand has no sequence axis"))
          .remedy("give it what is computed from a sequence, or to_sequence(x)"),
      op);
}

}  // namespace

Inferred infer_types(const Operator& op, std::span<const Attribute> attributes, std::span<const Type> inputs,
                     const std::function<std::string(int)>* name_of_input) {
  if (op.object) {
    Inferred result{types_of(*op.object, inputs, name_of_input != nullptr), {}, {}, {}};
    result.refined.resize(inputs.size());
    const bool samples = op.object->tells_samples;
    for (const Type& t : result.outputs)
      result.late.push_back(!t.shape.is_static() ||
                            (samples && t.axes.has_batch() && !t.axes.has_sequence()));
    return result;
  }
  Context c{op, inputs, {}, name_of_input, {}, {}};
  c.result.outputs.assign(static_cast<size_t>(op.outputs), Type::unknown());
  c.result.late.resize(c.result.outputs.size());
  c.result.refined.resize(inputs.size());
  if (!op.infer) {
    Type t = broadcast(inputs, op.name, &c.result.refined);
    for (Type& out : c.result.outputs) out = t;
    return std::move(c.result);
  }
  SmallVector<cantik_type, 4 + kSpare> in;
  for (const Type& t : inputs) in.push_back(to_c(t));
  cantik_type absent = to_c(Type::unknown());
  absent.storage = kAbsent;
  in.resize(inputs.size() + kSpare, absent);
  AttributesInC values = to_c(attributes);
  cantik_infer call{sizeof(cantik_infer),
                    &c,
                    static_cast<int32_t>(inputs.size()),
                    op.outputs,
                    in.data(),
                    values.data(),
                    &Context::set,
                    &Context::refine,
                    &Context::broadcast,
                    &Context::fail,
                    &Context::derived_axis,
                    &Context::named_axis,
                    &Context::set_late,
                    &Context::settle};
  c.boundary.call(op, "type rule", [&] { return op.infer(op.user, &call); });
  for (const Type& t : c.result.outputs) {
    check_size(op, t);
    check_sequences(op, inputs, t);
  }
  return std::move(c.result);
}

}  // namespace cantik
