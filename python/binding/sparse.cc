#include "binding/sparse.h"

#include "binding/numpy.h"

namespace cantik::python {

bool is_sparse_matrix(nb::handle h) { return nb::hasattr(h, "indptr") && nb::hasattr(h, "tocsr"); }

namespace {

// The elements of a one-dimensional array of integers, as int32 or int64; copied only where they are of another type.
template <class T>
std::shared_ptr<const T> integers(nb::handle array) {
  nb::object numpy = nb::module_::import_("numpy");
  nb::object a = numpy.attr("ascontiguousarray")(array, sizeof(T) == 8 ? "int64" : "int32");
  auto address = nb::cast<uintptr_t>(a.attr("ctypes").attr("data"));
  std::shared_ptr<const void> owner = hold(a);
  return {owner, reinterpret_cast<const T*>(address)};
}

}  // namespace

Tensor tensor_of_csr(nb::handle given, DType dtype, const Shape& wanted) {
  nb::object m = nb::borrow(given);
  if (nb::cast<std::string>(m.attr("format")) != "csr") throw type_error("only CSR is supported as of now. Please convert your data using 'tocsr()'");
  nb::tuple shape = nb::cast<nb::tuple>(m.attr("shape"));
  int64_t rows = nb::cast<int64_t>(shape[0]), width = nb::cast<int64_t>(shape[1]);
  Tensor values = tensor_of_array(array_of(m.attr("data")), dtype);
  auto starts = integers<int64_t>(m.attr("indptr"));
  auto columns = integers<int32_t>(m.attr("indices"));
  Shape all = wanted.is_known() ? wanted : Shape{rows, width};
  if (all.rank() < 1 || all.elements() != rows * width || (all.rank() > 1 && all.back() != width))
    throw value_error("a CSR matrix of shape " + Shape{rows, width}.text() + " cannot be seen as " + all.text());
  if (all[0] == rows) return Tensor::csr(values.dtype(), all, starts, columns, {values.owner(), values.raw()});
  // Several rows of the matrix are one of the tensor: the entries stay in order, their columns move.
  int64_t joined = rows / all[0];
  auto new_starts = std::make_shared<std::vector<int64_t>>(static_cast<size_t>(all[0]) + 1);
  for (int64_t r = 0; r <= all[0]; ++r) (*new_starts)[static_cast<size_t>(r)] = starts.get()[r * joined];
  auto new_columns = std::make_shared<std::vector<int32_t>>(columns.get(), columns.get() + starts.get()[rows]);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = starts.get()[r]; i < starts.get()[r + 1]; ++i) (*new_columns)[static_cast<size_t>(i)] += static_cast<int32_t>(r % joined * width);
  return Tensor::csr(values.dtype(), all, {new_starts, new_starts->data()}, {new_columns, new_columns->data()}, {values.owner(), values.raw()});
}

nb::object csr_of_tensor(const Tensor& t) {
  if (t.storage() == Storage::row_sparse) return array_of_tensor(t.to_dense());
  int64_t rows = t.shape()[0], width = rows ? t.elements() / rows : 1, count = t.nonzeros(), first = t.starts()[0];
  for (int i = 1; !rows && i < t.shape().rank(); ++i) width *= t.shape()[i];
  // Values, and where they stand, in the tensor's own memory; ones that were left out are written down.
  Tensor values = t.raw() ? Tensor::borrow(t.dtype(), {count}, static_cast<char*>(t.raw()) + static_cast<size_t>(first) * size_of(t.dtype()), t.owner())
                          : Tensor::full(t.dtype(), {count}, 1);
  Tensor kept = t;
  auto owner = std::make_shared<Tensor>(kept);
  Tensor columns = Tensor::borrow(DType::int32, {count}, const_cast<int32_t*>(t.columns() + first), owner, true);
  Tensor starts(DType::int32, {rows + 1});
  for (int64_t r = 0; r <= rows; ++r) starts.data<int32_t>()[r] = static_cast<int32_t>(t.starts()[r] - first);
  nb::object csr = nb::module_::import_("scipy.sparse").attr("csr_matrix");
  return csr(nb::make_tuple(array_of_tensor(values), array_of_tensor(columns), array_of_tensor(starts)), nb::arg("shape") = nb::make_tuple(rows, width));
}

Tensor join_rows(const std::vector<Tensor>& parts) {
  int64_t rows = 0, count = 0;
  for (const Tensor& t : parts) rows += t.shape()[0], count += t.nonzeros();
  Shape shape = parts[0].shape();
  shape[0] = rows;
  DType dtype = parts[0].dtype();
  auto starts = std::make_shared<std::vector<int64_t>>(1, 0);
  auto columns = std::make_shared<std::vector<int32_t>>();
  columns->reserve(static_cast<size_t>(count));
  Tensor values(dtype, {count});
  int64_t at = 0;
  for (const Tensor& t : parts) {
    int64_t first = t.starts()[0], n = t.nonzeros();
    for (int64_t r = 1; r <= t.shape()[0]; ++r) starts->push_back(at + t.starts()[r] - first);
    columns->insert(columns->end(), t.columns() + first, t.columns() + first + n);
    char* target = static_cast<char*>(values.raw()) + static_cast<size_t>(at) * size_of(dtype);
    if (t.raw()) copy_numbers(t.dtype(), static_cast<char*>(t.raw()) + static_cast<size_t>(first) * size_of(t.dtype()), dtype, target, n);
    else Tensor::borrow(dtype, {n}, target, nullptr).fill(1);
    at += n;
  }
  return Tensor::csr(dtype, shape, {starts, starts->data()}, {columns, columns->data()}, {values.owner(), values.raw()});
}

}  // namespace cantik::python
