// Normalizations. Written by tools/generate from src/layers/normalization/: change those files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/layers/argument.h>
#include <cantik/layers/step.h>
#include <cantik/source_location.h>

namespace cantik::layers {

// Options of batch_normalization().
struct BatchNormalizationOptions {
  // 1: one mean and variance for each channel; otherwise one for each element
  std::optional<int64_t> map_rank = {};
  // first values of the scale
  Initializer init_scale = 1.0;
  // how many samples the running statistics remember
  double normalization_time_constant = 5000;
  // how many samples' worth the running statistics count in training
  double blend_time_constant = 0;
  // added to the variance
  double epsilon = 1e-05;
  // written to files, of no effect here
  bool use_cntk_engine = false;
  // leaves scale and bias out of L1 and L2 regularisation
  bool disable_regularization = false;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// Each element, or each channel, with mean 0 and variance 1 over the batch, then scaled and shifted (Ioffe
// and Szegedy 2015).
//
// y = (x - mean) / sqrt(variance + epsilon) · scale + bias, by running statistics outside training.
//
// Gives a function of one argument with the parameters scale and bias and the constants aggregate_mean,
// aggregate_variance, aggregate_count.
CANTIK_API Function batch_normalization(const BatchNormalizationOptions& options = {},
                                        SourceLocation where = SourceLocation::current());

// Options of group_normalization().
struct GroupNormalizationOptions {
  // first values of the scale
  Initializer init_scale = 1.0;
  // first values of the bias
  Initializer init_bias = 0.0;
  // added to the variance; at least 0
  double epsilon = 1e-05;
  // how many axes stand behind the channels: 2 of images; at least 0
  int64_t spatial_rank = 2;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// Groups of channels of each sample with mean 0 and variance 1, then scaled and shifted (Wu and He 2018,
// "Group normalization").
//
// y = (x - mean) / sqrt(variance + epsilon) · scale + bias, with mean and variance over the channels of a
// group and all their pixels. It is the same in training and evaluation, and for any minibatch. One group:
// layer normalization over all of a sample; as many as channels: instance normalization.
//
// Gives a function of one argument, [channels, pixels...], with the parameters scale and bias : [channels,
// 1...].
// groups: how many; each has as many of the channels, the first axis; at least 1
CANTIK_API Function group_normalization(int64_t groups, const GroupNormalizationOptions& options = {},
                                        SourceLocation where = SourceLocation::current());

// Options of layer_normalization().
struct LayerNormalizationOptions {
  // first values of the scale
  Initializer initial_scale = 1.0;
  // first values of the bias
  Initializer initial_bias = 0.0;
  // added to the deviation
  double epsilon = 1e-05;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// Each sample with mean 0 and deviation 1, then scaled and shifted (Ba et al. 2016).
//
// y = (x - mean) / (deviation + epsilon) · scale + bias, over the elements of each sample.
//
// Gives a function of one argument with the parameters scale and bias.
CANTIK_API Function layer_normalization(const LayerNormalizationOptions& options = {},
                                        SourceLocation where = SourceLocation::current());

}  // namespace cantik::layers
