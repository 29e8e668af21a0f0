#include "tensor/sparse_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/memory.h"
#include "base/text.h"

namespace cantik {
namespace {

int64_t width_of(const Shape& s) { return s.sub(1, s.rank()).elements(); }

void check_width(int64_t width) {
  if (width > std::numeric_limits<int32_t>::max())
    throw value_error("a sparse row can have 2147483647 elements, and this one has " + std::to_string(width));
}

Tensor join_dense(std::span<const Tensor> parts, Shape shape) {
  Tensor all(parts[0].dtype(), std::move(shape));
  char* at = static_cast<char*>(all.raw());
  for (const Tensor& t : parts) {
    if (t.bytes()) std::memcpy(at, t.raw(), t.bytes());
    at += t.bytes();
  }
  return all;
}

Tensor join_csr(std::span<const Tensor> parts, Shape shape) {
  int64_t count = 0;
  bool ones = true;
  for (const Tensor& t : parts) count += t.nonzeros(), ones &= t.raw() == nullptr;
  DType dtype = parts[0].dtype();
  auto starts = std::make_shared<std::vector<int64_t>>(1, 0);
  auto columns = std::make_shared<std::vector<int32_t>>();
  starts->reserve(static_cast<size_t>(shape[0]) + 1);
  columns->reserve(static_cast<size_t>(count));
  std::shared_ptr<void> values =
      ones ? nullptr : std::shared_ptr<void>(allocate(static_cast<size_t>(count) * size_of(dtype)));
  int64_t at = 0;
  for (const Tensor& t : parts) {
    int64_t first = t.starts()[0], n = t.nonzeros();
    for (int64_t r = 1; r <= t.shape()[0]; ++r) starts->push_back(at + t.starts()[r] - first);
    columns->insert(columns->end(), t.columns() + first, t.columns() + first + n);
    char* target =
        ones ? nullptr : static_cast<char*>(values.get()) + static_cast<size_t>(at) * size_of(dtype);
    if (t.raw())
      std::memcpy(target, static_cast<char*>(t.raw()) + static_cast<size_t>(first) * size_of(dtype),
                  static_cast<size_t>(n) * size_of(dtype));
    else if (!ones)
      Tensor::borrow(dtype, {n}, target, nullptr).fill(1);
    at += n;
  }
  return Tensor::csr(dtype, std::move(shape), {starts, starts->data()}, {columns, columns->data()}, values);
}

}  // namespace

Tensor Tensor::join_rows(std::span<const Tensor> parts) {
  if (parts.empty())
    throw value_error("there are no tensors to join, so that the shape of the result is unknown")
        .remedy("give at least one tensor");
  Shape shape = parts[0].shape();
  if (shape.empty()) throw value_error("a tensor without axes has no rows to join");
  int64_t rows = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Shape& s = parts[i].shape();
    if (s.empty() || !(s.sub(1, s.rank()) == shape.sub(1, shape.rank())))
      throw value_error("tensors with rows of different shapes cannot be joined: tensor 0 has the shape " +
                        shape.text() + ", tensor " + std::to_string(i) + " has " + s.text());
    if (parts[i].storage() != parts[0].storage())
      throw value_error("dense and sparse tensors cannot be joined: tensors 0 and " + std::to_string(i) +
                        " differ");
    if (parts[i].dtype() != parts[0].dtype())
      throw value_error(cat("tensors of different element types cannot be joined: tensor 0 has ",
                            name_of(parts[0].dtype()), ", tensor ", i, " has ", name_of(parts[i].dtype())))
          .remedy("cast() them to one type");
    rows += s[0];
  }
  if (parts[0].storage() == Storage::row_sparse) throw unsupported("row_sparse tensors cannot be joined");
  shape[0] = rows;
  return parts[0].is_sparse() ? join_csr(parts, std::move(shape)) : join_dense(parts, std::move(shape));
}

Tensor reshape_csr_rows(const Tensor& t, Shape shape) {
  if (shape.empty()) shape = Shape{1};
  const int64_t rows = t.shape()[0], width = width_of(t.shape()), new_width = width_of(shape),
                first = t.starts()[0], count = t.nonzeros();
  check_width(new_width);
  // The place of each entry in the whole, then its row and column under the new shape.
  struct Entry {
    int64_t place, from;
  };
  std::vector<Entry> entries(static_cast<size_t>(count));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = t.starts()[r]; i < t.starts()[r + 1]; ++i)
      entries[i - first] = {r * width + t.columns()[i], i};
  auto before = [](const Entry& a, const Entry& b) { return a.place < b.place; };
  const bool in_order = std::is_sorted(entries.begin(), entries.end(), before);
  if (!in_order) std::stable_sort(entries.begin(), entries.end(), before);
  auto starts = std::make_shared<std::vector<int64_t>>(static_cast<size_t>(shape[0]) + 1, 0);
  auto columns = std::make_shared<std::vector<int32_t>>(static_cast<size_t>(count));
  for (size_t i = 0; i < entries.size(); ++i) {
    ++(*starts)[static_cast<size_t>(entries[i].place / new_width) + 1];
    (*columns)[i] = static_cast<int32_t>(entries[i].place % new_width);
  }
  for (size_t r = 1; r < starts->size(); ++r) (*starts)[r] += (*starts)[r - 1];
  std::shared_ptr<const void> values;
  if (const char* raw = static_cast<const char*>(t.raw())) {
    const size_t size = size_of(t.dtype());
    if (in_order) {
      values = {t.owner(), raw + static_cast<size_t>(first) * size};
    } else {
      std::shared_ptr<void> moved = allocate(static_cast<size_t>(count) * size);
      for (size_t i = 0; i < entries.size(); ++i)
        std::memcpy(static_cast<char*>(moved.get()) + i * size,
                    raw + static_cast<size_t>(entries[i].from) * size, size);
      values = moved;
    }
  }
  return Tensor::csr(t.dtype(), std::move(shape), {starts, starts->data()}, {columns, columns->data()},
                     values);
}

}  // namespace cantik
