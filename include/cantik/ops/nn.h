// Parts of networks: convolutions, poolings, normalizations, softmax. Written by tools/generate from
// src/ops/nn/: change those files.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops/argument.h>
#include <cantik/source_location.h>

namespace cantik {

// Options of batch_normalization().
struct BatchNormalizationOptions {
  // one mean for each channel, the first axis; else one for each element
  bool spatial = false;
  // in samples; 0: the last batch's values; negative: the mean over all
  double normalization_time_constant = 5000;
  // has no effect on CPUs
  double blend_time_constant = 0;
  // added to the variance
  double epsilon = 1e-05;
  // no effect
  bool use_cudnn_engine = false;
  // learners leave scale and bias unregularised
  bool disable_regularization = false;
  // the operand of that name; none: it is left out
  Variable running_count = {};
  // of the function
  std::string name = {};
};

// scale * (x - mean) / sqrt(variance + epsilon) + bias. In training mean and variance are those of the batch,
// in evaluation the running ones, which follow the batches (running_inv_std is a variance). Without
// running_count the count starts at 0 with this function.
//
// y = scale (x - mean) / sqrt(variance + epsilon) + bias, for each channel or each element. In training mean
// and variance are those of the batch, and running ones follow them; in evaluation they are the running ones.
CANTIK_API Function batch_normalization(const Variable& operand, const Variable& scale, const Variable& bias,
                                        const Variable& running_mean, const Variable& running_inv_std,
                                        const BatchNormalizationOptions& options = {},
                                        SourceLocation where = SourceLocation::current());

// Options of convolution().
struct ConvolutionOptions {
  // steps of the window; one number serves all axes
  Shape strides = {1};
  // whether the map is the same everywhere along an axis
  std::vector<int64_t> sharing = {1};
  // whether the operand is padded with zeros along an axis
  std::vector<int64_t> auto_padding = {1};
  // whether the sequence axis takes part
  bool sequential = false;
  // steps between taps
  Shape dilation = {1};
  // 1: the first axis of the operand holds channels; 0: it has none
  int64_t reduction_rank = 1;
  // into which the channels are divided
  int64_t groups = 1;
  // has no meaning here
  int64_t max_temp_mem_size_in_samples = 0;
  // zeros before each axis without auto_padding
  Shape lower_pad = {};
  // zeros behind it
  Shape upper_pad = {};
  // the transposed convolution
  bool transpose = false;
  // of the transposed convolution's result
  Shape output_shape = {};
  // of the function
  std::string name = {};
};

// Convolution of the operand's pixels with a map of filters. convolution_map: [filters, channels / groups,
// taps...]; its channels may be left to be inferred. operand: [channels, pixels...] with one to three axes of
// pixels. The channels are summed over. auto_padding keeps the size (ceil(size / stride) pixels); the
// windows' centres are spread over the operand. It has an entry for each axis of the operand, channels first,
// or one for all; channels cannot be padded.
CANTIK_API Function convolution(const Variable& convolution_map, const Variable& operand,
                                const ConvolutionOptions& options = {},
                                SourceLocation where = SourceLocation::current());

// (x - mean) / sqrt(variance + epsilon); mean and variance are those of each group of channels of a sample,
// [channels, ...] (Wu and He 2018).
// groups: how many; as many channels each
// epsilon: added to the variance
CANTIK_API Function group_normalization(const Variable& operand, int64_t groups, double epsilon = 1e-05,
                                        const std::string& name = {},
                                        SourceLocation where = SourceLocation::current());

// 1 at the largest number of a sample, the first of several, else 0. Of a value without dynamic axes, each
// line along the last axis is a sample. The gradient is 0.
//
// y = 1 at the largest number of a sample, the first of several, else 0.
CANTIK_API Function hardmax(const Variable& x, const std::string& name = {},
                            SourceLocation where = SourceLocation::current());

// scalar * x + biases[channel], for images [channels, height, width].
//
// y = scalar x + biases[channel].
// scalar: factor of all numbers
// biases: for each channel what is added
CANTIK_API Function image_scaler(const Variable& x, double scalar, const std::vector<double>& biases,
                                 const std::string& name = {},
                                 SourceLocation where = SourceLocation::current());

// Options of local_response_normalization().
struct LocalResponseNormalizationOptions {
  // channels on each side
  int64_t depth_radius = 0;
  // added to the sum
  double bias = 1;
  // factor of the mean square
  double alpha = 1;
  // exponent
  double beta = 1;
  // of the function
  std::string name = {};
};

// x / (bias + alpha mean(x^2))^beta; the mean is over the 2 depth_radius + 1 channels around each, with zeros
// beyond the first and the last, and at most as many as there are.
//
// y = x / (bias + alpha / n * sum of x^2 over n neighbouring channels)^beta.
CANTIK_API Function local_response_normalization(const Variable& operand,
                                                 const LocalResponseNormalizationOptions& options = {},
                                                 SourceLocation where = SourceLocation::current());

// x - log(sum of e^x) along a static axis, by default the last, or over the samples of the batch.
//
// y = x - log(sum of e^x) along an axis.
// axis: a static axis, or the batch; without one, the last
CANTIK_API Function log_softmax(const Variable& x, AxisArgument axis = -1, const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// Options of mean_variance_normalization().
struct MeanVarianceNormalizationOptions {
  // added to the deviation
  double epsilon = 1e-05;
  // one mean for all channels
  bool use_stats_across_channels = false;
  // divide by the deviation
  bool do_variance_scaling = true;
  // of the function
  std::string name = {};
};

// x - mean, over deviation + epsilon; mean and deviation are those of each channel of a sample, [channels,
// height, width], or of all of it.
CANTIK_API Function mean_variance_normalization(const Variable& operand,
                                                const MeanVarianceNormalizationOptions& options = {},
                                                SourceLocation where = SourceLocation::current());

// (x - mean) * inv_stddev, element by element; the operands broadcast.
//
// y = (x - mean) * inv_stddev, element by element.
CANTIK_API Function per_dim_mean_variance_normalize(const Variable& operand, const Variable& mean,
                                                    const Variable& inv_stddev, const std::string& name = {},
                                                    SourceLocation where = SourceLocation::current());

// Options of pooling().
struct PoolingOptions {
  // 0: max, 1: average
  int64_t pooling_type = 0;
  // of the last axes
  Shape pooling_window_shape = {};
  // steps of the window; one number serves all axes
  Shape strides = {1};
  // whether the result has ceil(size / stride) along an axis
  std::vector<int64_t> auto_padding = {0};
  // whether sizes are rounded up
  bool ceil_out_dim = false;
  // whether padding counts in averages
  bool include_pad = false;
  // padding before each axis without auto_padding
  Shape lower_pad = {};
  // padding behind it
  Shape upper_pad = {};
  // of the function
  std::string name = {};
};

// The largest or the mean element of each window over the last axes of the operand.
CANTIK_API Function pooling(const Variable& operand, const PoolingOptions& options = {},
                            SourceLocation where = SourceLocation::current());

// Options of roipooling().
struct RoipoolingOptions {
  // 0: max
  int64_t pooling_type = 0;
  // height and width of the grid of cells
  Shape roi_output_shape = {};
  // from the regions' unit to pixels of the operand
  double spatial_scale = 1;
  // of the function
  std::string name = {};
};

// [regions, channels, height, width]: the largest number in each cell of a grid over each region of the
// operand, [channels, height, width]. rois: [regions, 4], left, top, right and bottom of each region, both
// ends included.
CANTIK_API Function roipooling(const Variable& operand, const Variable& rois,
                               const RoipoolingOptions& options = {},
                               SourceLocation where = SourceLocation::current());

// e^x / sum of e^x: along a static axis, or, without one, over all numbers of a sample. Of a value without
// dynamic axes, each line along the last axis is a sample.
//
// y = e^x / sum of e^x along an axis, or over the whole row.
// axis: the static axis along which the numbers add up to 1; without one, all of a sample
CANTIK_API Function softmax(const Variable& x, AxisArgument axis = AxisArgument::none(),
                            const std::string& name = {}, SourceLocation where = SourceLocation::current());

// Options of unpooling().
struct UnpoolingOptions {
  // 0: max
  int64_t unpooling_type = 0;
  // of the last axes
  Shape unpooling_window_shape = {};
  // steps of the window; one number serves all axes
  Shape strides = {1};
  // as of the pooling
  std::vector<int64_t> auto_padding = {0};
  // as of the pooling
  Shape lower_pad = {};
  // as of the pooling
  Shape upper_pad = {};
  // of the function
  std::string name = {};
};

// Spreads the operand over the places of the largest elements of pooling_input; windows as of the pooling.
// Where windows share a place, the last one counts, and each gets the gradient.
CANTIK_API Function unpooling(const Variable& operand, const Variable& pooling_input,
                              const UnpoolingOptions& options = {},
                              SourceLocation where = SourceLocation::current());

}  // namespace cantik
