// First values of parameters, number for number CNTK's.
#include "tensor/random_vector.h"

#include <cantik/initializer.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include <cantik/error.h>
#include <cantik/seed.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "tensor/random.h"

namespace cantik {
namespace {

using Kind = Initializer::Kind;

constexpr int kDefaultOutputRank = 1, kDefaultFilterRank = 0;

std::string_view cntk_name(Kind kind) {  // as CNTK's texts and model files have them
  switch (kind) {
    case Kind::constant: return "constant";
    case Kind::uniform: return "uniform1";
    case Kind::normal: return "normal";
    case Kind::truncated_normal: return "TruncNormal";
    case Kind::xavier: return "xavier";
    case Kind::glorot_uniform: return "glorotUniform";
    case Kind::glorot_normal: return "glorotNormal";
    case Kind::he_uniform: return "heUniform";
    case Kind::he_normal: return "heNormal";
    case Kind::bilinear: return "bilinear";
    case Kind::values: return "values";
  }
  return "";
}

// The plain families do not look at the fans.
bool uses_ranks(Kind kind) { return kind != Kind::uniform && kind != Kind::truncated_normal; }

void check_ranks(Kind kind, const Shape& shape, int output_rank, int filter_rank) {
  int rank = shape.rank(), sum = output_rank + filter_rank;
  if (filter_rank < 0)
    throw value_error(
        cat("the filter rank of the parameter initializer must not be negative, and is ", filter_rank));
  // A negative sum is refused as well: CNTK counts ranks without a sign.
  if (uses_ranks(kind) && (sum < 0 || sum > rank))
    throw value_error(cat("Sum of filter rank (", filter_rank, ") and output rank (", output_rank,
                          ") of the parameter initializer cannot exceed the Parameter shape '",
                          shape.text(" x "), "' rank (", rank, ")"));
  if (std::abs(output_rank) + filter_rank > rank)
    throw value_error(cat("InitRandom: initFilterRank=", filter_rank, " and initOutputRank=", output_rank,
                          " exceeds sampleLayout rank ", rank));
}

// How many inputs an output sees, and how many outputs see an input.
struct Fans {
  double in, out;
};

// With d the dimensions from last to first: the first filter_rank are the kernel; of the others, the first
// output_rank are outputs and the rest inputs, or for a negative output_rank the last ones outputs and those
// before inputs.
Fans fans_of(const Shape& shape, int output_rank, int filter_rank) {
  Shape d = shape.reversed();
  int begin = output_rank >= 0 ? filter_rank + output_rank : filter_rank;
  int end = output_rank >= 0 ? d.rank() : d.rank() + output_rank;
  int64_t filter = d.sub(0, filter_rank).elements();
  int64_t in = filter * (begin < end ? d.sub(begin, end).elements() : 1);
  return {static_cast<double>(in), static_cast<double>(d.elements() * filter / in)};
}

// Half the range of the uniform kinds, the deviation of the normal ones, before the scale.
double spread(Kind kind, Fans fan) {
  switch (kind) {
    case Kind::xavier: return std::sqrt(3 / fan.in);
    case Kind::glorot_uniform: return std::sqrt(6 / (fan.in + fan.out));
    case Kind::glorot_normal: return std::sqrt(2 / (fan.in + fan.out));
    case Kind::he_uniform: return std::sqrt(6 / fan.in);
    case Kind::he_normal: return std::sqrt(2 / fan.in);
    default: return 1;
  }
}

template <class T>
void draw(const Initializer& from, const Tensor& to) {
  int output_rank = from.output_rank == kInferRank ? kDefaultOutputRank : from.output_rank;
  int filter_rank = from.filter_rank == kInferRank ? kDefaultFilterRank : from.filter_rank;
  check_ranks(from.kind, to.shape(), output_rank, filter_rank);
  // Each factor is rounded to an element, then the product.
  double range = round_to<T>(round_to<T>(spread(from.kind, fans_of(to.shape(), output_rank, filter_rank))) *
                             round_to<T>(from.scale));
  RandomStream stream(from.seed == kAutoSeed ? next_seed() : from.seed);
  constexpr size_t kPart = 1 << 20;  // even: a normal distribution makes pairs
  for (std::span<T> left = to.span<T>(); !left.empty();) {
    const std::span<T> part = left.first(std::min(left.size(), kPart));
    left = left.subspan(part.size());
    switch (from.kind) {
      case Kind::normal:
      case Kind::glorot_normal:
      case Kind::he_normal: stream.normal(part, 0, range); break;
      case Kind::truncated_normal: stream.truncated_normal(part, 0, range); break;
      default: stream.uniform(part, -range, range);
    }
    may_end(static_cast<int64_t>(8 * part.size()));
  }
}

// Interpolation for transposed convolution: the kernels [height, width] from each channel to itself are
// tents, all others 0. shape: [channels, channels, height, width]; of axes in front of these only the first
// position gets kernels, as in CNTK.
template <class T>
void interpolate(const Initializer& from, const Tensor& to) {
  int64_t size = from.kernel_width;
  const Shape& shape = to.shape();
  if (size != from.kernel_height) throw runtime_error("Filter for bilinear interpolation must be square.");
  if (shape.rank() < 4)
    throw shape_error(
        cat("a bilinear filter has the axes output channel, input channel, height and width; the shape is ",
            shape.text()));
  Shape filter = shape.sub(shape.rank() - 4, shape.rank());
  if (filter[0] != filter[1])
    throw runtime_error(
        "Number of input and output channels of filter for bilinear interpolation must be equal.");
  if (filter[2] != size || filter[3] != size)
    throw shape_error(cat("a bilinear kernel of ", size, " x ", size, " does not fit into a filter of shape ",
                          shape.text()));
  // In float for all element types, like CNTK.
  float factor = static_cast<float>((size + 1) / 2), center = size % 2 ? factor - 1 : factor - 0.5f;
  auto tent = [&](int64_t i) { return 1 - std::abs(static_cast<float>(i) - center) / factor; };
  to.fill(0);
  T* out = to.data<T>();
  for (int64_t channel = 0; channel < filter[0]; ++channel) {
    T* kernel = out + channel * (filter[1] + 1) * size * size;
    for (int64_t y = 0; y < size; ++y)
      for (int64_t x = 0; x < size; ++x) kernel[y * size + x] = element_of<T>(tent(x) * tent(y));
  }
}

template <class F>
void with_real(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float32: return f(float{});
    case DType::float64: return f(double{});
    case DType::float16: return f(Half{});
    default:
      throw type_error(cat("a parameter of ", name_of(dtype),
                           " cannot be initialized with random numbers, which have fractions"));
  }
}

}  // namespace

// Numbers that nobody else can change stay where they are: those of a file, and of a tensor that is handed
// over.
Initializer::Initializer(Tensor values)
    : kind(Kind::values),
      tensor(!values.defined() || values.is_read_only() || values.owner().use_count() == 1 ? std::move(values)
                                                                                           : values.clone()) {
}

Initializer::Initializer(Kind of_kind, double of_scale, const InitializerOptions& options)
    : kind(of_kind),
      scale(of_scale),
      output_rank(options.output_rank),
      filter_rank(options.filter_rank),
      seed(options.seed) {
  check();
}

Initializer xavier(double scale, const InitializerOptions& options) {
  return {Initializer::Kind::xavier, scale, options};
}
Initializer glorot_uniform(double scale, const InitializerOptions& options) {
  return {Initializer::Kind::glorot_uniform, scale, options};
}
Initializer glorot_normal(double scale, const InitializerOptions& options) {
  return {Initializer::Kind::glorot_normal, scale, options};
}
Initializer he_uniform(double scale, const InitializerOptions& options) {
  return {Initializer::Kind::he_uniform, scale, options};
}
Initializer he_normal(double scale, const InitializerOptions& options) {
  return {Initializer::Kind::he_normal, scale, options};
}
Initializer uniform(double scale, uint64_t seed) {
  return {Initializer::Kind::uniform, scale, {.seed = seed}};
}
Initializer normal(double scale, const InitializerOptions& options) {
  return {Initializer::Kind::normal, scale, options};
}
Initializer truncated_normal(double scale, const InitializerOptions& options) {
  return {Initializer::Kind::truncated_normal, scale, options};
}
Initializer bilinear(int64_t kernel_width, int64_t kernel_height) {
  Initializer result;
  result.kind = Initializer::Kind::bilinear;
  result.kernel_width = kernel_width;
  result.kernel_height = kernel_height;
  result.check();
  return result;
}

void Initializer::check() const {
  if (draws() && !(scale > 0))
    throw value_error(
        cat("CreateInitializer: scale value for initializer '", cntk_name(kind), "' cannot be 0."))
        .remedy("give a number above 0");
  if (kind == Kind::bilinear && (kernel_width < 1 || kernel_height < 1))
    throw value_error(cat("kernel_height and kernel_width must be at least 1, and are ", kernel_height,
                          " and ", kernel_width));
}

Initializer Initializer::with_ranks(int wanted_output_rank, int wanted_filter_rank) const {
  Initializer result = *this;
  if (!draws() || !uses_ranks(kind)) return result;
  auto set = [](const char* which, int& rank, int wanted) {
    if (wanted == kInferRank) return;
    if (rank != kInferRank && rank != wanted)
      throw value_error(cat(which,
                            " rank of a non-uniform random initializer cannot be overridden if it has been "
                            "already specified!"));
    rank = wanted;
  };
  set("Output", result.output_rank, wanted_output_rank);
  set("Filter", result.filter_rank, wanted_filter_rank);
  return result;
}

namespace {

bool same_but_for_leading_ones(const Shape& a, const Shape& b) {
  int extra = a.rank() - b.rank();
  if (extra < 0) return same_but_for_leading_ones(b, a);
  for (int i = 0; i < a.rank(); ++i)
    if (a[i] != (i < extra ? 1 : b[i - extra])) return false;
  return true;
}

}  // namespace

void Initializer::check(const Shape& shape) const {
  check();
  if (kind != Kind::values) return;
  if (!tensor.defined()) throw value_error("the initializer has no tensor to take values from");
  if (shape.is_static() && !same_but_for_leading_ones(shape, tensor.shape()))
    throw shape_error(cat("the initial values have the shape ", tensor.shape().text(),
                          ", but the parameter has the shape ", shape.text()));
}

Tensor Initializer::make(DType dtype, const Shape& shape) const {
  check(shape);
  if (kind == Kind::values) {
    Tensor dense = tensor.to_dense();
    if (shape.is_known()) dense = dense.reshape(shape);
    return dense.dtype() == dtype ? dense.clone() : dense.cast(dtype);
  }
  Tensor result(dtype, shape);
  if (result.elements() == 0) return result;
  if (kind == Kind::constant) {
    result.fill(scale);
  } else {
    with_real(dtype, [&](auto zero) {
      if (kind == Kind::bilinear)
        interpolate<decltype(zero)>(*this, result);
      else
        draw<decltype(zero)>(*this, result);
    });
  }
  return result;
}

}  // namespace cantik
