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

// Options of random initializers.
struct InitializerOptions {
  // how many axes are the outputs, counted from the last one; kInferRank: the layer says it, else 1
  int output_rank = kInferRank;
  // how many axes in front of those are a kernel; kInferRank: the layer says it, else 0
  int filter_rank = kInferRank;
  // of the numbers
  uint64_t seed = kAutoSeed;
};

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
  // where the numbers come from
  Kind kind = Kind::constant;
  // the constant, or the factor of the range or deviation
  double scale = 0;
  // as InitializerOptions has them
  int output_rank = kInferRank, filter_rank = kInferRank;
  // of a bilinear kernel, in pixels
  int64_t kernel_width = 0, kernel_height = 0;
  // of random numbers
  uint64_t seed = kAutoSeed;
  // values that are given
  Tensor tensor;

  Initializer() = default;
  // One number everywhere.
  Initializer(double constant) : scale(constant) {}
  // The values of a tensor, which has the parameter's shape, as they are now.
  Initializer(Tensor values);
  // An initializer of a random kind; the functions below make them.
  Initializer(Kind of_kind, double of_scale, const InitializerOptions& options = {});

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

// Uniform in [-r, r], r = scale sqrt(3 / fan_in).
CANTIK_API Initializer xavier(double scale = kDefaultScale, const InitializerOptions& options = {});
// Uniform in [-r, r], r = scale sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).
CANTIK_API Initializer glorot_uniform(double scale = kDefaultScale, const InitializerOptions& options = {});
// Normal with the deviation scale sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010).
CANTIK_API Initializer glorot_normal(double scale = kDefaultScale, const InitializerOptions& options = {});
// Uniform in [-r, r], r = scale sqrt(6 / fan_in) (He et al. 2015).
CANTIK_API Initializer he_uniform(double scale = kDefaultScale, const InitializerOptions& options = {});
// Normal with the deviation scale sqrt(2 / fan_in) (He et al. 2015).
CANTIK_API Initializer he_normal(double scale = kDefaultScale, const InitializerOptions& options = {});
// Uniform in [-scale, scale]; the shape does not count.
CANTIK_API Initializer uniform(double scale, uint64_t seed = kAutoSeed);
// Normal with the mean 0 and the deviation scale.
CANTIK_API Initializer normal(double scale, const InitializerOptions& options = {});
// As normal(); numbers beyond two deviations are drawn again.
CANTIK_API Initializer truncated_normal(double scale, const InitializerOptions& options = {});
// The kernel of a transposed convolution that enlarges images by bilinear interpolation.
CANTIK_API Initializer bilinear(int64_t kernel_width, int64_t kernel_height);

}  // namespace cantik
