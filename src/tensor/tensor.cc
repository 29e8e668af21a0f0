#include <cantik/tensor.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/memory.h"
#include "base/text.h"
#include "tensor/half.h"
#include "tensor/sparse_rows.h"

namespace cantik {
namespace {

template <class T>
double number(T x) {
  return static_cast<double>(x);
}
double number(Half x) { return to_float(x); }
template <class T>
T element(double x) {
  return static_cast<T>(x);
}
template <>
Half element<Half>(double x) {
  return to_half(static_cast<float>(x));
}

// Calls f with a value of the element type.
template <class F>
auto dispatch(DType t, F&& f) {
  switch (t) {
    case DType::float32: return f(float{});
    case DType::float64: return f(double{});
    case DType::float16: return f(Half{});
    case DType::int8: return f(int8_t{});
    case DType::int16: return f(int16_t{});
    case DType::int32: return f(int32_t{});
    case DType::unknown: break;
  }
  throw type_error("the tensor has no element type");
}

// Every entry in its place.
void check_csr(const Shape& shape, const int64_t* starts, const int32_t* columns) {
  auto broken = [&](const std::string& what) {
    return value_error(cat("the arrays do not make sparse rows of shape ", shape.text(), ": ", what));
  };
  if (shape.empty() || !shape.is_static())
    throw broken("the shape needs a first axis that counts the rows, and no unknown size");
  const int64_t rows = shape[0], width = shape.sub(1, shape.rank()).elements();
  if (!starts) throw broken("the starts of the rows are missing");
  for (int64_t r = 0; r < rows; ++r)
    if (starts[r + 1] < starts[r] || starts[r] < 0)
      throw broken(cat("row ", r, " goes from entry ", starts[r], " to ", starts[r + 1]));
  bool inside = true;
  for (int64_t i = starts[0]; i < starts[rows]; ++i) inside &= columns[i] >= 0 && columns[i] < width;
  if (!inside) throw broken(cat("an entry lies outside of a row's ", width, " columns"));
}

}  // namespace

void detail::check_count(const Shape& shape, size_t numbers) {
  if (!shape.is_static() || shape.elements() != static_cast<int64_t>(numbers))
    throw value_error(cat("a tensor of shape ", shape.text(), " has ", shape.elements(),
                          shape.elements() == 1 ? " element" : " elements", ", and was given ", numbers,
                          numbers == 1 ? " number" : " numbers"))
        .remedy("give as many as it has elements");
}

void copy_numbers(DType from, const void* source, DType to, void* target, int64_t count) {
  if (count <= 0) return;
  if (from == to) {
    std::memmove(target, source,
                 static_cast<size_t>(count) * size_of(from));  // they may be parts of one block
    return;
  }
  dispatch(from, [&](auto s) {
    using S = decltype(s);
    dispatch(to, [&](auto t) {
      using T = decltype(t);
      for (int64_t i = 0; i < count; ++i)
        static_cast<T*>(target)[i] = element<T>(number(static_cast<const S*>(source)[i]));
    });
  });
}

Tensor::Tensor(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)) {
  if (dtype_ == DType::unknown)
    throw type_error("the tensor has no element type").remedy("give an element type such as DType::float32");
  if (!shape_.is_static())
    throw value_error("Cannot create an NDArrayView using a view shape '" + shape_.text(" x ") +
                      "' that has unknown dimensions for any of its axes.");
  owner_ = needed_for([&] { return cat("a tensor ", name_of(dtype_), shape_.text()); },
                      [&] { return allocate(bytes_of(elements(), size_of(dtype_))); });
  data_ = const_cast<void*>(owner_.get());
}

Tensor Tensor::full(DType dtype, Shape shape, double value) {
  Tensor t(dtype, std::move(shape));
  t.fill(value);
  return t;
}

Tensor Tensor::over(DType dtype, Shape shape, std::shared_ptr<const void> numbers) {
  Tensor t;
  t.dtype_ = dtype;
  t.shape_ = std::move(shape);
  t.data_ = const_cast<void*>(numbers.get());
  t.owner_ = std::move(numbers);
  return t;
}

Tensor Tensor::borrow(DType dtype, Shape shape, void* data, std::shared_ptr<const void> owner,
                      bool read_only) {
  if (!data && shape.is_static() && shape.elements() > 0)
    throw value_error("no memory was given for a tensor of shape " + shape.text());
  Tensor t;
  t.dtype_ = dtype;
  t.shape_ = std::move(shape);
  t.data_ = data;
  t.owner_ = std::move(owner);
  t.read_only_ = read_only;
  return t;
}

Tensor Tensor::csr(DType dtype, Shape shape, std::shared_ptr<const int64_t> starts,
                   std::shared_ptr<const int32_t> columns, std::shared_ptr<const void> values) {
  check_csr(shape, starts.get(), columns.get());
  Tensor t = over(dtype, std::move(shape), std::move(values));
  t.storage_ = Storage::csr;
  t.starts_ = std::move(starts);
  t.columns_ = std::move(columns);
  return t;
}

Tensor Tensor::row_sparse(DType dtype, Shape shape, int64_t count, std::shared_ptr<const int32_t> rows,
                          std::shared_ptr<const void> values) {
  if (shape.empty() || !shape.is_static() || count < 0 || count > shape[0])
    throw value_error(cat("a row_sparse tensor of shape ", shape.text(), " cannot have ", count, " rows"));
  auto absent = [&](const char* what) {
    return value_error(
        cat("a row_sparse tensor of shape ", shape.text(), " was given ", count, " rows without ", what));
  };
  if (count > 0 && !rows) throw absent("their row numbers");
  for (int64_t i = 0; i < count; ++i) {
    const int32_t row = rows.get()[i], before = i ? rows.get()[i - 1] : -1;
    if (row <= before || row >= shape[0])
      throw value_error(
          row <= before
              ? cat("the row numbers of a row_sparse tensor must rise: ", row, " comes after ", before)
              : cat("a row_sparse tensor of shape ", shape.text(), " has no row ", row));
  }
  if (count > 0 && !values) throw absent("their numbers");
  Tensor t = over(dtype, std::move(shape), values);
  t.storage_ = Storage::row_sparse;
  auto starts = std::make_shared<std::vector<int64_t>>(std::vector<int64_t>{0, count});
  t.starts_ = {starts, starts->data()};
  t.columns_ = std::move(rows);
  return t;
}

Tensor Tensor::one_hot(DType dtype, Shape shape, std::span<const int32_t> columns) {
  if (shape.empty() || shape[0] != static_cast<int64_t>(columns.size()))
    throw value_error(cat("one-hot rows of shape ", shape.text(),
                          " need an index for each row, and were given ", columns.size()))
        .remedy("give an index for each row");
  auto starts = std::make_shared<std::vector<int64_t>>(columns.size() + 1);
  auto kept = std::make_shared<std::vector<int32_t>>(columns.begin(), columns.end());
  for (size_t i = 0; i <= columns.size(); ++i) (*starts)[i] = static_cast<int64_t>(i);
  return csr(dtype, std::move(shape), {starts, starts->data()}, {kept, kept->data()}, nullptr);
}

Tensor Tensor::csr_matrix(DType dtype, Shape shape, int64_t count, const int32_t* places,
                          const void* values) {
  if (shape.rank() != 2 || !shape.is_static() || count < 0)
    throw value_error(cat("a sparse matrix of shape ", shape.text(), " cannot have ", count, " entries"));
  const int64_t rows = shape[0], width = shape[1];
  for (int64_t i = 0; i < count; ++i)
    if (places[i] < 0 || places[i] >= shape.elements())
      throw value_error(cat("a sparse matrix of shape ", shape.text(), " has no element number ", places[i]));
  auto starts = std::make_shared<std::vector<int64_t>>(static_cast<size_t>(rows) + 1, 0);
  for (int64_t i = 0; i < count; ++i) ++(*starts)[static_cast<size_t>(places[i] / width) + 1];
  for (size_t r = 0; r < static_cast<size_t>(rows); ++r) (*starts)[r + 1] += (*starts)[r];
  auto columns = std::make_shared<std::vector<int32_t>>(static_cast<size_t>(count));
  Tensor kept = full(dtype, {count}, 1);
  std::vector<int64_t> next(starts->begin(), starts->end());
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = next[places[i] / width]++;
    (*columns)[at] = static_cast<int32_t>(places[i] % width);
    const size_t size = size_of(dtype);
    if (values)
      std::memcpy(static_cast<char*>(kept.raw()) + static_cast<size_t>(at) * size,
                  static_cast<const char*>(values) + static_cast<size_t>(i) * size, size);
  }
  return csr(dtype, std::move(shape), {starts, starts->data()}, {columns, columns->data()},
             {kept.owner(), kept.raw()});
}

void Tensor::check(DType wanted) const {
  if (wanted != dtype_)
    throw type_error("the tensor's elements are " + std::string(name_of(dtype_)) + ", and were read as " +
                     std::string(name_of(wanted)));
}

double Tensor::at(int64_t i) const {
  if (!defined()) throw value_error("an empty tensor has no numbers");
  const int64_t count = is_sparse() ? nonzeros() : elements();
  if (i < 0 || i >= count)
    throw value_error(cat(text(), " has ", count, count == 1 ? " number" : " numbers",
                          "; there is no number ", i, " (they count from 0)"));
  if (!data_) return 1;  // one-hot rows keep none
  return dispatch(dtype_, [&](auto t) { return number(static_cast<const decltype(t)*>(data_)[i]); });
}

int64_t Tensor::nonzeros() const {
  if (storage_ == Storage::row_sparse) return shape_[0] ? starts_.get()[1] * (elements() / shape_[0]) : 0;
  return storage_ == Storage::csr ? starts_.get()[shape_[0]] - starts_.get()[0] : elements();
}

int64_t Tensor::stored() const { return is_sparse() ? (data_ ? nonzeros() : 0) : defined() ? elements() : 0; }

Tensor Tensor::rows(int64_t begin, int64_t end) const {
  if (shape_.empty() || begin < 0 || end < begin || end > shape_[0])
    throw value_error("a tensor of shape " + shape_.text() + " has no rows " + std::to_string(begin) +
                      " to " + std::to_string(end));
  if (storage_ == Storage::row_sparse) throw unsupported("row_sparse tensors have no slices");
  Tensor t = *this;
  t.shape_[0] = end - begin;
  if (storage_ == Storage::csr) {
    t.starts_ = {starts_, starts_.get() + begin};  // entries stay where the starts say
  } else if (data_) {
    int64_t row = 1;
    for (int i = 1; i < shape_.rank(); ++i) row *= shape_[i];
    t.data_ = static_cast<char*>(data_) + static_cast<size_t>(begin * row) * size_of(dtype_);
  }
  return t;
}

Tensor Tensor::reshape(Shape shape) const {
  if (!shape.is_static() || shape.elements() != elements())
    throw shape_error("a tensor of shape " + shape_.text() + " cannot be reshaped to " + shape.text() +
                      ": the numbers of elements differ");
  if (storage_ == Storage::row_sparse && shape != shape_)
    throw unsupported("row_sparse tensors cannot be reshaped").remedy("take to_dense() first");
  if (storage_ == Storage::csr && (shape.empty() || shape[0] != shape_[0]))
    return reshape_csr_rows(*this, std::move(shape));
  Tensor t = *this;
  t.shape_ = std::move(shape);
  return t;
}

Tensor Tensor::slice_view(const Shape& start, const Shape& extent) const {
  if (is_sparse()) throw unsupported("sparse tensors have no slices");
  if (start.rank() != shape_.rank() || extent.rank() > shape_.rank())
    throw value_error("a slice needs a start for each of the axes of " + shape_.text());
  // The extent covers the last axes; missing leading ones are single positions.
  int lead = shape_.rank() - extent.rank();
  int64_t offset = 0, step = 1;
  bool partial = false;
  for (int i = shape_.rank() - 1; i >= 0; --i) {
    int64_t wanted = i < lead ? 1 : extent[i - lead];
    if (start[i] < 0 || wanted < 0 || start[i] > shape_[i] || wanted > shape_[i] - start[i])
      throw shape_error("the slice from " + start.text() + " of extent " + extent.text() +
                        " leaves the shape " + shape_.text());
    if (partial && wanted != 1)
      throw value_error("the slice from " + start.text() + " of extent " + extent.text() + " of " +
                        shape_.text() + " is not contiguous");
    if (wanted != shape_[i]) partial = true;
    offset += start[i] * step;
    step *= shape_[i];
  }
  Tensor t = *this;
  t.shape_ = extent;
  t.slice_ = true;
  t.data_ = static_cast<char*>(data_) + static_cast<size_t>(offset) * size_of(dtype_);
  return t;
}

Tensor Tensor::clone() const {
  if (!defined()) return {};
  if (storage_ == Storage::csr) {
    int64_t rows = shape_[0], first = starts_.get()[0], count = nonzeros();
    auto starts = std::make_shared<std::vector<int64_t>>(static_cast<size_t>(rows) + 1);
    for (int64_t r = 0; r <= rows; ++r) (*starts)[r] = starts_.get()[r] - first;
    auto columns =
        std::make_shared<std::vector<int32_t>>(columns_.get() + first, columns_.get() + first + count);
    std::shared_ptr<void> values;
    if (data_) {
      values = allocate(static_cast<size_t>(count) * size_of(dtype_));
      std::memcpy(values.get(), static_cast<char*>(data_) + static_cast<size_t>(first) * size_of(dtype_),
                  static_cast<size_t>(count) * size_of(dtype_));
    }
    return csr(dtype_, shape_, {starts, starts->data()}, {columns, columns->data()}, values);
  }
  if (storage_ == Storage::row_sparse) {
    size_t count = static_cast<size_t>(starts_.get()[1]),
           bytes = static_cast<size_t>(nonzeros()) * size_of(dtype_);
    auto rows = std::make_shared<std::vector<int32_t>>(columns_.get(), columns_.get() + count);
    std::shared_ptr<void> values = allocate(bytes);
    std::memcpy(values.get(), data_, bytes);
    return row_sparse(dtype_, shape_, static_cast<int64_t>(count), {rows, rows->data()}, values);
  }
  Tensor t(dtype_, shape_);
  std::memcpy(t.data_, data_, bytes());
  return t;
}

Tensor Tensor::cast(DType dtype) const {
  if (dtype == dtype_) return *this;
  if (is_sparse()) {
    Tensor t = clone();
    t.dtype_ = dtype;
    if (t.data_) {
      std::shared_ptr<void> values = allocate(static_cast<size_t>(nonzeros()) * size_of(dtype));
      copy_numbers(dtype_, t.data_, dtype, values.get(), nonzeros());
      t.data_ = values.get();
      t.owner_ = values;
    }
    return t;
  }
  Tensor t(dtype, shape_);
  copy_numbers(dtype_, data_, dtype, t.data_, elements());
  return t;
}

Tensor Tensor::to_dense() const {
  if (storage_ == Storage::dense) return *this;
  Tensor t = zeros(dtype_, shape_);
  int64_t rows = shape_[0], width = rows ? elements() / rows : 0;
  if (storage_ == Storage::row_sparse) {
    size_t bytes = static_cast<size_t>(width) * size_of(dtype_);
    for (int64_t i = 0; i < starts_.get()[1]; ++i)
      std::memcpy(static_cast<char*>(t.data_) + static_cast<size_t>(columns_.get()[i]) * bytes,
                  static_cast<const char*>(data_) + static_cast<size_t>(i) * bytes, bytes);
    return t;
  }
  dispatch(dtype_, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = starts_.get()[r]; i < starts_.get()[r + 1]; ++i) {
        T& to = static_cast<T*>(t.data_)[r * width + columns_.get()[i]];
        // entries of one place add up, as in products
        to = element<T>(number(to) + (data_ ? number(static_cast<const T*>(data_)[i]) : 1.0));
      }
  });
  return t;
}

void Tensor::copy_from(const Tensor& source) const {
  if (read_only_) throw runtime_error("the tensor is read-only and cannot be written");
  if (source.shape_ != shape_)
    throw shape_error("a tensor of shape " + source.shape_.text() + " cannot be copied into one of shape " +
                      shape_.text());
  if (is_sparse()) throw unsupported("a sparse tensor cannot be copied into");
  Tensor dense = source.to_dense();
  copy_numbers(dense.dtype_, dense.data_, dtype_, data_, elements());
}

void Tensor::fill(double value) const {
  if (read_only_) throw runtime_error("the tensor is read-only and cannot be written");
  if (is_sparse()) throw unsupported("a sparse tensor cannot be filled");
  dispatch(dtype_, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(static_cast<T*>(data_), elements(), element<T>(value));
  });
}

std::string Tensor::text() const {
  return "NDArrayView(" + shape_.text(" x ") + ", " + device().text() + ")";
}

}  // namespace cantik
