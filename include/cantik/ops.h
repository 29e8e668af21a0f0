// Typed calls of the operators. Written by tools/generate from the operators' files: change those.
//
//   auto h = relu(times(x, w) + b);
//   auto y = convolution(w, x, {.strides = {2, 2}, .name = "c"});
#pragma once

#include <string>
#include <vector>

#include <cantik/axis.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/source_location.h>

namespace cantik {

// An axis as an argument: a number, or an Axis.
struct AxisArgument {
  int64_t code;
  AxisArgument(int64_t index) : code(index) {}
  AxisArgument(int index) : code(index) {}
  AxisArgument(const Axis& axis) : code(axis.code()) {}
};

namespace detail {
inline std::vector<int64_t> codes(const std::vector<AxisArgument>& axes) {
  std::vector<int64_t> list;
  for (const AxisArgument& a : axes) list.push_back(a.code);
  return list;
}
}  // namespace detail

// y = |x|, with the derivative 0 at 0
inline Function abs(const Variable& x, const std::string& name = {},
                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("abs", {x}, {}, name);
}

// y = arccos x, |x| <= 1
inline Function acos(const Variable& x, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("acos", {x}, {}, name);
}

// The operand, under another name.
inline Function alias(const Variable& x, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("alias", {x}, {}, name);
}

// The place of the largest number along an axis, the first of several, as a number of the element type. The
// axis stays, with the size 1.
inline Function argmax(const Variable& x, AxisArgument axis = 2147483646, const std::string& name = {},
                       SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("argmax", {x}, {{"axis", axis.code}}, name);
}

// The place of the smallest number along an axis, the first of several, as a number of the element type. The
// axis stays, with the size 1.
inline Function argmin(const Variable& x, AxisArgument axis = 2147483646, const std::string& name = {},
                       SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("argmin", {x}, {{"axis", axis.code}}, name);
}

// y = arcsin x, |x| <= 1
inline Function asin(const Variable& x, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("asin", {x}, {}, name);
}

// y = arsinh x
inline Function asinh(const Variable& x, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("asinh", {x}, {}, name);
}

// The result is input; ref, a parameter or constant, has that value when the run is over. What reads ref in
// the same run sees the old value.
inline Function assign(const Variable& ref, const Variable& input, const std::string& name = {},
                       SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("assign", {ref, input}, {}, name);
}

// y = arctan x
inline Function atan(const Variable& x, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("atan", {x}, {}, name);
}

// y = artanh x, |x| < 1
inline Function atanh(const Variable& x, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("atanh", {x}, {}, name);
}

struct BatchNormalizationOptions {
  bool spatial = false;
  double normalization_time_constant = 5000;
  double blend_time_constant = 0;
  double epsilon = 1e-05;
  bool use_cudnn_engine = false;
  bool disable_regularization = false;
  Variable running_count = {};
  std::string name = {};
};
// scale * (x - mean) / sqrt(variance + epsilon) + bias. In training mean and variance are those of the batch,
// in evaluation the running ones, which follow the batches (running_inv_std is a variance). Without
// running_count the count starts at 0 with this function.
inline Function batch_normalization(const Variable& operand, const Variable& scale, const Variable& bias,
                                    const Variable& running_mean, const Variable& running_inv_std,
                                    const BatchNormalizationOptions& options = {},
                                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  std::vector<Variable> operands{operand, scale, bias, running_mean, running_inv_std};
  if (options.running_count) operands.push_back(options.running_count);
  return call("batch_normalization", operands,
              {{"spatial", options.spatial},
               {"normalization_time_constant", options.normalization_time_constant},
               {"blend_time_constant", options.blend_time_constant},
               {"epsilon", options.epsilon},
               {"use_cudnn_engine", options.use_cudnn_engine},
               {"disable_regularization", options.disable_regularization}},
              options.name);
}

struct BernoulliOptions {
  Shape shape = {};
  DType dtype = DType(1);
  double mean = 0.5;
  uint64_t seed = kAutoSeed;
  std::string name = {};
};
// Random numbers that are 1 with the probability mean, else 0, new ones in each run.
inline Function bernoulli(const BernoulliOptions& options = {},
                          SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("bernoulli", {},
              {{"shape", options.shape},
               {"dtype", options.dtype},
               {"mean", options.mean},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

// Random numbers that are 1 with the probability mean, else 0, in the shape of x, new ones in each run.
inline Function bernoulli_like(const Variable& x, double mean = 0.5, uint64_t seed = kAutoSeed,
                               const std::string& name = {},
                               SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("bernoulli_like", {x}, {{"mean", mean}, {"seed", static_cast<int64_t>(seed)}}, name);
}

struct BinaryConvolveOptions {
  int64_t bits = 1;
  int64_t map_bits = 1;
  std::string scale = "mean";
  std::string map_scale = "mean";
  Shape strides = {1};
  std::vector<int64_t> auto_padding = {1};
  Shape dilation = {1};
  int64_t groups = 1;
  Shape lower_pad = {};
  Shape upper_pad = {};
  std::string name = {};
};
// A convolution of sums of signs of both operands, on packed bits: multibit's of one to 32 levels, or, with
// the scale 'none', signs alone.
inline Function binary_convolve(const Variable& convolution_map, const Variable& operand,
                                const BinaryConvolveOptions& options = {},
                                SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("binary_convolve", {convolution_map, operand},
              {{"bits", options.bits},
               {"map_bits", options.map_bits},
               {"scale", options.scale},
               {"map_scale", options.map_scale},
               {"strides", options.strides},
               {"auto_padding", options.auto_padding},
               {"dilation", options.dilation},
               {"groups", options.groups},
               {"lower_pad", options.lower_pad},
               {"upper_pad", options.upper_pad}},
              options.name);
}

// -(target * log(output) + (1 - target) * log(1 - output)), element by element, with 1e-6 added under the
// logarithms. output: probabilities.
inline Function binary_cross_entropy(const Variable& output, const Variable& target,
                                     const std::string& name = {},
                                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("binary_cross_entropy", {output, target}, {}, name);
}

// The same numbers in another element type, rounded to it. The gradient is cast back.
inline Function cast(const Variable& node_input, DType dtype, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("cast", {node_input}, {{"dtype", dtype}}, name);
}

// The cube root, of negative numbers too. Its derivative at 0 is infinite.
inline Function cbrt(const Variable& x, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("cbrt", {x}, {}, name);
}

// The smallest whole number that is not below x.
inline Function ceil(const Variable& arg, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("ceil", {arg}, {}, name);
}

// 1 where the highest score is not that of the label, else 0, for each sample. With topN above 1 the number
// of samples whose label is not among the topN highest scores.
inline Function classification_error(const Variable& output_vector, const Variable& target_vector,
                                     AxisArgument axis = -1, int64_t topN = 1, const std::string& name = {},
                                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("classification_error", {output_vector, target_vector}, {{"axis", axis.code}, {"topN", topN}},
              name);
}

// min_value where x is smaller, max_value where it is larger, else x, element by element. The bounds have no
// gradient.
inline Function clip(const Variable& x, const Variable& min_value, const Variable& max_value,
                     const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("clip", {x, min_value, max_value}, {}, name);
}

struct ConvolutionOptions {
  Shape strides = {1};
  std::vector<int64_t> sharing = {1};
  std::vector<int64_t> auto_padding = {1};
  bool sequential = false;
  Shape dilation = {1};
  int64_t reduction_rank = 1;
  int64_t groups = 1;
  int64_t max_temp_mem_size_in_samples = 0;
  Shape lower_pad = {};
  Shape upper_pad = {};
  bool transpose = false;
  Shape output_shape = {};
  std::string name = {};
};
// Convolution of the operand's pixels with a map of filters.
inline Function convolution(const Variable& convolution_map, const Variable& operand,
                            const ConvolutionOptions& options = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("convolution", {convolution_map, operand},
              {{"strides", options.strides},
               {"sharing", options.sharing},
               {"auto_padding", options.auto_padding},
               {"sequential", options.sequential},
               {"dilation", options.dilation},
               {"reduction_rank", options.reduction_rank},
               {"groups", options.groups},
               {"max_temp_mem_size_in_samples", options.max_temp_mem_size_in_samples},
               {"lower_pad", options.lower_pad},
               {"upper_pad", options.upper_pad},
               {"transpose", options.transpose},
               {"output_shape", options.output_shape}},
              options.name);
}

// y = cos x
inline Function cos(const Variable& x, const std::string& name = {},
                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("cos", {x}, {}, name);
}

// y = cosh x
inline Function cosh(const Variable& x, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("cosh", {x}, {}, name);
}

// The cosine of the angle between x and y, seen as vectors: 1 where they point the same way. 0 where one of
// them is 0.
inline Function cosine_distance(const Variable& x, const Variable& y, const std::string& name = {},
                                SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("cosine_distance", {x, y}, {}, name);
}

// [num_negative_samples + 1] cosines: of each x with its own y, and with those of the samples shift, shift +
// 1, ... further on, round the batch. Of sequences the steps of all of them take turns; where a shorter one
// has ended the cosine is 0.
inline Function cosine_distance_with_negative_samples(const Variable& x, const Variable& y, int64_t shift,
                                                      int64_t num_negative_samples,
                                                      const std::string& name = {},
                                                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("cosine_distance_with_negative_samples", {x, y},
              {{"shift", shift}, {"num_negative_samples", num_negative_samples}}, name);
}

// The part of node_input, [channels, height, width], that lies over node_referent and has its height and
// width. The offsets follow from the convolutions, poolings, transposed convolutions and crops between each
// of them and what both come from. A RuntimeError says where they come from nothing in common, lie at
// different scales, or node_referent begins before node_input.
inline Function crop_automatic(const Variable& node_input, const Variable& node_referent,
                               const std::string& name = {},
                               SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("crop_automatic", {node_input, node_referent}, {}, name);
}

// As crop_automatic, where node_input and node_referent need come from nothing in common: ancestor_input,
// which node_input comes from, lies pixel over pixel over ancestor_referent, which node_referent comes from:
// an image, say, and its labels.
inline Function crop_automatic_with_ancestors(const Variable& node_input, const Variable& node_referent,
                                              const Variable& ancestor_input,
                                              const Variable& ancestor_referent, const std::string& name = {},
                                              SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("crop_automatic_with_ancestors", {node_input, node_referent, ancestor_input, ancestor_referent},
              {}, name);
}

// The part of node_input, [channels, height, width], that begins at (offset_y, offset_x) and has the height
// and width of node_referent.
inline Function crop_manual(const Variable& node_input, const Variable& node_referent, int64_t offset_x,
                            int64_t offset_y, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("crop_manual", {node_input, node_referent}, {{"offset_x", offset_x}, {"offset_y", offset_y}},
              name);
}

// log(sum_i exp z_i) - sum_i label_i z_i: the cross entropy of softmax(z) against the labels, which may be
// sparse. The result is [1].
inline Function cross_entropy_with_softmax(const Variable& output_vector, const Variable& target_vector,
                                           AxisArgument axis = -1, const std::string& name = {},
                                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("cross_entropy_with_softmax", {output_vector, target_vector}, {{"axis", axis.code}}, name);
}

// Connectionist temporal classification: minus the logarithm of the probability that x reads the labels. x:
// [steps, classes] before the softmax; labels: classes, [most labels]; steps and label_counts: how many of
// both each sample has. Infinite where the labels do not fit into the steps.
inline Function ctc_loss(const Variable& x, const Variable& labels, const Variable& steps,
                         const Variable& label_counts, int64_t blank = 0, const std::string& name = {},
                         SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("ctc_loss", {x, labels, steps, label_counts}, {{"blank", blank}}, name);
}

// Sums of the numbers up to each place along an axis, that place included; with reverse, from each place on.
inline Function cumsum(const Variable& x, AxisArgument axis = -1, bool reverse = false,
                       const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("cumsum", {x}, {{"axis", axis.code}, {"reverse", reverse}}, name);
}

struct CustomProxyOpOptions {
  std::string custom_op = "";
  Shape output_shape = {};
  DType output_data_type = DType(1);
  std::string name = {};
};
// Stands for an operator of another program, such as one on quantised parameters: a network with it can be
// built, saved and loaded, and cannot be evaluated.
inline Function custom_proxy_op(const std::vector<Variable>& operands,
                                const CustomProxyOpOptions& options = {},
                                SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("custom_proxy_op", operands,
              {{"custom_op", options.custom_op},
               {"output_shape", options.output_shape},
               {"output_data_type", options.output_data_type}},
              options.name);
}

// [b * b * c, height, width] becomes [c, b * height, b * width]: the channels with equal remainder c make a
// block of b x b pixels.
inline Function depth_to_space(const Variable& operand, int64_t block_size, const std::string& name = {},
                               SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("depth_to_space", {operand}, {{"block_size", block_size}}, name);
}

// The derivative of log_gamma.
inline Function digamma(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("digamma", {x}, {}, name);
}

// While training each number becomes 0 with the probability dropout_rate, else x / (1 - dropout_rate); in
// evaluation all stay as they are (Srivastava et al. 2014).
inline Function dropout(const Variable& x, double dropout_rate = 0, uint64_t seed = kAutoSeed,
                        const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("dropout", {x}, {{"dropout_rate", dropout_rate}, {"seed", static_cast<int64_t>(seed)}}, name);
}

struct EditDistanceErrorOptions {
  double subPen = 1;
  double delPen = 1;
  double insPen = 1;
  bool squashInputs = false;
  std::vector<int64_t> tokensToIgnore = {};
  std::string name = {};
};
// How far the sequences of input_a are from those of input_b: edits for each token of input_b, times the
// number of steps, so that its mean over the steps is the error rate. The token of a step is the place of its
// largest number.
inline Function edit_distance_error(const Variable& input_a, const Variable& input_b,
                                    const EditDistanceErrorOptions& options = {},
                                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("edit_distance_error", {input_a, input_b},
              {{"subPen", options.subPen},
               {"delPen", options.delPen},
               {"insPen", options.insPen},
               {"squashInputs", options.squashInputs},
               {"tokensToIgnore", options.tokensToIgnore}},
              options.name);
}

// 1 where both are above 0, else 0; the operands broadcast.
inline Function element_and(const Variable& x, const Variable& y, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("element_and", {x, y}, {}, name);
}

// Element by element; the operands broadcast. A quotient by 0 is 0.
inline Function element_divide(const Variable& left, const Variable& right, const std::string& name = {},
                               SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("element_divide", {left, right}, {}, name);
}

// The larger one, element by element; the operands broadcast.
inline Function element_max(const Variable& left, const Variable& right, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("element_max", {left, right}, {}, name);
}

// The smaller one, element by element; the operands broadcast.
inline Function element_min(const Variable& left, const Variable& right, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("element_min", {left, right}, {}, name);
}

// 1 where x is not above 0, else 0.
inline Function element_not(const Variable& x, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("element_not", {x}, {}, name);
}

// 1 where one of the two is above 0, else 0; the operands broadcast.
inline Function element_or(const Variable& x, const Variable& y, const std::string& name = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("element_or", {x, y}, {}, name);
}

// value_if_true where flag is not 0, value_if_false elsewhere; the operands broadcast. The flag has no
// gradient.
inline Function element_select(const Variable& flag, const Variable& value_if_true,
                               const Variable& value_if_false, const std::string& name = {},
                               SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("element_select", {flag, value_if_true, value_if_false}, {}, name);
}

// Element by element; the operands broadcast.
inline Function element_times(const Variable& left, const Variable& right, const std::string& name = {},
                              SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("element_times", {left, right}, {}, name);
}

// 1 where one of the two, but not both, is above 0, else 0; the operands broadcast.
inline Function element_xor(const Variable& x, const Variable& y, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("element_xor", {x, y}, {}, name);
}

// x where x >= 0, alpha * (e^x - 1) below (Clevert et al. 2016).
inline Function elu(const Variable& x, double alpha = 1, const std::string& name = {},
                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("elu", {x}, {{"alpha", alpha}}, name);
}

// 1 where left equals right, else 0; the operands broadcast. The gradient is 0.
inline Function equal(const Variable& left, const Variable& right, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("equal", {left, right}, {}, name);
}

// The error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
inline Function erf(const Variable& x, const std::string& name = {},
                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("erf", {x}, {}, name);
}

// The inverse of the error function: y with erf(y) = x. Infinite at -1 and 1, NaN beyond.
inline Function erfinv(const Variable& x, const std::string& name = {},
                       SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("erfinv", {x}, {}, name);
}

// y = e^x
inline Function exp(const Variable& x, const std::string& name = {},
                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("exp", {x}, {}, name);
}

// The same numbers with one more axis of size 1, behind the axis given: [2, 3] becomes [2, 1, 3] with axis 0,
// [2, 3, 1] with axis -1.
inline Function expand_dims(const Variable& x, AxisArgument axis, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("expand_dims", {x}, {{"axis", axis.code}}, name);
}

// e^x - 1, without loss of digits near 0.
inline Function expm1(const Variable& x, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("expm1", {x}, {}, name);
}

// The unit matrix in the shape of x, which has two axes: two static ones, or the batch and one static axis.
inline Function eye_like(const Variable& x, bool sparse_output = true, const std::string& name = {},
                         SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("eye_like", {x}, {{"sparse_output", sparse_output}}, name);
}

// A matrix of the same numbers: its rows are the axes before `axis`, its columns the others. [2, 3, 4]
// becomes [2, 12] with axis 1.
inline Function flatten(const Variable& x, int64_t axis = 2147483638, const std::string& name = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("flatten", {x}, {{"axis", axis}}, name);
}

// y = the largest whole number that is not above x
inline Function floor(const Variable& arg, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("floor", {arg}, {}, name);
}

// 1 - (1 + beta^2) p r / (beta^2 p + r), with the precision p = sum(output target) / sum(output) and the
// recall r = sum(output target) / sum(target). The sums are over each channel of [channels, height, width],
// over the whole sample of any other shape.
inline Function fmeasure(const Variable& output, const Variable& target, double beta = 1,
                         const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("fmeasure", {output, target}, {{"beta", beta}}, name);
}

// Connectionist temporal classification: minus the logarithm of the probability that features, numbers before
// the softmax of each step, read the labels of graph, summed over all sequences. graph is made by
// labels_to_graph. Infinite where the labels do not fit into the steps.
inline Function forward_backward(const Variable& graph, const Variable& features, int64_t blankTokenId,
                                 int64_t delayConstraint = -1, const std::string& name = {},
                                 SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("forward_backward", {graph, features},
              {{"blankTokenId", blankTokenId}, {"delayConstraint", delayConstraint}}, name);
}

// The gamma function: (x - 1)! for whole x.
inline Function gamma(const Variable& x, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("gamma", {x}, {}, name);
}

// Rows of reference by number: [5, 4] and indices [2] give [2, 4]. With an axis other than the first, that
// axis and the first change places before and behind. Indices are whole numbers, in the element type of the
// reference; one outside of the table is an error.
inline Function gather(const Variable& reference, const Variable& indices, AxisArgument axis = 2147483638,
                       const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("gather", {reference, indices}, {{"axis", axis.code}}, name);
}

// 1 where left is above right, else 0; the operands broadcast. The gradient is 0.
inline Function greater(const Variable& left, const Variable& right, const std::string& name = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("greater", {left, right}, {}, name);
}

// 1 where left is not below right, else 0; the operands broadcast. The gradient is 0.
inline Function greater_equal(const Variable& left, const Variable& right, const std::string& name = {},
                              SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("greater_equal", {left, right}, {}, name);
}

struct GumbelOptions {
  Shape shape = {};
  DType dtype = DType(1);
  double loc = 0;
  double scale = 1;
  uint64_t seed = kAutoSeed;
  std::string name = {};
};
// Random numbers of a Gumbel distribution, loc - scale log(-log u), new ones in each run.
inline Function gumbel(const GumbelOptions& options = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("gumbel", {},
              {{"shape", options.shape},
               {"dtype", options.dtype},
               {"loc", options.loc},
               {"scale", options.scale},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

struct GumbelLikeOptions {
  double loc = 0;
  double scale = 1;
  uint64_t seed = kAutoSeed;
  std::string name = {};
};
// Random numbers of a Gumbel distribution, loc - scale log(-log u), in the shape of x, new ones in each run.
inline Function gumbel_like(const Variable& x, const GumbelLikeOptions& options = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("gumbel_like", {x},
              {{"loc", options.loc}, {"scale", options.scale}, {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

// max(0, min(1, alpha * x + beta))
inline Function hard_sigmoid(const Variable& x, double alpha, double beta, const std::string& name = {},
                             SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("hard_sigmoid", {x}, {{"alpha", alpha}, {"beta", beta}}, name);
}

// 1 at the largest number of a sample, the first of several, else 0. The gradient is 0.
inline Function hardmax(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("hardmax", {x}, {}, name);
}

// scalar * x + biases[channel], for images [channels, height, width].
inline Function image_scaler(const Variable& x, double scalar, const std::vector<double>& biases,
                             const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("image_scaler", {x}, {{"scalar", scalar}, {"biases", biases}}, name);
}

// Labels as the graph that forward_backward reads: the same numbers. labels has a class for each step: 2 at
// the place of the class in the step where a label begins, 1 in those where it goes on, 0 at all other
// places.
inline Function labels_to_graph(const Variable& labels, const std::string& name = {},
                                SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("labels_to_graph", {labels}, {}, name);
}

// 100 * (1 - NDCG), averaged over the lists, times the number of samples. Samples of equal group one behind
// the other are a list, whose gains fall (Burges 2010).
inline Function lambda_rank(const Variable& output, const Variable& gain, const Variable& group,
                            const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("lambda_rank", {output, gain, group}, {}, name);
}

// x where x >= 0, alpha * x below.
inline Function leaky_relu(const Variable& x, double alpha = 0.01, const std::string& name = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("leaky_relu", {x}, {{"alpha", alpha}}, name);
}

// 1 where left is below right, else 0; the operands broadcast. The gradient is 0.
inline Function less(const Variable& left, const Variable& right, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("less", {left, right}, {}, name);
}

// 1 where left is not above right, else 0; the operands broadcast. The gradient is 0.
inline Function less_equal(const Variable& left, const Variable& right, const std::string& name = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("less_equal", {left, right}, {}, name);
}

struct LocalResponseNormalizationOptions {
  int64_t depth_radius = 0;
  double bias = 1;
  double alpha = 1;
  double beta = 1;
  std::string name = {};
};
// x / (bias + alpha mean(x^2))^beta; the mean is over the 2 depth_radius + 1 channels around each, with zeros
// beyond the first and the last, and at most as many as there are.
inline Function local_response_normalization(const Variable& operand,
                                             const LocalResponseNormalizationOptions& options = {},
                                             SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("local_response_normalization", {operand},
              {{"depth_radius", options.depth_radius},
               {"bias", options.bias},
               {"alpha", options.alpha},
               {"beta", options.beta}},
              options.name);
}

// Natural logarithm. Of numbers below 1e-37, negative ones too, it is -85.1.
inline Function log(const Variable& x, const std::string& name = {},
                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("log", {x}, {}, name);
}

// log(1 + x), without loss of digits near 0. Minus infinity at -1, NaN below.
inline Function log1p(const Variable& x, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("log1p", {x}, {}, name);
}

// log(e^left + e^right), element by element; the operands broadcast.
inline Function log_add_exp(const Variable& left, const Variable& right, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("log_add_exp", {left, right}, {}, name);
}

// The logarithm of the absolute value of the gamma function.
inline Function log_gamma(const Variable& x, const std::string& name = {},
                          SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("log_gamma", {x}, {}, name);
}

// x - log(sum of e^x) along a static axis, by default the last.
inline Function log_softmax(const Variable& x, AxisArgument axis = -1, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("log_softmax", {x}, {{"axis", axis.code}}, name);
}

// The mean of the operands, element by element; they broadcast.
inline Function mean(const std::vector<Variable>& operands, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("mean", operands, {}, name);
}

struct MeanVarianceNormalizationOptions {
  double epsilon = 1e-05;
  bool use_stats_across_channels = false;
  bool do_variance_scaling = true;
  std::string name = {};
};
// x - mean, over deviation + epsilon; mean and deviation are those of each channel of a sample, [channels,
// height, width], or of all of it.
inline Function mean_variance_normalization(const Variable& operand,
                                            const MeanVarianceNormalizationOptions& options = {},
                                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("mean_variance_normalization", {operand},
              {{"epsilon", options.epsilon},
               {"use_stats_across_channels", options.use_stats_across_channels},
               {"do_variance_scaling", options.do_variance_scaling}},
              options.name);
}

// Element by element; the operands broadcast.
inline Function minus(const Variable& left, const Variable& right, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("minus", {left, right}, {}, name);
}

// A sum of signs near x, for binary networks. The gradient is that of x where |x| <= bit_map, else 0
// (straight through).
inline Function multibit(const Variable& x, const Variable& bit_map, int64_t levels = 1,
                         bool per_filter = false, const std::string& name = {},
                         SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("multibit", {x, bit_map}, {{"levels", levels}, {"per_filter", per_filter}}, name);
}

struct NativeBinaryConvolveOptions {
  int64_t stride = 1;
  bool padding = false;
  int64_t size = 0;
  int64_t h = 0;
  int64_t w = 0;
  int64_t channels = 0;
  int64_t filters = 0;
  std::string name = {};
};
// CNTK's native function NativeBinaryConvolveFunction: binary_convolve of the signs alone. Of n products
// under the window's taps inside
inline Function native_binary_convolve(const Variable& convolution_map, const Variable& operand,
                                       const NativeBinaryConvolveOptions& options = {},
                                       SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("native_binary_convolve", {convolution_map, operand},
              {{"stride", options.stride},
               {"padding", options.padding},
               {"size", options.size},
               {"h", options.h},
               {"w", options.w},
               {"channels", options.channels},
               {"filters", options.filters}},
              options.name);
}

// The gain of the document with the highest score over that of the list's first one, in percent, averaged
// over the lists, times the number of samples.
inline Function ndcg_at_1(const Variable& output, const Variable& gain, const Variable& group,
                          const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("ndcg_at_1", {output, gain, group}, {}, name);
}

// y = -x
inline Function negate(const Variable& x, const std::string& name = {},
                       SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("negate", {x}, {}, name);
}

struct NormalOptions {
  Shape shape = {};
  DType dtype = DType(1);
  double mean = 0;
  double scale = 1;
  uint64_t seed = kAutoSeed;
  std::string name = {};
};
// Random numbers of a normal distribution, new ones in each run.
inline Function normal(const NormalOptions& options = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("normal", {},
              {{"shape", options.shape},
               {"dtype", options.dtype},
               {"mean", options.mean},
               {"scale", options.scale},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

struct NormalLikeOptions {
  double mean = 0;
  double scale = 1;
  uint64_t seed = kAutoSeed;
  std::string name = {};
};
// Random numbers of a normal distribution, in the shape of x, new ones in each run.
inline Function normal_like(const Variable& x, const NormalLikeOptions& options = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call(
      "normal_like", {x},
      {{"mean", options.mean}, {"scale", options.scale}, {"seed", static_cast<int64_t>(options.seed)}},
      options.name);
}

// 1 where left differs from right, else 0; the operands broadcast. The gradient is 0.
inline Function not_equal(const Variable& left, const Variable& right, const std::string& name = {},
                          SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("not_equal", {left, right}, {}, name);
}

struct OneHotOptions {
  int64_t num_classes = 1;
  bool sparse_output = false;
  AxisArgument axis = -1;
  std::string name = {};
};
// Each number of x becomes a vector of num_classes numbers: 1 at its place, else 0; zeros where it is no
// class. The vectors lie along `axis` of the result.
inline Function one_hot(const Variable& x, const OneHotOptions& options = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("one_hot", {x},
              {{"num_classes", options.num_classes},
               {"sparse_output", options.sparse_output},
               {"axis", options.axis.code}},
              options.name);
}

// Ones in the shape of x.
inline Function ones_like(const Variable& x, const std::string& name = {},
                          SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("ones_like", {x}, {}, name);
}

struct PadOptions {
  std::vector<int64_t> pattern = {};
  int64_t mode = 0;
  double constant_value = 0;
  std::string name = {};
};
// x with a border: pattern is a pair (before, behind) for each static axis. The border is constant_value
// (mode 0), x mirrored without its edge (1) or with it (2).
inline Function pad(const Variable& x, const PadOptions& options = {},
                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call(
      "pad", {x},
      {{"pattern", options.pattern}, {"mode", options.mode}, {"constant_value", options.constant_value}},
      options.name);
}

// x where x >= 0, alpha * x below; alpha, a parameter as a rule, broadcasts (He et al. 2015).
inline Function param_relu(const Variable& alpha, const Variable& x, const std::string& name = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("param_relu", {alpha, x}, {}, name);
}

// (x - mean) * inv_stddev, element by element; the operands broadcast.
inline Function per_dim_mean_variance_normalize(const Variable& operand, const Variable& mean,
                                                const Variable& inv_stddev, const std::string& name = {},
                                                SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("per_dim_mean_variance_normalize", {operand, mean, inv_stddev}, {}, name);
}

// Element by element; the operands broadcast.
inline Function plus(const Variable& left, const Variable& right, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("plus", {left, right}, {}, name);
}

struct PoolingOptions {
  int64_t pooling_type = 0;
  Shape pooling_window_shape = {};
  Shape strides = {1};
  std::vector<int64_t> auto_padding = {0};
  bool ceil_out_dim = false;
  bool include_pad = false;
  Shape lower_pad = {};
  Shape upper_pad = {};
  std::string name = {};
};
// The largest or the mean element of each window over the last axes of the operand.
inline Function pooling(const Variable& operand, const PoolingOptions& options = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("pooling", {operand},
              {{"pooling_type", options.pooling_type},
               {"pooling_window_shape", options.pooling_window_shape},
               {"strides", options.strides},
               {"auto_padding", options.auto_padding},
               {"ceil_out_dim", options.ceil_out_dim},
               {"include_pad", options.include_pad},
               {"lower_pad", options.lower_pad},
               {"upper_pad", options.upper_pad}},
              options.name);
}

// Element by element; the operands broadcast. 0^0 is 1, 0 to any other power 0; a negative base to a broken
// power is NaN.
inline Function pow(const Variable& base, const Variable& exponent, const std::string& name = {},
                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("pow", {base, exponent}, {}, name);
}

struct RandomSampleOptions {
  int64_t num_samples = 1;
  bool allow_duplicates = true;
  uint64_t seed = kAutoSeed;
  std::string name = {};
};
// [num_samples, classes], sparse: in each row a 1 at a class drawn in proportion to the weights, new ones in
// each run.
inline Function random_sample(const Variable& weights, const RandomSampleOptions& options = {},
                              SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("random_sample", {weights},
              {{"num_samples", options.num_samples},
               {"allow_duplicates", options.allow_duplicates},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

struct RandomSampleInclusionFrequencyOptions {
  int64_t num_samples = 1;
  bool allow_duplicates = true;
  uint64_t seed = kAutoSeed;
  std::string name = {};
};
// How often each class is to be expected among num_samples drawn by random_sample, in the shape of the
// weights.
inline Function random_sample_inclusion_frequency(const Variable& weights,
                                                  const RandomSampleInclusionFrequencyOptions& options = {},
                                                  SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("random_sample_inclusion_frequency", {weights},
              {{"num_samples", options.num_samples},
               {"allow_duplicates", options.allow_duplicates},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

// 1 / x; 0 of 0.
inline Function reciprocal(const Variable& x, const std::string& name = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reciprocal", {x}, {}, name);
}

// x with the dynamic axes of dynamic_axes_as: as it is where they are the same; once for each sample or step
// where x has fewer; step for step where both are sequences of the same lengths, or x of one step each.
inline Function reconcile_dynamic_axes(const Variable& x, const Variable& dynamic_axes_as,
                                       const std::string& name = {},
                                       SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reconcile_dynamic_axes", {x, dynamic_axes_as}, {}, name);
}

// The sum of |x| over some axes.
inline Function reduce_l1(const Variable& x, const std::vector<AxisArgument>& axis = {2147483646},
                          bool keepdims = true, const std::string& name = {},
                          SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reduce_l1", {x}, {{"axis", detail::codes(axis)}, {"keepdims", keepdims}}, name);
}

// sqrt(sum of x^2) over some axes.
inline Function reduce_l2(const Variable& x, const std::vector<AxisArgument>& axis = {2147483646},
                          bool keepdims = true, const std::string& name = {},
                          SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reduce_l2", {x}, {{"axis", detail::codes(axis)}, {"keepdims", keepdims}}, name);
}

// Log(sum of e^x) over some axes: static ones, the batch, or all. Without an axis, over all static ones.
inline Function reduce_log_sum_exp(const Variable& x, const std::vector<AxisArgument>& axis = {2147483646},
                                   bool keepdims = true, const std::string& name = {},
                                   SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reduce_log_sum_exp", {x}, {{"axis", detail::codes(axis)}, {"keepdims", keepdims}}, name);
}

// The largest number over some axes: static ones, the batch, or all. Without an axis, over all static ones.
inline Function reduce_max(const Variable& x, const std::vector<AxisArgument>& axis = {2147483646},
                           bool keepdims = true, const std::string& name = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reduce_max", {x}, {{"axis", detail::codes(axis)}, {"keepdims", keepdims}}, name);
}

// The mean over some axes: static ones, the batch, or all. Without an axis, over all static ones.
inline Function reduce_mean(const Variable& x, const std::vector<AxisArgument>& axis = {2147483646},
                            bool keepdims = true, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reduce_mean", {x}, {{"axis", detail::codes(axis)}, {"keepdims", keepdims}}, name);
}

// The smallest number over some axes: static ones, the batch, or all. Without an axis, over all static ones.
inline Function reduce_min(const Variable& x, const std::vector<AxisArgument>& axis = {2147483646},
                           bool keepdims = true, const std::string& name = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reduce_min", {x}, {{"axis", detail::codes(axis)}, {"keepdims", keepdims}}, name);
}

// The product over some axes: static ones, the batch, or all. Without an axis, over all static ones.
inline Function reduce_prod(const Variable& x, const std::vector<AxisArgument>& axis = {2147483646},
                            bool keepdims = true, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reduce_prod", {x}, {{"axis", detail::codes(axis)}, {"keepdims", keepdims}}, name);
}

// The sum over some axes: static ones, the batch, or all. Without an axis, over all static ones.
inline Function reduce_sum(const Variable& x, const std::vector<AxisArgument>& axis = {2147483646},
                           bool keepdims = true, const std::string& name = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reduce_sum", {x}, {{"axis", detail::codes(axis)}, {"keepdims", keepdims}}, name);
}

// The sum of x^2 over some axes.
inline Function reduce_sum_square(const Variable& x, const std::vector<AxisArgument>& axis = {2147483646},
                                  bool keepdims = true, const std::string& name = {},
                                  SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reduce_sum_square", {x}, {{"axis", detail::codes(axis)}, {"keepdims", keepdims}}, name);
}

// y = max(0, x), with the derivative 0 at 0. What is no number stays so: max takes its second operand where
// none is the larger one.
inline Function relu(const Variable& x, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("relu", {x}, {}, name);
}

// What is left of x, taken y off as often as it is in it: x - y floor(x / y), without loss of digits, with
// the sign of y. 0 where y is 0. The operands have one shape.
inline Function remainder(const Variable& x, const Variable& y, const std::string& name = {},
                          SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("remainder", {x, y}, {}, name);
}

struct ReshapeOptions {
  Shape shape = {};
  int64_t begin_axis = 2147483638;
  int64_t end_axis = 2147483638;
  std::string name = {};
};
// The same numbers, in the same order, under another shape: shape takes the place of the axes from begin_axis
// to before end_axis. One dimension may be -1, to be inferred.
inline Function reshape(const Variable& x, const ReshapeOptions& options = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("reshape", {x},
              {{"shape", options.shape}, {"begin_axis", options.begin_axis}, {"end_axis", options.end_axis}},
              options.name);
}

struct RoipoolingOptions {
  int64_t pooling_type = 0;
  Shape roi_output_shape = {};
  double spatial_scale = 1;
  std::string name = {};
};
// [regions, channels, height, width]: the largest number in each cell of a grid over each region of the
// operand, [channels, height, width]. rois: [regions, 4], left, top, right and bottom of each region, both
// ends included.
inline Function roipooling(const Variable& operand, const Variable& rois,
                           const RoipoolingOptions& options = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("roipooling", {operand, rois},
              {{"pooling_type", options.pooling_type},
               {"roi_output_shape", options.roi_output_shape},
               {"spatial_scale", options.spatial_scale}},
              options.name);
}

// floor(x + 1/2): the nearest whole number, halves go up.
inline Function round(const Variable& arg, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("round", {arg}, {}, name);
}

// scale * x where x >= 0, scale * alpha * (e^x - 1) below (Klambauer et al. 2017).
inline Function selu(const Variable& x, double scale = 1.0507009873554805, double alpha = 1.6732632423543772,
                     const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("selu", {x}, {{"scale", scale}, {"alpha", alpha}}, name);
}

// y = 1 / (1 + e^-x)
inline Function sigmoid(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sigmoid", {x}, {}, name);
}

// y = sin x
inline Function sin(const Variable& x, const std::string& name = {},
                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sin", {x}, {}, name);
}

// y = sinh x
inline Function sinh(const Variable& x, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sinh", {x}, {}, name);
}

struct SliceOptions {
  std::vector<AxisArgument> axis = {};
  std::vector<int64_t> begin_index = {};
  std::vector<int64_t> end_index = {};
  std::vector<int64_t> strides = {};
  std::string name = {};
};
// The positions begin_index to before end_index along an axis, or along several. Negative indices count from
// the end; the end 0 is the end of the axis. A negative stride goes backwards from the last position of the
// range.
inline Function slice(const Variable& x, const SliceOptions& options = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("slice", {x},
              {{"axis", detail::codes(options.axis)},
               {"begin_index", options.begin_index},
               {"end_index", options.end_index},
               {"strides", options.strides}},
              options.name);
}

// (s x)^2 / 2 where |x| < 1 / s^2, else |x| - 1 / (2 s^2): squared near 0, absolute elsewhere.
inline Function smooth_l1(const Variable& x, double scalar = 1, const std::string& name = {},
                          SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("smooth_l1", {x}, {{"scalar", scalar}}, name);
}

// e^x / sum of e^x: along a static axis, or, without one, over all numbers of a sample.
inline Function softmax(const Variable& x, AxisArgument axis = 2147483638, const std::string& name = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("softmax", {x}, {{"axis", axis.code}}, name);
}

// log(1 + e^(steepness * x)) / steepness
inline Function softplus(const Variable& x, double steepness = 1, const std::string& name = {},
                         SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("softplus", {x}, {{"steepness", steepness}}, name);
}

// x / (1 + |x|). As in CNTK, steepness changes nothing.
inline Function softsign(const Variable& x, double steepness = 1, const std::string& name = {},
                         SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("softsign", {x}, {{"steepness", steepness}}, name);
}

// [c, b * height, b * width] becomes [b * b * c, height, width]: the pixels of a block of b x b become
// channels.
inline Function space_to_depth(const Variable& operand, int64_t block_size, const std::string& name = {},
                               SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("space_to_depth", {operand}, {{"block_size", block_size}}, name);
}

// The operands one behind the other along `axis`, by default the last; [2, 3] and [2, 4] become [2, 7]. Their
// other axes broadcast.
inline Function splice(const std::vector<Variable>& inputs, AxisArgument axis = -1,
                       const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("splice", inputs, {{"axis", axis.code}}, name);
}

// Square root; 0 of negative numbers.
inline Function sqrt(const Variable& x, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sqrt", {x}, {}, name);
}

// x * x
inline Function square(const Variable& x, const std::string& name = {},
                       SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("square", {x}, {}, name);
}

// The sum of (output - target)^2 over all numbers of a sample; the operands broadcast.
inline Function squared_error(const Variable& output, const Variable& target, const std::string& name = {},
                              SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("squared_error", {output, target}, {}, name);
}

// The same numbers without axes of size 1: those given, or all of them.
inline Function squeeze(const Variable& x, const std::vector<AxisArgument>& axes = {},
                        const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("squeeze", {x}, {{"axes", detail::codes(axes)}}, name);
}

// The operand as it is; what stands below it gets no gradient from here.
inline Function stop_gradient(const Variable& input, const std::string& name = {},
                              SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("stop_gradient", {input}, {}, name);
}

// 1 where x > 0, else -1. The gradient is that of x where |x| <= 1, else 0 (Courbariaux et al. 2016).
inline Function straight_through_impl(const Variable& x, const std::string& name = {},
                                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("straight_through_impl", {x}, {}, name);
}

// The sum of the operands, element by element; they broadcast.
inline Function sum(const std::vector<Variable>& operands, const std::string& name = {},
                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sum", operands, {}, name);
}

// Two axes change places.
inline Function swapaxes(const Variable& x, AxisArgument axis1 = 0, AxisArgument axis2 = 1,
                         const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("swapaxes", {x}, {{"axis1", axis1.code}, {"axis2", axis2.code}}, name);
}

// y = tan x
inline Function tan(const Variable& x, const std::string& name = {},
                    SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("tan", {x}, {}, name);
}

// y = tanh x
inline Function tanh(const Variable& x, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("tanh", {x}, {}, name);
}

// Matrix product over the last axes of left and the first of right; right keeps output_rank axes.
inline Function times(const Variable& left, const Variable& right, int64_t output_rank = 1,
                      int64_t infer_input_rank_to_map = -1, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("times", {left, right},
              {{"output_rank", output_rank}, {"infer_input_rank_to_map", infer_input_rank_to_map}}, name);
}

// Product with the transpose of right: [m..., n] and [k, n] give [m..., k]. Two vectors [n] give their inner
// product, [1].
inline Function times_transpose(const Variable& left, const Variable& right, const std::string& name = {},
                                SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("times_transpose", {left, right}, {}, name);
}

// The first static axis becomes the batch: [4, 2] becomes four samples [2].
inline Function to_batch(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("to_batch", {x}, {}, name);
}

// The first static axis of each sample becomes the steps of a sequence, on an axis of its own. Where lengths
// are given, one number for each sample, only so many steps are taken.
inline Function to_sequence(const Variable& x, const Variable& sequence_lengths = {},
                            const std::string& sequence_axis_name_prefix = "toSequence_",
                            const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  std::vector<Variable> operands{x};
  if (sequence_lengths) operands.push_back(sequence_lengths);
  return call("to_sequence", operands, {{"sequence_axis_name_prefix", sequence_axis_name_prefix}}, name);
}

// The first static axis of each sample becomes the steps of a sequence, on the axis of dynamic_axes_like and
// of its lengths.
inline Function to_sequence_like(const Variable& x, const Variable& dynamic_axes_like,
                                 const std::string& name = {},
                                 SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("to_sequence_like", {x, dynamic_axes_like}, {}, name);
}

// Two results: the k largest numbers along an axis, in falling order, and their places; of equal numbers the
// first ones.
inline Function top_k(const Variable& x, int64_t k, AxisArgument axis = -1, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("top_k", {x}, {{"k", k}, {"axis", axis.code}}, name);
}

// The axes in another order: axis i of the result is axis perm[i] of x.
inline Function transpose(const Variable& x, const std::vector<int64_t>& perm, const std::string& name = {},
                          SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("transpose", {x}, {{"perm", perm}}, name);
}

struct UniformOptions {
  Shape shape = {};
  DType dtype = DType(1);
  double low = 0;
  double high = 1;
  uint64_t seed = kAutoSeed;
  std::string name = {};
};
// Random numbers between low and high, new ones in each run.
inline Function uniform(const UniformOptions& options = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("uniform", {},
              {{"shape", options.shape},
               {"dtype", options.dtype},
               {"low", options.low},
               {"high", options.high},
               {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

struct UniformLikeOptions {
  double low = 0;
  double high = 1;
  uint64_t seed = kAutoSeed;
  std::string name = {};
};
// Random numbers between low and high, in the shape of x, new ones in each run.
inline Function uniform_like(const Variable& x, const UniformLikeOptions& options = {},
                             SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("uniform_like", {x},
              {{"low", options.low}, {"high", options.high}, {"seed", static_cast<int64_t>(options.seed)}},
              options.name);
}

// The samples become a first static axis, of a size that is known in each run: [#][2, 3] becomes [*, 2, 3].
inline Function unpack_batch(const Variable& x, const std::string& name = {},
                             SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("unpack_batch", {x}, {}, name);
}

struct UnpoolingOptions {
  int64_t unpooling_type = 0;
  Shape unpooling_window_shape = {};
  Shape strides = {1};
  std::vector<int64_t> auto_padding = {0};
  Shape lower_pad = {};
  Shape upper_pad = {};
  std::string name = {};
};
// Spreads the operand over the places of the largest elements of pooling_input; windows as of the pooling.
// Where windows share a place, the last one counts, and each gets the gradient.
inline Function unpooling(const Variable& operand, const Variable& pooling_input,
                          const UnpoolingOptions& options = {},
                          SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("unpooling", {operand, pooling_input},
              {{"unpooling_type", options.unpooling_type},
               {"unpooling_window_shape", options.unpooling_window_shape},
               {"strides", options.strides},
               {"auto_padding", options.auto_padding},
               {"lower_pad", options.lower_pad},
               {"upper_pad", options.upper_pad}},
              options.name);
}

// -weight * log(output * target + (1 - output) * (1 - target)), summed over all numbers of all samples, over
// the mean weight: one number. output: probabilities. As in CNTK, the gradient is that of the sum, not
// divided by the mean weight; only output has one.
inline Function weighted_binary_cross_entropy(const Variable& output, const Variable& target,
                                              const Variable& weight, const std::string& name = {},
                                              SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("weighted_binary_cross_entropy", {output, target, weight}, {}, name);
}

// Zeros in the shape of x.
inline Function zeros_like(const Variable& x, const std::string& name = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("zeros_like", {x}, {}, name);
}

namespace sequence {

// The operand, one value for each sequence, at each step of broadcast_as_operand.
inline Function broadcast_as(const Variable& operand, const Variable& broadcast_as_operand,
                             const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_broadcast_as", {operand, broadcast_as_operand}, {}, name);
}

// The step time_step before each step, where it is negative behind it; 0 gives the operand itself.
inline Function delay(const Variable& x, const Variable& initial_state = {}, int64_t time_step = 1,
                      const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  std::vector<Variable> operands{x};
  if (initial_state) operands.push_back(initial_state);
  return call("sequence_delay", operands, {{"time_step", time_step}}, name);
}

// The first step of each sequence.
inline Function first(const Variable& seq, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_first", {seq}, {}, name);
}

// The step time_step behind each step. The last ones get the initial state: 0, a constant or parameter, a
// value for each sequence, or the first steps of another sequence.
inline Function future_value(const Variable& x, const Variable& initial_state = {}, int64_t time_step = 1,
                             const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  std::vector<Variable> operands{x};
  if (initial_state) operands.push_back(initial_state);
  return call("sequence_future_value", operands, {{"time_step", time_step}}, name);
}

// The steps at which the condition is not 0, as a sequence on an axis of its own; the same condition gives
// the same axis.
inline Function gather(const Variable& seq, const Variable& condition,
                       const std::vector<int64_t>& new_sequence_axis_typeinfo = {},
                       const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_gather", {seq, condition},
              {{"new_sequence_axis_typeinfo", new_sequence_axis_typeinfo}}, name);
}

// 1 at the first step of each sequence, 0 elsewhere.
inline Function is_first(const Variable& seq, const std::string& name = {},
                         SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_is_first", {seq}, {}, name);
}

// 1 at the last step of each sequence, 0 elsewhere.
inline Function is_last(const Variable& seq, const std::string& name = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_is_last", {seq}, {}, name);
}

// The last step of each sequence.
inline Function last(const Variable& seq, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_last", {seq}, {}, name);
}

// The step time_step before each step. The first ones get the initial state: 0, a constant or parameter, a
// value for each sequence, or the last steps of another sequence.
inline Function past_value(const Variable& x, const Variable& initial_state = {}, int64_t time_step = 1,
                           const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  std::vector<Variable> operands{x};
  if (initial_state) operands.push_back(initial_state);
  return call("sequence_past_value", operands, {{"time_step", time_step}}, name);
}

// The largest number over the steps of each sequence, element by element. That of no steps is -infinity.
inline Function reduce_max(const Variable& seq, const std::string& name = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_reduce_max", {seq}, {}, name);
}

// The sum over the steps of each sequence. That of no steps is 0.
inline Function reduce_sum(const Variable& seq, const std::string& name = {},
                           SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_reduce_sum", {seq}, {}, name);
}

// The steps of seq one after the other where the condition is not 0, zeros elsewhere.
inline Function scatter(const Variable& seq, const Variable& condition,
                        const std::vector<int64_t>& new_sequence_axis_typeinfo = {},
                        const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_scatter", {seq, condition},
              {{"new_sequence_axis_typeinfo", new_sequence_axis_typeinfo}}, name);
}

// The steps from begin_index to before end_index of each sequence. Negative numbers count from the end; the
// end 0 is the end of the sequence. A slice of one step is a batch, without a sequence axis.
inline Function slice(const Variable& seq, int64_t begin_index, int64_t end_index,
                      const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_slice", {seq}, {{"begin_index", begin_index}, {"end_index", end_index}}, name);
}

// e^x / sum of e^x over the steps of each sequence, element by element.
inline Function softmax(const Variable& seq, const std::string& name = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_softmax", {seq}, {}, name);
}

// The steps of each sequence as a first static axis, as long as the longest sequence, with padding_value
// behind shorter ones; and a mask, 1 where a step is.
inline Function unpack(const Variable& x, double padding_value, const std::string& name = {},
                       SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_unpack", {x}, {{"padding_value", padding_value}}, name);
}

// The places, from 0, of the steps at which the condition is 1, as a sequence on an axis of its own. Other
// numbers add up: a step is chosen as often as the running sum passes a whole number.
inline Function where(const Variable& condition, const std::string& name = {},
                      SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("sequence_where", {condition}, {}, name);
}

}  // namespace sequence

namespace linalg {

// The lower triangular L with x = L L^T for each symmetric positive definite matrix, of which the lower
// triangle is read.
inline Function cholesky(const Variable& x, const std::string& name = {},
                         SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("linalg_cholesky", {x}, {}, name);
}

// The determinant of each square matrix. Where it is 0 there is no gradient: the inverse is part of it.
inline Function determinant(const Variable& x, const std::string& name = {},
                            SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("linalg_determinant", {x}, {}, name);
}

// Two results for each symmetric matrix: eigenvectors, the rows of U, and eigenvalues e in rising order, with
// x = U^T diag(e) U.
inline Function eigh(const Variable& x, const std::string& name = {},
                     SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("linalg_eigh", {x}, {}, name);
}

// The inverse of each square matrix. A singular one is an error.
inline Function inverse(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("linalg_inverse", {x}, {}, name);
}

// Two results, L and Q, with x = L Q for each matrix [n, m], n <= m: L [n, n] is lower triangular, the rows
// of Q [n, m] are orthonormal.
inline Function lq(const Variable& x, const std::string& name = {},
                   SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("linalg_lq", {x}, {}, name);
}

// Products of matrices, pair by pair: [..., n, k] and [..., k, m] give [..., n, m]. The axes before the last
// two are the same in both.
inline Function matmul(const Variable& a, const Variable& b, bool transpose_a = false,
                       bool transpose_b = false, const std::string& name = {},
                       SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("linalg_matmul", {a, b}, {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}}, name);
}

// Two results: the sign of each square matrix's determinant, -1, 0 or 1, and the logarithm of its absolute
// value.
inline Function slogdet(const Variable& x, const std::string& name = {},
                        SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("linalg_slogdet", {x}, {}, name);
}

// The lower or upper triangle of each matrix; 0 elsewhere.
inline Function triangle(const Variable& x, bool lower = true, int64_t offset = 0,
                         const std::string& name = {}, SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("linalg_triangle", {x}, {{"lower", lower}, {"offset", offset}}, name);
}

struct LinalgTriangularSolveOptions {
  bool lower = true;
  bool transpose = false;
  bool right = false;
  std::string name = {};
};
// x with t x = b for each pair of a triangular matrix t, [..., n, n], and a matrix b, [..., n, m]; with
// right, x with x t = b, for b [..., m, n].
inline Function triangular_solve(const Variable& t, const Variable& b,
                                 const LinalgTriangularSolveOptions& options = {},
                                 SourceLocation where = SourceLocation::current()) {
  OriginScope scope(where);
  return call("linalg_triangular_solve", {t, b},
              {{"lower", options.lower}, {"transpose", options.transpose}, {"right", options.right}},
              options.name);
}

}  // namespace linalg

inline Function operator+(const Variable& a, const Variable& b) { return call("plus", {a, b}); }
inline Function operator-(const Variable& a, const Variable& b) { return call("minus", {a, b}); }
inline Function operator*(const Variable& a, const Variable& b) { return call("element_times", {a, b}); }
inline Function operator/(const Variable& a, const Variable& b) { return call("element_divide", {a, b}); }
inline Function operator-(const Variable& a) { return call("negate", {a}); }
// With a number on one side.
inline Function operator+(const Variable& a, double b) { return a + constant(Shape(), b); }
inline Function operator+(double a, const Variable& b) { return constant(Shape(), a) + b; }
inline Function operator-(const Variable& a, double b) { return a - constant(Shape(), b); }
inline Function operator-(double a, const Variable& b) { return constant(Shape(), a) - b; }
inline Function operator*(const Variable& a, double b) { return a * constant(Shape(), b); }
inline Function operator*(double a, const Variable& b) { return constant(Shape(), a) * b; }
inline Function operator/(const Variable& a, double b) { return a / constant(Shape(), b); }
inline Function operator/(double a, const Variable& b) { return constant(Shape(), a) / b; }

}  // namespace cantik
