// How a parameter gets its first values. The random ones draw CNTK's numbers.
#pragma once

#include <cstdint>
#include <limits>

#include <cantik/api.h>
#include <cantik/tensor.h>

namespace cantik {

// A seed that is drawn when the parameter is made.
inline constexpr uint64_t kAutoSeed = std::numeric_limits<uint64_t>::max() - 2;
// A rank that the layer chooses.
inline constexpr int kInferRank = std::numeric_limits<int>::max();
// The usual factor of a random initializer.
inline constexpr double kDefaultScale = 1.0;

// First values: one number, given values, or random numbers. The spread of the families with fans follows
// from the shape: fan_in is how many inputs an output of the layer sees, fan_out how many outputs see an
// input. Of the axes from last to first, filter_rank are the kernel, output_rank the outputs, the rest
// inputs.
struct CANTIK_API Initializer {
  // Where the numbers come from.
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
  // One number everywhere.
  Initializer(double constant) : scale(constant) {}
  // The values of a tensor, which has the parameter's shape.
  Initializer(Tensor values) : kind(Kind::values), tensor(std::move(values)) {}
  // An initializer of a random kind; the functions below make them.
  Initializer(Kind of_kind, double of_scale, int rank_of_output = kInferRank, int rank_of_filter = kInferRank,
              uint64_t of_seed = kAutoSeed)
      : kind(of_kind),
        scale(of_scale),
        output_rank(rank_of_output),
        filter_rank(rank_of_filter),
        seed(of_seed) {
    check();
  }

  // Whether it draws random numbers.
  bool draws() const { return kind >= Kind::uniform && kind <= Kind::he_normal; }
  // A tensor of a static shape. An automatic seed is drawn now; code that calls this later than the
  // parameter is made draws the seed by next_seed() when the parameter is made.
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
// Uniform in [-r, r], r = scale sqrt(3 / fan_in).
CANTIK_INITIALIZER(xavier)
// Uniform in [-r, r], r = scale sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).
CANTIK_INITIALIZER(glorot_uniform)
// Normal with the deviation scale sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010).
CANTIK_INITIALIZER(glorot_normal)
// Uniform in [-r, r], r = scale sqrt(6 / fan_in) (He et al. 2015).
CANTIK_INITIALIZER(he_uniform)
// Normal with the deviation scale sqrt(2 / fan_in) (He et al. 2015).
CANTIK_INITIALIZER(he_normal)
#undef CANTIK_INITIALIZER
// Uniform in [-scale, scale]; the shape does not count.
inline Initializer uniform(double scale, uint64_t seed = kAutoSeed) {
  return {Initializer::Kind::uniform, scale, kInferRank, kInferRank, seed};
}
// Normal with the mean 0 and the deviation scale.
inline Initializer normal(double scale, int output_rank = kInferRank, int filter_rank = kInferRank,
                          uint64_t seed = kAutoSeed) {
  return {Initializer::Kind::normal, scale, output_rank, filter_rank, seed};
}
// As normal(); numbers beyond two deviations are drawn again.
inline Initializer truncated_normal(double scale, int output_rank = kInferRank, int filter_rank = kInferRank,
                                    uint64_t seed = kAutoSeed) {
  return {Initializer::Kind::truncated_normal, scale, output_rank, filter_rank, seed};
}
// The kernel of a transposed convolution that enlarges images by bilinear interpolation.
inline Initializer bilinear(int64_t kernel_width, int64_t kernel_height) {
  Initializer result;
  result.kind = Initializer::Kind::bilinear;
  result.kernel_width = kernel_width;
  result.kernel_height = kernel_height;
  result.check();
  return result;
}

// ---- seeds of the whole process, as CNTK keeps them: a counter, or one fixed number for every request.
// The seed of the next request.
CANTIK_API uint64_t next_seed();
// dropout, random operators: another one on each worker
CANTIK_API uint64_t next_worker_seed(uint64_t workers, uint64_t rank);
// From now on every request gets this seed.
CANTIK_API void set_fixed_random_seed(uint64_t seed);
// The counter begins anew with this number.
CANTIK_API void reset_random_seed(uint64_t counter);
CANTIK_API uint64_t random_seed();  // the counter, or the fixed seed
// Whether set_fixed_random_seed is in force.
CANTIK_API bool is_random_seed_fixed();

}  // namespace cantik
