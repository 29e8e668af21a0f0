// Layers: their options as arguments; activations may be Python functions.
#include <cantik/recurrence.h>

#include "binding/arguments.h"
#include "binding/layers.h"
#include "binding/numpy.h"

namespace cantik::python {

using layers::Activation;
using layers::PerAxis;

Initializer bias_in(nb::handle h, DType dtype) {
  return h.is_none() ? Initializer(0) : as_initializer(h, dtype);
}

Activation as_activation(nb::handle h) {
  if (h.is_none()) return {};
  if (PyUnicode_Check(h.ptr())) return Activation(nb::cast<std::string>(h));
  if (!PyCallable_Check(h.ptr()))
    throw type_error("an activation must be a function or the name of an operator, not " + class_name(h));
  nb::object f = nb::borrow(h);
  return Activation(
      [f](const Variable& x) { return as_variable(f(wrap(x)), "the result of an activation"); });
}

namespace {

template <class T>
PerAxis<T> per_axis(nb::handle h, const char* what) {
  std::vector<T> values;
  auto one = [&](nb::handle item) -> T {
    if constexpr (std::is_same_v<T, bool>)
      return flag_in(item, what);
    else
      return whole_in(item, what);
  };
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()))
    for (nb::handle item : nb::borrow(h)) values.push_back(one(item));
  else
    values.push_back(one(h));
  return values;
}

Initializer filled(nb::handle h, DType dtype) { return as_initializer(h, dtype); }

std::optional<Shape> filters_in(nb::handle h) {
  return h.is_none() ? std::nullopt : std::optional<Shape>(as_shape(h, "num_filters"));
}

layers::ConvolutionOptions convolution_options(nb::handle activation, nb::handle init, nb::handle pad,
                                               nb::handle strides, bool bias, nb::handle init_bias,
                                               int reduction_rank, nb::handle dilation, nb::handle dtype,
                                               const std::string& name) {
  layers::ConvolutionOptions o;
  o.dtype = as_dtype(dtype);
  o.activation = as_activation(activation);
  o.init = filled(init, o.dtype);
  o.pad = per_axis<bool>(pad, "pad");
  o.strides = per_axis<int64_t>(strides, "strides");
  o.bias = bias;
  o.init_bias = bias_in(init_bias, o.dtype);
  o.reduction_rank = reduction_rank;
  o.dilation = per_axis<int64_t>(dilation, "dilation");
  o.name = name;
  return o;
}

layers::PoolingOptions pooling_options(nb::handle strides, nb::handle pad, const std::string& name) {
  return {per_axis<int64_t>(strides, "strides"), per_axis<bool>(pad, "pad"), name};
}

}  // namespace

void bind_layers(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("layers", "Layers.");
  m.def(
      "dense",
      [](nb::object shape, nb::object activation, nb::object init, std::optional<int> input_rank,
         std::optional<int> map_rank, bool bias, nb::object init_bias, nb::object dtype,
         const std::string& name) {
        CallSite here;
        DType t = as_dtype(dtype);
        return wrap(layers::dense(as_shape(shape),
                                  {as_activation(activation), filled(init, t), input_rank, map_rank, bias,
                                   bias_in(init_bias, t), t, name},
                                  {}));
      },
      nb::arg("shape"), nb::arg("activation").none(), nb::arg("init"), nb::arg("input_rank").none(),
      nb::arg("map_rank").none(), nb::arg("bias"), nb::arg("init_bias").none(), nb::arg("dtype"),
      nb::arg("name"));
  m.def(
      "embedding",
      [](nb::object shape, nb::object init, nb::object weights, int64_t vocabulary, nb::object dtype,
         const std::string& name) {
        CallSite here;
        DType t = as_dtype(dtype);
        layers::EmbeddingOptions o{
            .init = filled(init, t), .vocabulary = vocabulary, .dtype = t, .name = name};
        if (!weights.is_none()) o.weights = tensor_of_array(array_of(weights), t).clone();
        return wrap(layers::embedding(shape.is_none() ? Shape() : as_shape(shape), o, {}));
      },
      nb::arg("shape").none(), nb::arg("init"), nb::arg("weights").none(), nb::arg("vocabulary"),
      nb::arg("dtype"), nb::arg("name"));
  using Convolving = Function (*)(const Shape&, const std::optional<layers::Extents>&,
                                  const layers::ConvolutionOptions&, SourceLocation);
  for (auto [layer, make] : {std::pair<const char*, Convolving>{"convolution", &layers::convolution},
                             {"convolution_along_steps", &layers::convolution_along_steps},
                             {"sequential_convolution", &layers::sequential_convolution}})
    m.def(
        layer,
        [make = make](nb::object kernel, nb::object filters, nb::object activation, nb::object init,
                      nb::object pad, nb::object strides, bool bias, nb::object init_bias, int reduction_rank,
                      nb::object dilation, int64_t groups, int64_t max_temp_mem_size_in_samples,
                      const std::string& op_name, nb::object dtype, const std::string& name) {
          CallSite here;
          layers::ConvolutionOptions o = convolution_options(activation, init, pad, strides, bias, init_bias,
                                                             reduction_rank, dilation, dtype, name);
          o.groups = groups;
          o.max_temp_mem_size_in_samples = max_temp_mem_size_in_samples;
          o.op_name = op_name;
          return wrap(make(as_shape(kernel, "filter_shape"), filters_in(filters), o, {}));
        },
        nb::arg("kernel"), nb::arg("filters").none(), nb::arg("activation").none(), nb::arg("init"),
        nb::arg("pad"), nb::arg("strides"), nb::arg("bias"), nb::arg("init_bias").none(),
        nb::arg("reduction_rank"), nb::arg("dilation"), nb::arg("groups"),
        nb::arg("max_temp_mem_size_in_samples"), nb::arg("op_name"), nb::arg("dtype"), nb::arg("name"));
  m.def(
      "convolution_transpose",
      [](nb::object kernel, nb::object filters, nb::object activation, nb::object init, nb::object pad,
         nb::object strides, bool bias, nb::object init_bias, nb::object output_shape, int reduction_rank,
         nb::object dilation, int64_t max_temp_mem_size_in_samples, nb::object dtype,
         const std::string& name) {
        CallSite here;
        layers::ConvolutionOptions o = convolution_options(activation, init, pad, strides, bias, init_bias,
                                                           reduction_rank, dilation, dtype, name);
        o.max_temp_mem_size_in_samples = max_temp_mem_size_in_samples;
        o.output_shape = as_shape(output_shape, "output_shape");
        return wrap(layers::convolution_transpose(as_shape(kernel, "filter_shape"),
                                                  as_shape(filters, "num_filters"), o, {}));
      },
      nb::arg("kernel"), nb::arg("filters"), nb::arg("activation").none(), nb::arg("init"), nb::arg("pad"),
      nb::arg("strides"), nb::arg("bias"), nb::arg("init_bias").none(), nb::arg("output_shape").none(),
      nb::arg("reduction_rank"), nb::arg("dilation"), nb::arg("max_temp_mem_size_in_samples"),
      nb::arg("dtype"), nb::arg("name"));
  using Pooling = Function (*)(const Shape&, const layers::PoolingOptions&, SourceLocation);
  for (auto [name, make] : {std::pair<const char*, Pooling>{"max_pooling", &layers::max_pooling},
                            {"average_pooling", &layers::average_pooling},
                            {"max_unpooling", &layers::max_unpooling}})
    m.def(
        name,
        [make = make](nb::object window, nb::object strides, nb::object pad, const std::string& instance) {
          CallSite here;
          return wrap(make(as_shape(window, "filter_shape"), pooling_options(strides, pad, instance), {}));
        },
        nb::arg("window"), nb::arg("strides"), nb::arg("pad"), nb::arg("name"));
  m.def(
      "global_max_pooling",
      [](const std::string& name) {
        CallSite here;
        return wrap(layers::global_max_pooling(name, {}));
      },
      nb::arg("name"));
  m.def(
      "global_average_pooling",
      [](const std::string& name) {
        CallSite here;
        return wrap(layers::global_average_pooling(name, {}));
      },
      nb::arg("name"));
  m.def(
      "dropout",
      [](nb::object rate, nb::object seed, const std::string& name) {
        CallSite here;
        return wrap(layers::dropout(number_in(rate, "the dropout rate"), seed_in(seed), name, {}));
      },
      nb::arg("rate"), nb::arg("seed").none(), nb::arg("name"));
  m.def(
      "activation",
      [](nb::object f, const std::string& name) {
        CallSite here;
        return wrap(layers::activation(as_activation(f), name, {}));
      },
      nb::arg("activation").none(), nb::arg("name"));
  m.def(
      "batch_normalization",
      [](std::optional<int> map_rank, nb::object init_scale, double normalization_time_constant,
         double blend_time_constant, double epsilon, bool use_cntk_engine, bool disable_regularization,
         nb::object dtype, const std::string& name) {
        CallSite here;
        DType t = as_dtype(dtype);
        return wrap(layers::batch_normalization(
            {map_rank, filled(init_scale, t), normalization_time_constant, blend_time_constant, epsilon,
             use_cntk_engine, disable_regularization, t, name},
            {}));
      },
      nb::arg("map_rank").none(), nb::arg("init_scale"), nb::arg("normalization_time_constant"),
      nb::arg("blend_time_constant"), nb::arg("epsilon"), nb::arg("use_cntk_engine"),
      nb::arg("disable_regularization"), nb::arg("dtype"), nb::arg("name"));
  m.def(
      "layer_normalization",
      [](nb::object initial_scale, nb::object initial_bias, double epsilon, nb::object dtype,
         const std::string& name) {
        CallSite here;
        DType t = as_dtype(dtype);
        return wrap(layers::layer_normalization(
            {filled(initial_scale, t), bias_in(initial_bias, t), epsilon, t, name}, {}));
      },
      nb::arg("initial_scale"), nb::arg("initial_bias").none(), nb::arg("epsilon"), nb::arg("dtype"),
      nb::arg("name"));
  m.def(
      "stabilizer",
      [](double steepness, nb::object dtype, const std::string& name) {
        CallSite here;
        return wrap(layers::stabilizer(steepness, as_dtype(dtype), name, {}));
      },
      nb::arg("steepness"), nb::arg("dtype"), nb::arg("name"));
  m.def(
      "label",
      [](const std::string& name) {
        CallSite here;
        return wrap(layers::label(name, {}));
      },
      nb::arg("name"));
  bind_recurrences(m);
  m.def(
      "resnet_block",
      [](nb::object f, const std::string& name) {
        CallSite here;
        return wrap(layers::resnet_block(as_activation(f), name, {}));
      },
      nb::arg("f"), nb::arg("name"));
}

}  // namespace cantik::python
