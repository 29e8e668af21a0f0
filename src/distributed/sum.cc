#include "distributed/sum.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cantik::distributed {
namespace {

constexpr int64_t kFewBytes = 8192;  // below, one round to everybody is quicker than two of stripes

// to[i] = parts[0][i] + parts[1][i] + ..., which lie `stride` numbers apart.
template <class T>
void add_parts(T* to, const char* parts, int64_t count, int64_t stride, int workers) {
  const T* from = reinterpret_cast<const T*>(parts);
  std::copy_n(from, count, to);
  for (int w = 1; w < workers; ++w) {
    const T* more = from + w * stride;
    for (int64_t i = 0; i < count; ++i) to[i] += more[i];
  }
}

void add_parts(char* to, const char* parts, int64_t count, int64_t stride, int workers, DType type) {
  if (type == DType::float64)
    add_parts(reinterpret_cast<double*>(to), parts, count, stride, workers);
  else
    add_parts(reinterpret_cast<float*>(to), parts, count, stride, workers);
}

}  // namespace

int OrderedSum::run(char* bucket, int64_t count, DType type, const Waiting& waiting) {
  const int workers = engine_.size();
  const auto rank = static_cast<size_t>(engine_.rank());
  const auto n = static_cast<size_t>(workers);
  const int64_t size = type == DType::float64 ? 8 : 4;
  std::vector<int64_t> own(n + 1), all(n + 1);
  if (count * size <= kFewBytes) {
    scratch_.resize(static_cast<size_t>(count * size) * n);
    for (size_t i = 0; i <= n; ++i) all[i] = static_cast<int64_t>(i) * count * size;
    std::memcpy(scratch_.data() + all[rank], bucket, static_cast<size_t>(count * size));
    if (int e = engine_.all_gather(scratch_.data(), all.data(), waiting)) return e;
    add_parts(bucket, scratch_.data(), count, count, workers, type);
    return kDone;
  }
  for (size_t i = 0; i <= n; ++i) own[i] = count * static_cast<int64_t>(i) / workers * size;
  const int64_t stripe = own[rank + 1] - own[rank];
  for (size_t i = 0; i <= n; ++i) all[i] = static_cast<int64_t>(i) * stripe;
  scratch_.resize(static_cast<size_t>(stripe) * n);
  if (int e = engine_.all_to_all(bucket, own.data(), scratch_.data(), all.data(), waiting)) return e;
  add_parts(bucket + own[rank], scratch_.data(), stripe / size, stripe / size, workers, type);
  return engine_.all_gather(bucket, own.data(), waiting);
}

}  // namespace cantik::distributed
