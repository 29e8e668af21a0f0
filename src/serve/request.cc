#include "serve/request.h"

#include <string>
#include <vector>

#include "base/text.h"

namespace cantik::serve {

std::string_view AnswerTensor::bytes() const {
  if (data.defined()) return {static_cast<const char*>(data.raw()), data.bytes()};
  return {reinterpret_cast<const char*>(lengths.data()), lengths.size() * sizeof(int64_t)};
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return "[" + join(shape, ", ", [](int64_t d) { return std::to_string(d); }) + "]";
}

int64_t count_of(std::string_view name, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t d : shape) {
    if (d < 0)
      throw Refusal(kBadRequest, cat("the shape ", shape_text(shape), " of ", name, " has a negative axis"));
    if (__builtin_mul_overflow(count, d, &count))
      throw Refusal(kBadRequest, cat("the shape ", shape_text(shape), " of ", name, " is too large"));
  }
  return count;
}

void check_size(const RequestTensor& tensor) {
  const int64_t count = count_of(tensor.name, tensor.shape);
  const size_t size = size_of(tensor.datatype);
  size_t expected = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(count), size, &expected) || expected != tensor.bytes)
    throw Refusal(kBadRequest, cat("the input ", tensor.name, " of the shape ", shape_text(tensor.shape),
                                   " and the datatype ", name_of(tensor.datatype), " has ", count,
                                   " numbers of ", size, " bytes; ", tensor.bytes, " bytes came"));
}

}  // namespace cantik::serve
