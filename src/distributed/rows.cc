#include "distributed/rows.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cantik::distributed {
namespace {

// The number of rows, which they are, their numbers.
std::string packed_rows(const Tensor& t, size_t row_bytes) {
  const size_t n = t.defined() ? static_cast<size_t>(t.stored()) / (row_bytes / size_of(t.dtype())) : 0;
  std::string s(n * (sizeof(int32_t) + row_bytes), '\0');
  if (n == 0) return s;
  std::memcpy(s.data(), t.columns(), n * sizeof(int32_t));
  std::memcpy(s.data() + n * sizeof(int32_t), t.raw(), n * row_bytes);
  return s;
}

template <class T>
void add_numbers(char* to, const char* from, size_t bytes) {
  T* x = reinterpret_cast<T*>(to);
  for (size_t i = 0; i < bytes / sizeof(T); ++i) {
    T y;
    std::memcpy(&y, from + i * sizeof(T), sizeof(T));
    x[i] += y;
  }
}

}  // namespace

Tensor sum_of_rows(Communicator& communicator, const Tensor& own, DType type, const Shape& shape) {
  const size_t row_bytes = static_cast<size_t>(shape.sub(1, shape.rank()).elements()) * size_of(type);
  const std::vector<std::string> all = communicator.gather(packed_rows(own, row_bytes), "rows of a gradient");
  std::map<int32_t, size_t> places;  // of rows in the sum
  auto each = [&](auto&& f) {
    for (const std::string& s : all) {
      const size_t n = s.size() / (sizeof(int32_t) + row_bytes);
      for (size_t i = 0; i < n; ++i) {
        int32_t row;
        std::memcpy(&row, s.data() + i * sizeof row, sizeof row);
        f(row, s.data() + n * sizeof(int32_t) + i * row_bytes);
      }
    }
  };
  each([&](int32_t row, const char*) { places[row]; });
  auto rows = std::make_shared<std::vector<int32_t>>();
  for (auto& [row, place] : places) {
    place = rows->size();
    rows->push_back(row);
  }
  auto numbers = std::make_shared<std::vector<double>>((rows->size() * row_bytes + 7) / 8);
  char* to = reinterpret_cast<char*>(numbers->data());
  std::vector<bool> begun(rows->size());
  each([&](int32_t row, const char* from) {
    const size_t place = places[row];
    char* at = to + place * row_bytes;
    if (!begun[place])
      std::memcpy(at, from, row_bytes);
    else if (type == DType::float64)
      add_numbers<double>(at, from, row_bytes);
    else
      add_numbers<float>(at, from, row_bytes);
    begun[place] = true;
  });
  return Tensor::row_sparse(type, shape, static_cast<int64_t>(rows->size()),
                            std::shared_ptr<const int32_t>(rows, rows->data()),
                            std::shared_ptr<const void>(numbers, numbers->data()));
}

}  // namespace cantik::distributed
