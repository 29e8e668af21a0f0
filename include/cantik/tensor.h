// Tensor: a block of numbers, dense or with sparse rows. A handle: copies share the memory, clone() does not.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <cantik/api.h>
#include <cantik/device.h>
#include <cantik/dtype.h>
#include <cantik/shape.h>

namespace cantik {

// How numbers lie in memory: all of them; sparse rows (CSR); few rows, where the others are 0.
enum class Storage : uint8_t { dense = 0, csr = 1, row_sparse = 2 };
// Which gradients of parameters may be row_sparse: none; those of products with sparse operands; those of
// gathered rows, too.
enum class SparseGradients : uint8_t { none, products, all };

// A handle to numbers in row-major order: copies share the memory. Reading the numbers of a sparse tensor as
// dense ones is an error. One that was moved from is undefined.
class CANTIK_API Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, Shape shape);  // memory of its own, not initialised
  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;
  Tensor(Tensor&& other) noexcept { swap(other); }
  // Takes over the numbers of another tensor, which is undefined afterwards.
  Tensor& operator=(Tensor&& other) noexcept {
    Tensor(std::move(other)).swap(*this);
    return *this;
  }
  ~Tensor() = default;

  // `numbers`: as many as the shape has elements, here and wherever numbers come with a shape.
  static Tensor full(DType dtype, Shape shape, double value);
  // Zeros, in memory of its own.
  static Tensor zeros(DType dtype, Shape shape) { return full(dtype, std::move(shape), 0); }
  // One number, of the shape [].
  static Tensor scalar(double value, DType dtype = DType::float32) { return full(dtype, {}, value); }
  // The numbers in row-major order, copied. A count other than the shape's is a ValueError.
  template <class T>
  static Tensor of(Shape shape, std::span<const T> numbers);
  template <class T>
  static Tensor of(Shape shape, std::initializer_list<T> numbers) {
    return of<T>(std::move(shape), std::span<const T>(numbers.begin(), numbers.size()));
  }

  // Memory of somebody else's, kept alive by `owner`: as many numbers as the shape has elements.
  static Tensor borrow(DType dtype, Shape shape, void* data, std::shared_ptr<const void> owner,
                       bool read_only = false);
  // Sparse rows. shape: [rows, columns...]; starts: [rows + 1], which do not fall; columns: where in the
  // flattened row; values: none means ones.
  static Tensor csr(DType dtype, Shape shape, std::shared_ptr<const int64_t> starts,
                    std::shared_ptr<const int32_t> columns, std::shared_ptr<const void> values);
  // Few rows of a tensor that is 0 elsewhere: rows: [count], rising; values: [count, ...].
  static Tensor row_sparse(DType dtype, Shape shape, int64_t count, std::shared_ptr<const int32_t> rows,
                           std::shared_ptr<const void> values);
  // A one in each row: shape: [rows, classes...], columns: [rows].
  static Tensor one_hot(DType dtype, Shape shape, std::span<const int32_t> columns);
  // Tensors [rows, shape...] below one another, dense or CSR, in memory of its own; all of one element type.
  static Tensor join_rows(std::span<const Tensor> parts);
  // Sparse rows of a matrix from its entries, which are copied: entry i stands at places[i] of the flattened
  // matrix; no values mean ones.
  static Tensor csr_matrix(DType dtype, Shape shape, int64_t count, const int32_t* places,
                           const void* values);

  // Whether it is a tensor at all; a Tensor by itself is none.
  bool defined() const { return dtype_ != DType::unknown; }
  // The type of the elements.
  DType dtype() const { return dtype_; }
  // The dimensions.
  const Shape& shape() const { return shape_; }
  // How the numbers lie in memory.
  Storage storage() const { return storage_; }
  // Whether the numbers lie as sparse rows or as few rows.
  bool is_sparse() const { return storage_ != Storage::dense; }
  // Whether writing is an error.
  bool is_read_only() const { return read_only_; }
  bool is_slice() const { return slice_; }  // made by slice_view
  // Where the memory is.
  Device device() const { return {}; }
  // The number of elements, zeros of sparse tensors among them.
  int64_t elements() const { return shape_.elements(); }
  // The size of the elements in bytes, as if it were dense.
  size_t bytes() const { return static_cast<size_t>(elements()) * size_of(dtype_); }

  void* raw() const { return data_; }  // of a sparse tensor: the values, or null
  // What keeps the memory alive.
  const std::shared_ptr<const void>& owner() const { return owner_; }
  // The numbers behind raw(), null where that is null. Another element type than T is a TypeError.
  template <class T>
  T* data() const {
    check(dtype_of<T>);
    return static_cast<T*>(data_);
  }
  // The numbers behind raw(), with their count.
  template <class T>
  std::span<T> span() const {
    return {data<T>(), static_cast<size_t>(stored())};
  }
  double at(int64_t i) const;  // number i of raw(), converted; 1 of one-hot rows, which keep none

  // Of sparse rows: where each row begins among columns(): [rows + 1].
  const int64_t* starts() const { return starts_.get(); }
  const int32_t* columns() const { return columns_.get(); }  // of a tensor with few rows: which they are
  // Of a sparse tensor: how many numbers it names.
  int64_t nonzeros() const;
  // numbers behind raw(): elements, or those of a sparse tensor, which has none where all are ones
  int64_t stored() const;

  Tensor rows(int64_t begin, int64_t end) const;  // along the first axis; shares the memory
  // shares the memory; of sparse rows, where rows are joined or split, that of the values
  Tensor reshape(Shape shape) const;
  Tensor slice_view(const Shape& start, const Shape& extent) const;  // a contiguous part; shares the memory
  // The same memory, not to be written through this tensor.
  Tensor read_only() const {
    Tensor t = *this;
    t.read_only_ = true;
    return t;
  }
  // A copy in memory of its own.
  Tensor clone() const;
  // A copy with elements of another type.
  Tensor cast(DType dtype) const;
  // A dense copy; a dense tensor is itself.
  Tensor to_dense() const;
  void copy_from(const Tensor& source) const;  // converts between element types; shapes agree
  // Sets every element.
  void fill(double value) const;
  std::string text() const;  // NDArrayView([2 x 3], CPU)

 private:
  static Tensor over(DType dtype, Shape shape, std::shared_ptr<const void> numbers);
  void check(DType wanted) const;
  void swap(Tensor& other) noexcept {
    std::swap(dtype_, other.dtype_);
    std::swap(storage_, other.storage_);
    std::swap(read_only_, other.read_only_);
    std::swap(slice_, other.slice_);
    std::swap(shape_, other.shape_);
    std::swap(data_, other.data_);
    owner_.swap(other.owner_);
    starts_.swap(other.starts_);
    columns_.swap(other.columns_);
  }

  DType dtype_ = DType::unknown;
  Storage storage_ = Storage::dense;
  bool read_only_ = false, slice_ = false;
  Shape shape_;
  void* data_ = nullptr;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const int64_t> starts_;
  std::shared_ptr<const int32_t> columns_;
};

namespace detail {
// as many as the shape has elements, or an error
CANTIK_API void check_count(const Shape& shape, size_t numbers);
}  // namespace detail

// `count` numbers from one array to another one.
CANTIK_API void copy_numbers(DType from, const void* source, DType to, void* target, int64_t count);

template <class T>
Tensor Tensor::of(Shape shape, std::span<const T> numbers) {
  detail::check_count(shape, numbers.size());
  Tensor t(dtype_of<T>, std::move(shape));
  copy_numbers(dtype_of<T>, numbers.data(), dtype_of<T>, t.raw(), t.elements());
  return t;
}

}  // namespace cantik
