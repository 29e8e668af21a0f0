// Type rules: what an operator's result is, from the types of its inputs. Run while the graph is built, again
// when a free dimension is known.
#pragma once

#include <stdexcept>
#include <string>

#include <cantik/dtype.h>
#include <cantik/op/attributes.h>
#include <cantik/plugin.h>
#include <cantik/shape.h>

namespace cantik {

// Thrown by rules, bodies and kernels of an operator; crosses the boundary as a status with text.
struct Failure : std::runtime_error {
  // A failure of a kind, with its text and what to do about it.
  Failure(int32_t status, const std::string& text, std::string advice = {})
      : std::runtime_error(text), kind(status), remedy(std::move(advice)) {}
  int32_t kind;        // of the error: a cantik_error
  std::string remedy;  // what to do about it
};
// Shapes or axes that do not go together.
inline Failure shape_failure(const std::string& text, std::string remedy = {}) {
  return {CANTIK_SHAPE, text, std::move(remedy)};
}
// An attribute or operand with a wrong value.
inline Failure value_failure(const std::string& text, std::string remedy = {}) {
  return {CANTIK_VALUE, text, std::move(remedy)};
}

// Runs f, turning what it throws into a status.
template <class F, class Fail>
cantik_status guarded(F&& f, Fail&& fail) {
  try {
    f();
    return CANTIK_OK;
  } catch (const Failure& e) {
    const int32_t kind = e.kind == CANTIK_OK ? int32_t{CANTIK_RUNTIME} : e.kind;  // it was thrown
    fail(kind, e.what(), e.remedy.c_str());
    return kind;
  } catch (const std::bad_alloc&) {
    fail(CANTIK_MEMORY, "there is not enough memory", "");
    return CANTIK_MEMORY;
  } catch (const std::exception& e) {
    fail(CANTIK_RUNTIME, e.what(), "");
    return CANTIK_RUNTIME;
  } catch (...) {
    fail(CANTIK_RUNTIME, "what was thrown is no std::exception",
         "throw std::runtime_error, or shape_failure(what, remedy)");
    return CANTIK_RUNTIME;
  }
}

// i, or an error where there are only so many.
inline int index_below(int i, int count, const char* what) {
  if (i < 0 || i >= count)
    throw Failure(CANTIK_RUNTIME, std::string(what) + "(" + std::to_string(i) +
                                      ") was asked for, but there are " + std::to_string(count));
  return i;
}

// The type of one value: element type, static shape, dynamic axes, storage.
struct TypeView {
  DType dtype = DType::unknown;    // of the elements
  Shape shape;                     // of a sample
  int32_t axes = CANTIK_NO_AXES;   // which dynamic axes there are
  int64_t sequence_axis = -1;      // by its number
  int32_t storage = CANTIK_DENSE;  // dense, or which kind of sparse
  int64_t entries = 0;             // of csr: at most so many in a row; 0: as many as there are elements

  TypeView() = default;
  // The type that crossed the boundary.
  explicit TypeView(const cantik_type& t)
      : dtype(static_cast<DType>(t.dtype)),
        shape(t.rank < 0 ? Shape::unknown() : Shape(t.dims, static_cast<size_t>(t.rank))),
        axes(t.axes),
        sequence_axis(t.sequence_axis),
        storage(t.storage),
        entries(t.entries) {}
  // Points into this object.
  cantik_type c() const {
    return {sizeof(cantik_type),
            static_cast<int32_t>(dtype),
            shape.is_known() ? shape.rank() : -1,
            shape.data(),
            axes,
            storage,
            sequence_axis,
            entries};
  }
  // Whether all elements lie in memory.
  bool is_dense() const { return storage == CANTIK_DENSE; }
  // Whether there is a batch axis.
  bool has_batch() const { return axes >= CANTIK_BATCH; }
  // Whether there is a sequence axis.
  bool has_sequence() const { return axes == CANTIK_SEQUENCE; }
};

// What a type rule is asked: the types of the operands are given, those of the results are to be set.
class Infer {
 public:
  // Over what the host gives.
  explicit Infer(cantik_infer* c) : c_(c) {}
  // How many operands there are.
  int inputs() const { return c_->inputs; }
  // How many results there are.
  int outputs() const { return c_->outputs; }
  // The type of operand i, as far as it is known.
  TypeView in(int i) const { return TypeView(c_->in[index_below(i, c_->inputs, "in")]); }
  // The static shape of operand i.
  const Shape shape(int i) const { return in(i).shape; }

  // Sets the type of a result.
  void set(int output, const TypeView& t) {
    cantik_type c = t.c();
    check(c_->set(c_->self, output, &c));
  }
  void set(const TypeView& t) { set(0, t); }
  // The same, with sizes that come late: those that are free in the type, and the number of rows, are told in
  // a run by the operator's sizes().
  void set_late(int output, const TypeView& t) {
    cantik_type c = t.c();
    check(c_->set_late(c_->self, output, &c));
  }
  // Input i (a parameter, or anything not known yet) has to have this shape.
  void refine(int i, const Shape& shape) {
    index_below(i, c_->inputs, "refine");
    check(c_->refine(c_->self, i, shape.rank(), shape.data()));
  }
  // An attribute is chosen by what is known now: the function, its copies and its file keep the value.
  template <class T>
  void settle(const char* attribute, const T& value) {
    const cantik_attribute a = pack(value);
    check(c_->settle(c_->self, attribute, &a));
  }
  // All inputs broadcast together: NumPy's rule for static axes, {} < {batch} < {batch, sequence} for the
  // others.
  TypeView broadcast() {
    cantik_type t{sizeof(cantik_type), 0, 0, nullptr, 0, 0, -1, 0};
    check(c_->broadcast(c_->self, &t));
    return TypeView(t);
  }
  // The sequence axis that is called like another one, with something behind it; or after what is computed at
  // input i.
  int64_t derived_axis(int64_t axis, const std::string& suffix) const {
    int64_t out = -1;
    check(c_->derived_axis(c_->self, axis, suffix.c_str(), &out));
    return out;
  }
  // The sequence axis that is called `prefix` and after what is computed at input i.
  int64_t named_axis(const std::string& prefix, int i) const {
    int64_t out = -1;
    check(c_->named_axis(c_->self, prefix.c_str(), i, &out));
    return out;
  }
  // Element type and dynamic axes of inputs i and j together, with another shape.
  TypeView join(int i, int j, Shape shape) const {
    TypeView a = in(i), b = in(j);
    if (a.axes == CANTIK_SEQUENCE && b.axes == CANTIK_SEQUENCE && a.sequence_axis != b.sequence_axis)
      throw shape_failure("the operands have different sequence axes",
                          "join them with sequence.broadcast_as(x, like) or reconcile_dynamic_axes(x, like)");
    bool unknown = a.axes == CANTIK_AXES_UNKNOWN || b.axes == CANTIK_AXES_UNKNOWN;
    TypeView t = b.axes > a.axes ? b : a;
    if (unknown) t.axes = CANTIK_AXES_UNKNOWN;
    t.dtype = a.dtype == DType::unknown ? b.dtype : a.dtype;
    if (a.dtype != DType::unknown && b.dtype != DType::unknown && a.dtype != b.dtype)
      throw value_failure("the operands have different element types, " + std::string(name_of(a.dtype)) +
                              " and " + std::string(name_of(b.dtype)),
                          "cast one of them");
    t.storage = CANTIK_DENSE;
    t.entries = 0;
    t.shape = std::move(shape);
    return t;
  }
  // The same numbers under another shape: what is sparse stays so.
  TypeView view(int i, Shape shape) const {
    TypeView t = in(i);
    t.shape = std::move(shape);
    return t;
  }
  // The first input's type under another shape.
  TypeView like(int i, Shape shape) const {
    TypeView t = in(i);
    t.shape = std::move(shape);
    t.storage = CANTIK_DENSE;
    t.entries = 0;
    return t;
  }

 private:
  struct Already {};
  static void check(cantik_status s) {
    if (s) throw Failure(s, "");
  }  // an empty text: the host has it
  cantik_infer* c_;
};

}  // namespace cantik
