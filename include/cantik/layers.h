// Layers: functions of one placeholder with parameters of their own, which a call applies to an input.
//
//   Function model = layers::sequential({
//       layers::convolution2d({5, 5}, 32, {.activation = "relu", .pad = true}),
//       layers::max_pooling({3, 3}, {.strides = {2, 2}}),
//       layers::dense(10),
//   });
//   Function z = model(x);
//
// A layer applied twice shares its parameters. Shapes of parameters are inferred when a layer meets its
// input.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/source_location.h>

namespace cantik::layers {

// What is applied to a layer's result: nothing, an operator by its name, a Function of one argument, or code.
class CANTIK_API Activation {
 public:
  // Code that applies operators to a variable.
  using Code = std::function<Variable(const Variable&)>;
  Activation() = default;
  // An operator of one operand, by its name: "relu".
  Activation(const char* op) : Activation(std::string(op)) {}
  Activation(const std::string& op);
  // A function of one argument.
  Activation(const Function& f);
  // Code that applies operators to the result.
  Activation(Code code) : code_(std::move(code)) {}

  // Whether there is anything to apply.
  explicit operator bool() const { return code_ != nullptr; }
  // The operand with the activation applied; the operand itself where there is none.
  Variable operator()(const Variable& x) const { return code_ ? code_(x) : x; }

 private:
  Code code_;
};

// A shape, or the only number of one.
struct Extents : Shape {
  using Shape::Shape;
  // An extent is a shape, or the number of its only axis.
  Extents(const Shape& shape) : Shape(shape) {}
  template <std::integral N>
  Extents(N n) : Shape({static_cast<int64_t>(n)}) {}
};

// One number for each axis of a kernel, or one for all.
template <class T>
class PerAxis {
 public:
  // One number for all axes, or a list with one for each.
  PerAxis(T all) : values_{all} {}
  PerAxis(std::initializer_list<T> values) : values_(values.begin(), values.end()) {}
  PerAxis(const std::vector<T>& values) : values_(values.begin(), values.end()) {}
  // As many as there are axes; an error names `what`.
  std::vector<int64_t> over(int axes, const char* what) const;

 private:
  std::vector<int64_t> values_;
};
extern template class CANTIK_API PerAxis<int64_t>;
extern template class CANTIK_API PerAxis<bool>;

// Options of dense().
struct DenseOptions {
  Activation activation = {};
  Initializer init = glorot_uniform();
  // how many of the last axes of the input are summed over; all, if neither is given
  std::optional<int> input_rank = {};
  std::optional<int> map_rank = {};  // how many of its first axes stay
  bool bias = true;
  Initializer init_bias = 0.0;
  DType dtype = DType::float32;
  std::string name = {};
};

// Options of embedding().
struct EmbeddingOptions {
  Initializer init = glorot_uniform();
  std::optional<Tensor> weights = {};  // a table that is not learned
  int64_t vocabulary = 0;              // rows of the table, where x are numbers of rows; 0: x is one-hot
  DType dtype = DType::float32;
  std::string name = {};
};

// Options of convolutions and of convolution_transpose().
struct ConvolutionOptions {
  Activation activation = {};
  Initializer init = glorot_uniform();
  PerAxis<bool> pad = false;
  PerAxis<int64_t> strides = 1;
  bool bias = true;
  Initializer init_bias = 0.0;
  int reduction_rank = 1;  // 0: the input has no channel axis
  PerAxis<int64_t> dilation = 1;
  int64_t groups = 1;
  int64_t max_temp_mem_size_in_samples = 0;
  Shape output_shape = Shape::unknown();  // of the transposed one, without channels
  DType dtype = DType::float32;
  std::string op_name = {};
  std::string name = {};
};

// Options of poolings and of max_unpooling().
struct PoolingOptions {
  PerAxis<int64_t> strides = 1;
  PerAxis<bool> pad = false;
  std::string name = {};
};

// Options of batch_normalization().
struct BatchNormalizationOptions {
  std::optional<int> map_rank = {};  // 1: one mean and variance for each channel
  Initializer init_scale = 1.0;
  double normalization_time_constant = 5000;
  double blend_time_constant = 0;
  double epsilon = 1e-5;
  bool use_cntk_engine = false;
  bool disable_regularization = false;
  DType dtype = DType::float32;
  std::string name = {};
};

// Options of layer_normalization().
struct LayerNormalizationOptions {
  Initializer initial_scale = 1.0;
  Initializer initial_bias = 0.0;
  double epsilon = 1e-5;
  DType dtype = DType::float32;
  std::string name = {};
};

#define CANTIK_HERE SourceLocation where = SourceLocation::current()

// y = activation(x · W + b); W : [input..., shape...], b : [shape...].
CANTIK_API Function dense(const Extents& shape, const DenseOptions& options = {}, CANTIK_HERE);
// y = x · E: a dense row for each one-hot or weighted sparse one, or, with a vocabulary, for each integer.
// E : [input, shape...], or [vocabulary, shape...].
CANTIK_API Function embedding(const Extents& shape, const EmbeddingOptions& options = {}, CANTIK_HERE);
// y = activation(W * x + b) over the last axes; W : [filters..., channels, kernel...], b :
// [filters..., 1...]. Without filters the result has no channel axis.
CANTIK_API Function convolution(const Shape& kernel, const std::optional<Extents>& filters,
                                const ConvolutionOptions& options = {}, CANTIK_HERE);
// The convolution with a kernel of one axis. x : [channels, width].
CANTIK_API Function convolution1d(const Shape& kernel, const std::optional<Extents>& filters,
                                  const ConvolutionOptions& options = {}, CANTIK_HERE);
// The convolution with a kernel of two axes. x : [channels, height, width].
CANTIK_API Function convolution2d(const Shape& kernel, const std::optional<Extents>& filters,
                                  const ConvolutionOptions& options = {}, CANTIK_HERE);
// The convolution with a kernel of three axes. x : [channels, depth, height, width].
CANTIK_API Function convolution3d(const Shape& kernel, const std::optional<Extents>& filters,
                                  const ConvolutionOptions& options = {}, CANTIK_HERE);
// The transpose of a convolution. W : [channels, filters..., kernel...].
CANTIK_API Function convolution_transpose(const Shape& kernel, const Extents& filters,
                                          const ConvolutionOptions& options = {}, CANTIK_HERE);
// The largest element of each window over the last axes; channels stay apart.
CANTIK_API Function max_pooling(const Shape& window, const PoolingOptions& options = {}, CANTIK_HERE);
// The mean of each window over the last axes; positions in the padding do not count.
CANTIK_API Function average_pooling(const Shape& window, const PoolingOptions& options = {}, CANTIK_HERE);
// The largest element of each channel. [channels, ...] gives [channels, 1...].
CANTIK_API Function global_max_pooling(const std::string& name = {}, CANTIK_HERE);
// The mean of each channel. [channels, ...] gives [channels, 1...].
CANTIK_API Function global_average_pooling(const std::string& name = {}, CANTIK_HERE);
// A function of the pooled values and of the operand of their max_pooling: each value goes back to the place
// of its window's maximum, 0 stands elsewhere.
CANTIK_API Function max_unpooling(const Shape& window, const PoolingOptions& options = {}, CANTIK_HERE);
// In training each element is 0 with this probability, the others are scaled so that the mean stays.
CANTIK_API Function dropout(double rate, uint64_t seed = kAutoSeed, const std::string& name = {},
                            CANTIK_HERE);
// The activation as a layer.
CANTIK_API Function activation(const Activation& f, const std::string& name = {}, CANTIK_HERE);
// y = (x - mean) / sqrt(variance + epsilon) · scale + bias, over the batch in training, by running statistics
// otherwise.
CANTIK_API Function batch_normalization(const BatchNormalizationOptions& options = {}, CANTIK_HERE);
// The same over the elements of each sample.
CANTIK_API Function layer_normalization(const LayerNormalizationOptions& options = {}, CANTIK_HERE);
// y = x · softplus(alpha · steepness) / steepness, with a learned alpha that begins where the factor is 1.
CANTIK_API Function stabilizer(double steepness = 4, DType dtype = DType::float32,
                               const std::string& name = {}, CANTIK_HERE);
// y = x, under a name to find it by.
CANTIK_API Function label(const std::string& name, CANTIK_HERE);
// y = f(x) + x.
CANTIK_API Function resnet_block(const Activation& f, const std::string& name = {}, CANTIK_HERE);
// One after the other.
CANTIK_API Function sequential(const std::vector<Activation>& layers, const std::string& name = {},
                               CANTIK_HERE);

#undef CANTIK_HERE

}  // namespace cantik::layers
