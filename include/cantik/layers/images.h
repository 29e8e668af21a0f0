// Convolutions and poolings. Written by tools/generate from src/layers/images/: change those files.
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

// Options of average_pooling(), max_pooling() and max_unpooling().
struct PoolingOptions {
  // from one window to the next, for each axis
  PerAxis<int64_t> strides = 1;
  // whether windows may reach beyond the input, for each axis
  PerAxis<bool> pad = false;
  // of the layer
  std::string name = {};
};

// The mean of each window over the last axes; positions in the padding do not count.
//
// Gives a function of one argument.
// filter_shape: of the window, without channels
CANTIK_API Function average_pooling(const Shape& filter_shape, const PoolingOptions& options = {},
                                    SourceLocation where = SourceLocation::current());

// Options of convolution(), convolution1d(), convolution2d() and convolution3d().
struct ConvolutionOptions {
  // the first axis of the filter is that of the steps; where it is padded, the result keeps the sequence
  // axis
  bool sequential = false;
  // a function, a layer, or the name of an operator
  Activation activation = {};
  // first values of W
  Initializer init = glorot_uniform();
  // whether zeros around the input keep its size, for each axis
  PerAxis<bool> pad = false;
  // from one position to the next, for each axis
  PerAxis<int64_t> strides = 1;
  // whether there is a b
  bool bias = true;
  // first values of b
  Initializer init_bias = 0.0;
  // 1 where the input has a channel axis, 0 where it has none
  int64_t reduction_rank = 1;
  // steps between the elements of the kernel, for each axis
  PerAxis<int64_t> dilation = 1;
  // 1; the operator convolution has groups
  int64_t groups = 1;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// y = activation(W * x + b), over as many of the last axes as the filter has.
//
// Without num_filters the result has no channel axis.
//
// Gives a function of one argument with the parameters W : [filters, channels, kernel...] and b : [filters,
// 1...].
// filter_shape: of the kernel, without channels
// num_filters: channels of the result; by default it has no channel axis
CANTIK_API Function convolution(const Extents& filter_shape, const std::optional<Extents>& num_filters = {},
                                const ConvolutionOptions& options = {},
                                SourceLocation where = SourceLocation::current());

// A Convolution along one axis. x : [channels, width].
//
// Gives a function of one argument with the parameters W and b.
// filter_shape: of the kernel, without channels
// num_filters: channels of the result; by default it has no channel axis
CANTIK_API Function convolution1d(const Extents& filter_shape, const std::optional<Extents>& num_filters = {},
                                  const ConvolutionOptions& options = {},
                                  SourceLocation where = SourceLocation::current());

// A Convolution along two axes. x : [channels, height, width].
//
// Gives a function of one argument with the parameters W and b.
// filter_shape: of the kernel, without channels
// num_filters: channels of the result; by default it has no channel axis
CANTIK_API Function convolution2d(const Extents& filter_shape, const std::optional<Extents>& num_filters = {},
                                  const ConvolutionOptions& options = {},
                                  SourceLocation where = SourceLocation::current());

// A Convolution along three axes. x : [channels, depth, height, width].
//
// Gives a function of one argument with the parameters W and b.
// filter_shape: of the kernel, without channels
// num_filters: channels of the result; by default it has no channel axis
CANTIK_API Function convolution3d(const Extents& filter_shape, const std::optional<Extents>& num_filters = {},
                                  const ConvolutionOptions& options = {},
                                  SourceLocation where = SourceLocation::current());

// Options of convolution_transpose(), convolution_transpose1d(), convolution_transpose2d() and
// convolution_transpose3d().
struct ConvolutionTransposeOptions {
  // a function, a layer, or the name of an operator
  Activation activation = {};
  // first values of W
  Initializer init = glorot_uniform();
  // whether zeros around the input keep its size, for each axis
  PerAxis<bool> pad = false;
  // from one position to the next, for each axis
  PerAxis<int64_t> strides = 1;
  // whether there is a b
  bool bias = true;
  // first values of b
  Initializer init_bias = 0.0;
  // of the result without channels, where strides leave it open
  Extents output_shape = Shape::unknown();
  // 1 where the input has a channel axis, 0 where it has none
  int64_t reduction_rank = 1;
  // steps between the elements of the kernel, for each axis
  PerAxis<int64_t> dilation = 1;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// The transpose of a convolution: the result is as large as an input of which the convolution would make x.
//
// Gives a function of one argument with the parameters W : [channels, filters, kernel...] and b : [filters,
// 1...].
// filter_shape: of the kernel, without channels
// num_filters: channels of the result
CANTIK_API Function convolution_transpose(const Extents& filter_shape,
                                          const std::optional<Extents>& num_filters,
                                          const ConvolutionTransposeOptions& options = {},
                                          SourceLocation where = SourceLocation::current());

// A ConvolutionTranspose along one axis. x : [channels, width].
//
// Gives a function of one argument with the parameters W and b.
// filter_shape: of the kernel, without channels
// num_filters: channels of the result
CANTIK_API Function convolution_transpose1d(const Extents& filter_shape,
                                            const std::optional<Extents>& num_filters,
                                            const ConvolutionTransposeOptions& options = {},
                                            SourceLocation where = SourceLocation::current());

// A ConvolutionTranspose along two axes. x : [channels, height, width].
//
// Gives a function of one argument with the parameters W and b.
// filter_shape: of the kernel, without channels
// num_filters: channels of the result
CANTIK_API Function convolution_transpose2d(const Extents& filter_shape,
                                            const std::optional<Extents>& num_filters,
                                            const ConvolutionTransposeOptions& options = {},
                                            SourceLocation where = SourceLocation::current());

// A ConvolutionTranspose along three axes. x : [channels, depth, height, width].
//
// Gives a function of one argument with the parameters W and b.
// filter_shape: of the kernel, without channels
// num_filters: channels of the result
CANTIK_API Function convolution_transpose3d(const Extents& filter_shape,
                                            const std::optional<Extents>& num_filters,
                                            const ConvolutionTransposeOptions& options = {},
                                            SourceLocation where = SourceLocation::current());

// The mean of each channel: [channels, ...] gives [channels, 1...].
//
// Gives a function of one argument.
CANTIK_API Function global_average_pooling(const std::string& name = {},
                                           SourceLocation where = SourceLocation::current());

// The largest element of each channel: [channels, ...] gives [channels, 1...].
//
// Gives a function of one argument.
CANTIK_API Function global_max_pooling(const std::string& name = {},
                                       SourceLocation where = SourceLocation::current());

// The largest element of each window over the last axes; channels stay apart.
//
// Gives a function of one argument.
// filter_shape: of the window, without channels
CANTIK_API Function max_pooling(const Shape& filter_shape, const PoolingOptions& options = {},
                                SourceLocation where = SourceLocation::current());

// Puts the results of a MaxPooling back where they came from: each value goes to the place of its window's
// maximum, 0 stands elsewhere.
//
// Gives a function of two arguments: the pooled values, and the operand of the pooling.
// filter_shape: of the window, without channels
CANTIK_API Function max_unpooling(const Shape& filter_shape, const PoolingOptions& options = {},
                                  SourceLocation where = SourceLocation::current());

}  // namespace cantik::layers
