// How a parameter gets its first values. The random ones draw CNTK's numbers.
#pragma once

#include <cstdint>
#include <limits>

#include <cantik/api.h>
#include <cantik/tensor.h>

namespace cantik {

inline constexpr uint64_t kAutoSeed = std::numeric_limits<uint64_t>::max() - 2;
inline constexpr int kInferRank = std::numeric_limits<int>::max();
inline constexpr double kDefaultScale = 1.0;

struct CANTIK_API Initializer {
  enum class Kind : uint8_t {
    constant,
    uniform,
    normal,
    truncated_normal,
    xavier,
    glorot_uniform,
    glorot_normal,
    he_uniform,
    he_normal,
    bilinear,
    values
  };
  Kind kind = Kind::constant;
  double scale = 0;  // the constant, or the factor of the range or deviation
  int output_rank = kInferRank, filter_rank = kInferRank;
  int64_t kernel_width = 0, kernel_height = 0;  // bilinear
  uint64_t seed = kAutoSeed;
  Tensor tensor;  // values

  Initializer() = default;
  Initializer(double constant) : scale(constant) {}
  Initializer(Tensor values) : kind(Kind::values), tensor(std::move(values)) {}
  Initializer(Kind of_kind, double of_scale, int rank_of_output = kInferRank, int rank_of_filter = kInferRank,
              uint64_t of_seed = kAutoSeed)
      : kind(of_kind),
        scale(of_scale),
        output_rank(rank_of_output),
        filter_rank(rank_of_filter),
        seed(of_seed) {
    check();
  }

  bool draws() const { return kind >= Kind::uniform && kind <= Kind::he_normal; }
  // A tensor of a static shape. An automatic seed is drawn now; whoever defers this takes next_seed() when
  // the parameter is made.
  Tensor make(DType dtype, const Shape& shape) const;
  void check() const;                    // throws what can be said before the shape is known
  void check(const Shape& shape) const;  // and of values, whether they fit
  // For layers, which know what their axes mean: sets the ranks left open. One set to something else by the
  // user is an error.
  Initializer with_ranks(int output_rank, int filter_rank = kInferRank) const;
};

#define CANTIK_INITIALIZER(name)                                                      \
  inline Initializer name(double scale = kDefaultScale, int output_rank = kInferRank, \
                          int filter_rank = kInferRank, uint64_t seed = kAutoSeed) {  \
    return {Initializer::Kind::name, scale, output_rank, filter_rank, seed};          \
  }
CANTIK_INITIALIZER(xavier)
CANTIK_INITIALIZER(glorot_uniform)
CANTIK_INITIALIZER(glorot_normal)
CANTIK_INITIALIZER(he_uniform)
CANTIK_INITIALIZER(he_normal)
#undef CANTIK_INITIALIZER
inline Initializer uniform(double scale, uint64_t seed = kAutoSeed) {
  return {Initializer::Kind::uniform, scale, kInferRank, kInferRank, seed};
}
inline Initializer normal(double scale, int output_rank = kInferRank, int filter_rank = kInferRank,
                          uint64_t seed = kAutoSeed) {
  return {Initializer::Kind::normal, scale, output_rank, filter_rank, seed};
}
inline Initializer truncated_normal(double scale, int output_rank = kInferRank, int filter_rank = kInferRank,
                                    uint64_t seed = kAutoSeed) {
  return {Initializer::Kind::truncated_normal, scale, output_rank, filter_rank, seed};
}
inline Initializer bilinear(int64_t kernel_width, int64_t kernel_height) {
  Initializer result;
  result.kind = Initializer::Kind::bilinear;
  result.kernel_width = kernel_width;
  result.kernel_height = kernel_height;
  result.check();
  return result;
}

// ---- seeds of the whole process, as CNTK keeps them: a counter, or one fixed number for every request.
CANTIK_API uint64_t next_seed();
// dropout, random operators: another one on each worker
CANTIK_API uint64_t next_worker_seed(uint64_t workers, uint64_t rank);
CANTIK_API void set_fixed_random_seed(uint64_t seed);
CANTIK_API void reset_random_seed(uint64_t counter);
CANTIK_API uint64_t random_seed();  // the counter, or the fixed seed
CANTIK_API bool is_random_seed_fixed();

}  // namespace cantik
