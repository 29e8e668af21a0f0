// Attention over the states of an encoder (Bahdanau et al. 2015).
#include <vector>

#include "base/text.h"
#include "layers/block.h"
#include "layers/recurrence.h"

namespace cantik::layers {
namespace {

constexpr double kNever = -1e30, kFar = 50;  // scores of steps that are not there

struct Parts {
  Activation stabilize_encoder, encoder, stabilize_decoder, decoder, stabilize_tanh, score, stabilize_result;
};

Parts make_parts(int64_t dim, const AttentionOptions& o) {
  auto factor = [&] {
    return o.enable_self_stabilization ? Activation(stabilizer(4, o.dtype, {}, {})) : Activation();
  };
  auto linear = [&](int64_t width) {
    return Activation(dense(width, {.init = o.init, .input_rank = 1, .bias = false, .dtype = o.dtype}, {}));
  };
  Parts p;  // in this order the parameters draw their first values
  p.stabilize_encoder = factor(), p.encoder = linear(dim);
  p.stabilize_decoder = factor(), p.decoder = linear(dim);
  p.stabilize_tanh = factor(), p.score = linear(1);
  p.stabilize_result = factor();
  return p;
}

Variable as(const Variable& x, const Variable& like) { return call("sequence_broadcast_as", {x, like}); }
Variable total(const Variable& x, int64_t axis) { return call("reduce_sum", {x}, {{"axis", axis}}); }

// A score for each step: tanh(enc · W + dec · V) · v.
Variable scores(const Parts& p, const Variable& steps, const Variable& decoder) {
  Variable of_decoder = p.decoder(p.stabilize_decoder(decoder)),
           of_encoder = as(p.encoder(p.stabilize_encoder(steps)), decoder);
  return p.score(p.stabilize_tanh(call("tanh", {call("plus", {of_decoder, of_encoder})})));
}

Variable weights(const Variable& scores, int64_t axis) {
  return call("alias", {call("softmax", {scores}, {{"axis", axis}})}, {}, "attention_weights");
}

// Over all steps, which unpack lays along the first axis.
Function over_all(const Parts& p) {
  return trace(
      {"encoder_hidden_state", "decoder_hidden_state"},
      [&](const std::vector<Variable>& in) {
        const Variable& decoder = in[1];
        std::vector<Variable> unpacked = call("sequence_unpack", {in[0]}, {{"padding_value", 0.0}}).outputs();
        const Variable& steps = unpacked[0];
        Variable there = as(call("reshape", {unpacked[1]},
                                 {{"shape", Shape{1}},
                                  {"begin_axis", axis_code::kAllStatic},
                                  {"end_axis", axis_code::kAllStatic}}),
                            decoder);
        Variable w =
            weights(call("element_select", {there, scores(p, steps, decoder), constant(Shape(), kNever)}), 0);
        Variable mean = total(call("element_times", {w, as(steps, w)}), 0);
        mean = call("reshape", {mean}, {{"shape", Shape()}, {"begin_axis", 0}, {"end_axis", 1}});
        return function_of({p.stabilize_result(mean)});
      },
      "attention");
}

// Over the last steps, which past_value_window lays along an axis.
Function over_window(const Parts& p, const AttentionOptions& o) {
  int64_t axis = *o.attention_axis;
  Function window = past_value_window(*o.attention_span, axis, o.go_backwards, {}, {});
  return trace(
      {"h_enc", "h_dec"},
      [&](const std::vector<Variable>& in) {
        const Variable& decoder = in[1];
        std::vector<Variable> last = window(in[0]).outputs();
        Variable missing = call("minus", {as(last[1], decoder), constant(Shape(), 1.0)});
        Variable w = weights(call("plus", {scores(p, last[0], decoder),
                                           call("element_times", {missing, constant(Shape(), kFar)})}),
                             axis);
        return function_of(
            {p.stabilize_result(total(call("element_times", {as(last[0], decoder), w}), axis))});
      },
      "attention");
}

}  // namespace

Function attention_model(int64_t attention_dim, const AttentionOptions& o, SourceLocation where) {
  OriginScope scope(where);
  if (o.attention_span && !o.attention_axis)
    throw value_error("attention_axis cannot be None when attention_span is not None")
        .made_at(Origin::current().text());
  if (o.attention_axis && !o.attention_span)
    throw value_error("attention_span cannot be None when attention_axis is not None")
        .made_at(Origin::current().text());
  Parts p = make_parts(attention_dim, o);
  return named(o.attention_span ? over_window(p, o) : over_all(p), o.name);
}

}  // namespace cantik::layers
