#include "binding/sparse.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "binding/numpy.h"

namespace cantik::python {

bool is_sparse_matrix(nb::handle h) { return nb::hasattr(h, "tocsr"); }

namespace {

// An array of whole numbers as int64 or int32; copied only where it is of another type.
template <class T>
struct Integers {
  std::shared_ptr<const T> data;
  int64_t count;
  explicit Integers(nb::handle array, const char* what) {
    nb::object numpy = nb::module_::import_("numpy");
    nb::object a = numpy.attr("asarray")(array);
    const std::string kind = nb::cast<std::string>(a.attr("dtype").attr("kind"));
    if ((kind != "i" && kind != "u") || nb::cast<int>(a.attr("ndim")) != 1)
      throw value_error(std::string("the ") + what + " of a CSR matrix must be a list of whole numbers");
    if (sizeof(T) == 4 && nb::cast<int>(a.attr("dtype").attr("itemsize")) > 4) {
      Integers<int64_t> wide(a, what);
      auto narrow = std::make_shared<std::vector<T>>(static_cast<size_t>(wide.count));
      for (int64_t i = 0; i < wide.count; ++i) {
        // What does not fit stands outside every row, as it did.
        const int64_t n = wide.data.get()[i];
        (*narrow)[i] = n < 0 || n > std::numeric_limits<T>::max() ? -1 : static_cast<T>(n);
      }
      data = {narrow, narrow->data()};
    } else {
      a = numpy.attr("ascontiguousarray")(a, sizeof(T) == 8 ? "int64" : "int32");
      std::shared_ptr<const void> owner = hold(a);
      data = {owner, reinterpret_cast<const T*>(nb::cast<uintptr_t>(a.attr("ctypes").attr("data")))};
    }
    count = nb::cast<int64_t>(a.attr("size"));
  }
};

Error broken(const std::string& what) {
  return value_error("the arrays of the CSR matrix do not belong together: " + what)
      .remedy("make the matrix with scipy.sparse.csr_matrix, and do not change its arrays");
}

// Every index in its place, or an error. Returns whether the columns of each row rise.
bool check_csr(int64_t rows, int64_t width, const Integers<int64_t>& starts, const Integers<int32_t>& columns,
               int64_t values) {
  if (starts.count != rows + 1)
    throw broken(std::to_string(rows) + " rows need " + std::to_string(rows + 1) +
                 " elements of indptr, which has " + std::to_string(starts.count));
  const int64_t *begin = starts.data.get(), last = begin[rows];
  if (begin[0] != 0) throw broken("indptr must begin with 0, and begins with " + std::to_string(begin[0]));
  for (int64_t r = 0; r < rows; ++r)
    if (begin[r + 1] < begin[r]) throw broken("indptr falls after row " + std::to_string(r));
  if (last > columns.count || last > values)
    throw broken("indptr counts " + std::to_string(last) + " entries, but there are " +
                 std::to_string(columns.count) + " indices and " + std::to_string(values) + " values");
  bool rising = true;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t before = -1;
    for (int64_t i = begin[r]; i < begin[r + 1]; ++i) {
      const int64_t c = columns.data.get()[i];
      if (c < 0 || c >= width)
        throw broken("an index of row " + std::to_string(r) + " lies outside its " + std::to_string(width) +
                     " columns");
      rising &= c > before;
      before = c;
    }
  }
  return rising;
}

// Columns in order, numbers at the same place added up: what SciPy means by them.
Tensor in_order(const Tensor& t) {
  const int64_t rows = t.shape()[0];
  Tensor numbers = Tensor::borrow(t.dtype(), {t.nonzeros()}, t.raw(), t.owner()).cast(DType::float64);
  auto starts = std::make_shared<std::vector<int64_t>>(1, 0);
  auto columns = std::make_shared<std::vector<int32_t>>();
  std::vector<double> sums;
  std::vector<int64_t> entries;
  for (int64_t r = 0; r < rows; ++r) {
    entries.resize(static_cast<size_t>(t.starts()[r + 1] - t.starts()[r]));
    std::iota(entries.begin(), entries.end(), t.starts()[r]);
    std::stable_sort(entries.begin(), entries.end(),
                     [&](int64_t a, int64_t b) { return t.columns()[a] < t.columns()[b]; });
    for (int64_t i : entries) {
      if (static_cast<int64_t>(columns->size()) > starts->back() && columns->back() == t.columns()[i]) {
        sums.back() += numbers.data<double>()[i];
      } else {
        columns->push_back(t.columns()[i]);
        sums.push_back(numbers.data<double>()[i]);
      }
    }
    starts->push_back(static_cast<int64_t>(columns->size()));
  }
  Tensor values = Tensor::of<double>({static_cast<int64_t>(sums.size())}, sums).cast(t.dtype());
  return Tensor::csr(t.dtype(), t.shape(), {starts, starts->data()}, {columns, columns->data()},
                     {values.owner(), values.raw()});
}

}  // namespace

Tensor tensor_of_csr(nb::handle given, DType dtype, const Shape& wanted) {
  nb::object m = nb::borrow(given);
  if (nb::cast<std::string>(m.attr("format")) != "csr")
    throw type_error("only CSR is supported as of now. Please convert your data using 'tocsr()'");
  nb::tuple shape = nb::cast<nb::tuple>(m.attr("shape"));
  if (nb::len(shape) != 2)
    throw value_error("a sparse array must have two axes, and this one has " + std::to_string(nb::len(shape)))
        .remedy("give a matrix of shape [rows, columns]");
  const int64_t rows = nb::cast<int64_t>(shape[0]), width = nb::cast<int64_t>(shape[1]);
  if (width > std::numeric_limits<int32_t>::max())
    throw value_error("a CSR matrix can have 2147483647 columns, and this one has " + std::to_string(width));
  Tensor values = tensor_of_array(array_of(m.attr("data")), dtype);
  if (values.shape().rank() != 1)
    throw broken("the values must be a list of numbers, and have the shape " + values.shape().text());
  Integers<int64_t> starts(m.attr("indptr"), "indptr");
  Integers<int32_t> columns(m.attr("indices"), "indices");
  const bool rising = check_csr(rows, width, starts, columns, values.elements());
  Shape all = wanted.is_known() ? wanted : Shape{rows, width};
  if (all.rank() < 1 || all.elements() != rows * width || (all.rank() > 1 && all.back() != width))
    throw value_error("a CSR matrix of shape " + Shape{rows, width}.text() + " cannot be reshaped to " +
                      all.text());
  Tensor t =
      Tensor::csr(values.dtype(), {rows, width}, starts.data, columns.data, {values.owner(), values.raw()});
  return (rising ? t : in_order(t)).reshape(all);
}

nb::object csr_of_tensor(const Tensor& t) {
  if (t.storage() == Storage::row_sparse) return array_of_tensor(t.to_dense());
  int64_t rows = t.shape()[0], width = rows ? t.elements() / rows : 1, count = t.nonzeros(),
          first = t.starts()[0];
  for (int i = 1; !rows && i < t.shape().rank(); ++i) width *= t.shape()[i];
  // Values, and where they stand, in the tensor's own memory; ones that were left out are written down.
  Tensor values =
      t.raw() ? Tensor::borrow(t.dtype(), {count},
                               static_cast<char*>(t.raw()) + static_cast<size_t>(first) * size_of(t.dtype()),
                               t.owner())
              : Tensor::full(t.dtype(), {count}, 1);
  Tensor kept = t;
  auto owner = std::make_shared<Tensor>(kept);
  Tensor columns =
      Tensor::borrow(DType::int32, {count}, const_cast<int32_t*>(t.columns() + first), owner, true);
  Tensor starts(DType::int32, {rows + 1});
  for (int64_t r = 0; r <= rows; ++r) starts.data<int32_t>()[r] = static_cast<int32_t>(t.starts()[r] - first);
  nb::object csr = nb::module_::import_("scipy.sparse").attr("csr_matrix");
  return csr(nb::make_tuple(array_of_tensor(values), array_of_tensor(columns), array_of_tensor(starts)),
             nb::arg("shape") = nb::make_tuple(rows, width));
}

}  // namespace cantik::python
