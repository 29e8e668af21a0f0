// What calls of user functions hand over: rows as arrays, lists of arrays, matrices, values, and back.
#include <cstring>

#include "binding/feeds.h"
#include "binding/numpy.h"
#include "binding/sequences.h"
#include "binding/sparse.h"
#include "binding/text.h"
#include "binding/user_function.h"

namespace cantik::python {
namespace {

// The axes of an array; NumPy has at most 64 of them.
class Dims {
 public:
  void push_back(int64_t n) {
    if (count_ == kMost) throw unsupported("arrays of more than 64 axes");
    sizes_[count_++] = n;
  }
  operator std::span<const int64_t>() const { return {sizes_, count_}; }

 private:
  static constexpr size_t kMost = 64;
  int64_t sizes_[kMost];
  size_t count_ = 0;
};

int64_t elements_of(const UserRows& r) { return r.type->shape.elements(); }
size_t row_bytes(const UserRows& r) { return static_cast<size_t>(elements_of(r)) * size_of(r.type->dtype); }
bool lies_together(const UserRows& r) {
  return !r.operand->map && (r.operand->rows <= 1 || r.operand->stride == elements_of(r));
}
const char* row(const UserRows& r, int64_t i) {
  return static_cast<const char*>(r.operand->data) + (r.operand->map ? r.operand->map[i] : i) *
                                                         r.operand->stride *
                                                         static_cast<int64_t>(size_of(r.type->dtype));
}

void copy_out(const UserRows& r, int64_t first, int64_t last, void* to) {
  if (first == last || row_bytes(r) == 0) return;
  if (lies_together(r)) {
    std::memcpy(to, row(r, first), static_cast<size_t>(last - first) * row_bytes(r));
    return;
  }
  for (int64_t i = first; i < last; ++i)
    std::memcpy(static_cast<char*>(to) + static_cast<size_t>(i - first) * row_bytes(r), row(r, i),
                row_bytes(r));
}

void copy_in(const UserRows& r, int64_t first, int64_t last, const void* from) {
  if (first == last || row_bytes(r) == 0) return;
  char* to = static_cast<char*>(r.operand->data) +
             first * r.operand->stride * static_cast<int64_t>(size_of(r.type->dtype));
  if (lies_together(r)) {
    std::memcpy(to, from, static_cast<size_t>(last - first) * row_bytes(r));
    return;
  }
  for (int64_t i = first; i < last; ++i)
    std::memcpy(to + (i - first) * r.operand->stride * static_cast<int64_t>(size_of(r.type->dtype)),
                static_cast<const char*>(from) + static_cast<size_t>(i - first) * row_bytes(r), row_bytes(r));
}

// [rows, shape...], without a batch axis [shape...].
Dims dims_of(const UserRows& r, int64_t rows) {
  Dims d;
  if (r.type->axes.has_batch()) d.push_back(rows);
  for (const int64_t n : r.type->shape) d.push_back(n);
  return d;
}

// Sequences as the user sees them: how many, and where each begins. In a step of a recurrence each row is
// one.
int64_t sequences(const UserRows& r) { return r.operand->offsets ? r.operand->sequences : r.operand->rows; }
int64_t begin_of(const UserRows& r, int64_t s) { return r.operand->offsets ? r.operand->offsets[s] : s; }

nb::object copied(const UserRows& r, int64_t first, int64_t last) {
  void* data = nullptr;
  const Dims dims = dims_of(r, last - first);
  nb::object a = new_array(r.type->dtype, dims, &data);
  copy_out(r, first, last, data);
  return a;
}

std::shared_ptr<const Layout> layout_of(const UserRows& r) {
  if (!r.type->axes.has_batch()) return nullptr;
  if (!r.type->axes.has_sequence()) return Layout::batch(r.rows());
  std::vector<int64_t> lengths;
  for (int64_t s = 0; s < sequences(r); ++s) lengths.push_back(begin_of(r, s + 1) - begin_of(r, s));
  return Layout::of_lengths(lengths);
}

Shape shape_with_rows(const UserRows& r) {
  return r.type->axes.has_batch() ? Shape{r.rows()} + r.type->shape : r.type->shape;
}

Value sparse_value(const UserRows& r) {
  // The run's memory for as long as it takes to copy it.
  auto unowned = [](const auto* p) {
    return std::shared_ptr<std::remove_reference_t<decltype(*p)>>(std::shared_ptr<void>(), p);
  };
  Shape shape = r.type->axes.has_batch() ? shape_with_rows(r) : Shape{1} + r.type->shape;
  Tensor t = Tensor::csr(r.type->dtype, shape, unowned(r.operand->starts), unowned(r.operand->columns),
                         std::shared_ptr<const void>(std::shared_ptr<void>(), r.operand->data));
  return Value(t.clone(), layout_of(r));
}

Value value_over(const UserRows& r, UserRun& run) {
  if (r.type->storage != Storage::dense) return sparse_value(r);
  if (lies_together(r))
    if (std::shared_ptr<Lease> lease = run.borrow(r.operand->data))
      return Value(Tensor::borrow(r.type->dtype, shape_with_rows(r), r.operand->data, std::move(lease)),
                   layout_of(r));
  Tensor t(r.type->dtype, shape_with_rows(r));
  copy_out(r, 0, r.rows(), t.raw());
  return Value(std::move(t), layout_of(r));
}

// The capsule that holds the lease, for all arrays of a run.
nb::handle base_of(UserRun& run, const void* data) {
  std::shared_ptr<Lease> lease = run.borrow(data);
  if (!lease) return {};
  if (!run.shared) {
    nb::object capsule =
        nb::steal(PyCapsule_New(new std::shared_ptr<Lease>(std::move(lease)), nullptr, [](PyObject* c) {
          delete static_cast<std::shared_ptr<Lease>*>(PyCapsule_GetPointer(c, nullptr));
        }));
    run.shared = hold(std::move(capsule));
  }
  return static_cast<PyObject*>(const_cast<void*>(run.shared.get()));
}

Variable place_for(const UserRows& r) {
  return input(r.type->shape, {.dtype = r.type->dtype, .axes = r.type->axes});
}

// Anything that a value can be made of.
Value value_given(nb::handle given, const Variable& place, const std::string& what,
                  const std::string& remedy) {
  try {
    return feed_of(place, given);
  } catch (const Error& e) {
    const std::string text = e.what();
    throw Error(e.kind(), cat(what, " gave what does not fit: ", text.substr(0, text.find('\n'))))
        .remedy(remedy);
  }
}

void take_any(nb::handle given, const UserRows& r, const std::string& what) {
  const Value v =
      value_given(given, place_for(r), what,
                  cat("give data for ", r.type->text(), ", ", r.rows(), r.rows() == 1 ? " row" : " rows"));
  Tensor data = v.data.to_dense();
  const std::shared_ptr<const Layout> wanted = layout_of(r);
  const int64_t rows = v.layout ? v.layout->rows() : 1;
  if (wanted && !wanted->is_batch()) {
    if (rows != r.rows() || !v.layout->has_lengths_of(*wanted))
      throw value_error(cat(what, ": sequences of other lengths came, where ", r.rows(),
                            " steps of the operands' lengths were expected"))
          .remedy("give a result for every step");
  } else if (rows != r.rows()) {
    throw UnlikeSamples(
        value_error(cat(what, ": ", rows, " samples came, where ", r.rows(), " were expected"))
            .remedy("give a result for every sample"));
  }
  copy_in(r, 0, r.rows(), data.raw());
}

}  // namespace

nb::object shown(const UserRows& r, CallStyle style, UserRun& run) {
  if (!r) return nb::none();
  if (style == CallStyle::values) return wrap_lent(value_over(r, run));
  if (r.type->storage != Storage::dense) {
    Value v = sparse_value(r);
    return style == CallStyle::slots ? csr_of_tensor(v.data) : result_of(v);
  }
  if (style == CallStyle::slots) {
    if (lies_together(r))
      if (nb::handle base = base_of(run, r.operand->data); base.is_valid())
        return array_over(r.type->dtype, dims_of(r, r.rows()), r.operand->data, false, base);
    nb::object copy = copied(r, 0, r.rows());
    make_read_only(copy);
    return copy;
  }
  if (!r.type->axes.has_sequence()) return copied(r, 0, r.rows());
  const int64_t count = sequences(r);
  nb::object list = nb::steal(PyList_New(count));
  for (int64_t s = 0; s < count; ++s)
    NB_LIST_SET_ITEM(list.ptr(), s, copied(r, begin_of(r, s), begin_of(r, s + 1)).release().ptr());
  return list;
}

nb::object zeros_shown(const Type& type, const UserRows& like, CallStyle style, UserRun& run) {
  if (!type.shape.is_static()) return nb::none();
  std::vector<char> row(static_cast<size_t>(type.shape.elements()) * size_of(type.dtype), 0);
  cantik_operand zeros = *like.operand;
  zeros.data = row.data();
  zeros.stride = 0;
  zeros.map = nullptr;
  zeros.starts = nullptr, zeros.columns = nullptr;
  return shown({&type, &zeros}, style, run);
}

void take(nb::handle given, const UserRows& r, const std::string& what) {
  if (!r.type->axes.has_sequence()) {
    if (const void* data = plain_data(given, r.type->dtype, dims_of(r, r.rows())))
      return copy_in(r, 0, r.rows(), data);
  } else if (PyList_CheckExact(given.ptr()) && NB_LIST_GET_SIZE(given.ptr()) == sequences(r)) {
    int64_t s = 0;
    for (; s < sequences(r); ++s) {
      const int64_t first = begin_of(r, s), last = begin_of(r, s + 1);
      const void* data =
          plain_data(NB_LIST_GET_ITEM(given.ptr(), s), r.type->dtype, dims_of(r, last - first));
      if (!data) break;
      copy_in(r, first, last, data);
    }
    if (s == sequences(r)) return;
  }
  take_any(given, r, what);
}

Shape shape_given(nb::handle given, const Type& t, const std::string& what) {
  if (t.axes.has_sequence())
    throw unsupported(
        cat(what, ": the size of a result made of sequences must be known, and its type is ", t.text()))
        .remedy("compute it from the operands' shapes in infer_outputs");
  return value_given(given, input(t.shape, {.dtype = t.dtype, .axes = t.axes}), what,
                     "give data for " + t.text())
      .data.shape();
}

void clear(const UserRows& r) {
  for (int64_t i = 0; i < r.rows(); ++i)
    if (row_bytes(r)) std::memset(const_cast<char*>(row(r, i)), 0, row_bytes(r));
}

nb::object writable(const UserRows& r, UserRun& run) {
  if (!r) return nb::none();
  const Dims dims = dims_of(r, r.rows());
  if (lies_together(r))
    if (nb::handle base = base_of(run, r.operand->data); base.is_valid())
      return array_over(r.type->dtype, dims, r.operand->data, true, base);
  void* data = nullptr;
  return new_array(r.type->dtype, dims, &data);
}

void settle(nb::handle array, const UserRows& r) {
  if (!r) return;
  const void* data = plain_data(array, r.type->dtype, dims_of(r, r.rows()));
  if (data != r.operand->data) copy_in(r, 0, r.rows(), data);
}

}  // namespace cantik::python
