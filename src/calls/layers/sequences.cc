// Bodies of <cantik/layers/sequences.h>. Written by tools/generate.
#include <cantik/layers/sequences.h>

#include <optional>
#include <string>
#include <vector>

#include <cantik/layer_registry.h>

namespace cantik::layers {

Function attention_model(int64_t attention_dim, const AttentionModelOptions& options, SourceLocation where) {
  return make_layer("attention_model",
                    {{"attention_dim", attention_dim},
                     {"attention_span", options.attention_span},
                     {"attention_axis", options.attention_axis},
                     {"init", options.init},
                     {"go_backwards", options.go_backwards},
                     {"enable_self_stabilization", options.enable_self_stabilization},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function delay(int64_t T, const InitialState& initial_state, const std::string& name, SourceLocation where) {
  return make_layer("delay", {{"T", T}, {"initial_state", initial_state}, {"name", name}}, where);
}

Function fold(const std::optional<Step>& folder_function, const RecurrenceOptions& options,
              SourceLocation where) {
  return make_layer("fold",
                    {{"folder_function", folder_function},
                     {"go_backwards", options.go_backwards},
                     {"initial_state", options.initial_state},
                     {"return_full_state", options.return_full_state},
                     {"name", options.name}},
                    where);
}

Function past_value_window(int64_t window_size, int64_t axis, bool go_backwards, const std::string& name,
                           SourceLocation where) {
  return make_layer(
      "past_value_window",
      {{"window_size", window_size}, {"axis", axis}, {"go_backwards", go_backwards}, {"name", name}}, where);
}

Function recurrence(const std::optional<Step>& step_function, const RecurrenceOptions& options,
                    SourceLocation where) {
  return make_layer("recurrence",
                    {{"step_function", step_function},
                     {"go_backwards", options.go_backwards},
                     {"initial_state", options.initial_state},
                     {"return_full_state", options.return_full_state},
                     {"name", options.name}},
                    where);
}

Function recurrence_from(const std::optional<Step>& step_function, const RecurrenceFromOptions& options,
                         SourceLocation where) {
  return make_layer("recurrence_from",
                    {{"step_function", step_function},
                     {"go_backwards", options.go_backwards},
                     {"return_full_state", options.return_full_state},
                     {"name", options.name}},
                    where);
}

Function sequential_convolution(const Extents& filter_shape, const std::optional<Extents>& num_filters,
                                const SequentialConvolutionOptions& options, SourceLocation where) {
  return make_layer("sequential_convolution",
                    {{"filter_shape", filter_shape},
                     {"num_filters", num_filters},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"pad", options.pad},
                     {"strides", options.strides},
                     {"bias", options.bias},
                     {"init_bias", options.init_bias},
                     {"reduction_rank", options.reduction_rank},
                     {"dilation", options.dilation},
                     {"groups", options.groups},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function unfold_from(const std::optional<Step>& generator_function, const UnfoldFromOptions& options,
                     SourceLocation where) {
  return make_layer("unfold_from",
                    {{"generator_function", generator_function},
                     {"until_predicate", options.until_predicate},
                     {"length_increase", options.length_increase},
                     {"name", options.name}},
                    where);
}

}  // namespace cantik::layers
