#include "layers/convolution_parts.h"

#include <algorithm>
#include <vector>

namespace cantik::layers {

void check_convolution(const ConvolutionLayer& o) {
  const std::vector<int64_t>& shared = o.sharing.values();
  if (std::find(shared.begin(), shared.end(), 0) != shared.end())
    throw unsupported("Convolution: sharing option currently must be True");
  if (o.transpose_weight) throw unsupported("Convolution: transpose_weight option currently not supported");
  if (o.groups < 1)
    throw value_error("Convolution: groups must be strictly positive, i.e. groups > 0.")
        .made_at(Origin::current().text());
  if (o.groups > 1)
    throw value_error("Convolution: groups > 1, is not currently supported by Convolution layer.")
        .remedy("use the operator convolution, which has groups");
  if (o.reduction_rank != 0 && o.reduction_rank != 1)
    throw unsupported("Convolution: reduction_rank must be 0 or 1");
}

namespace {
// As in CNTK, () and 0 are no number of filters either.
bool gives_filters(const ConvolutionLayer& o) {
  if (!o.num_filters) return false;
  const Shape& given = *o.num_filters;
  return given.rank() > 0 && !(given == Shape{0});
}
}  // namespace

ConvolutionParts::ConvolutionParts(const ConvolutionLayer& o)
    : axes(o.filter_shape.rank()), bare(o.reduction_rank == 0), has_filters(gives_filters(o)) {
  filters = has_filters ? Shape(*o.num_filters) : Shape{1};
  check_convolution(o);
  pads = Shape(o.pad.over(axes, "pad"));
  strides = Shape(o.strides.over(axes, "strides"));
  dilation = Shape(o.dilation.over(axes, "dilation"));
  const Shape& kernel = o.filter_shape;
  check_least(1, kernel, "Convolution", "filter_shape");
  check_least(0, filters, "Convolution", "num_filters");
  check_least(1, strides, "Convolution", "strides");
  check_least(1, dilation, "Convolution", "dilation");
  Initializer init = o.init.with_ranks(-filters.rank(), axes);
  // without the axis of channels
  if (bare && init.kind == Initializer::Kind::values && init.tensor.shape() == filters + kernel)
    init.tensor = init.tensor.reshape(joined(filters, 1, 1, kernel));
  w = parameter(joined(filters, 1, kInferred, kernel), init, o.dtype, "W");
}

}  // namespace cantik::layers
