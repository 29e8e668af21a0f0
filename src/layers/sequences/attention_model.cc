// Attention over the states of an encoder (Bahdanau et al. 2015).
#include <vector>

#include <cantik/layers.h>
#include <cantik/recurrence.h>

#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct AttentionModelLayer : WithParameters {
  int64_t attention_dim = 1;
  std::optional<int64_t> attention_span, attention_axis;
  Initializer init = glorot_uniform();
  bool go_backwards = false, enable_self_stabilization = true;

  static constexpr auto fields() {
    using O = AttentionModelLayer;
    return list(
        option("attention_dim", &O::attention_dim, "of the space in which the two are compared").required(),
        option("attention_span", &O::attention_span, "only over the last so many steps; by default over all"),
        option("attention_axis", &O::attention_axis,
               "the static axis these steps lie on; given together with attention_span"),
        option("init", &O::init, "first values of the weights").scoped(),
        option("go_backwards", &O::go_backwards, "with attention_span: over the first steps instead")
            .scoped()
            .truth(),
        option("enable_self_stabilization", &O::enable_self_stabilization, kStabilizationDoc)
            .scoped()
            .truth());
  }
};

constexpr double kNever = -60000, kFar = 50;  // scores of steps that are not there, float16 numbers too

struct Parts {
  Activation stabilize_encoder, encoder, stabilize_decoder, decoder, stabilize_tanh, score, stabilize_result;
};

Parts make_parts(const AttentionModelLayer& o) {
  const int64_t dim = o.attention_dim;
  auto factor = [&] {
    return o.enable_self_stabilization ? Activation(stabilizer({.dtype = o.dtype}, {})) : Activation();
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
Function over_window(const Parts& p, const AttentionModelLayer& o) {
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

Function make_attention_model(const AttentionModelLayer& o) {
  if (o.attention_span && !o.attention_axis)
    throw value_error("attention_axis cannot be None when attention_span is not None")
        .made_at(Origin::current().text());
  if (o.attention_axis && !o.attention_span)
    throw value_error("attention_span cannot be None when attention_axis is not None")
        .made_at(Origin::current().text());
  Parts p = make_parts(o);
  return named(o.attention_span ? over_window(p, o) : over_all(p), o.name);
}

}  // namespace

CANTIK_LAYERS(attention_model) {
  layers.add("attention_model", make_attention_model)
      .python("AttentionModel", "models.attention")
      .doc(
          "Attention over the states of an encoder.\n\n"
          "For each step of the decoder with state d, over the steps s of the encoder with states e: u[s] = "
          "v · "
          "tanh(e[s] · W + d · V), a = softmax(u), result = sum over s of a[s] e[s] (Bahdanau, Cho, Bengio "
          "2015, "
          "\"Neural machine translation by jointly learning to align and translate\").")
      .returns(
          "a function of the encoder's states and the decoder's, two sequences; one result for each step of "
          "the "
          "decoder")
      .example(
          "encoder = C.sequence.input_variable(4, sequence_axis=C.Axis('source'))\n"
          "decoder = C.sequence.input_variable(6)\n"
          "C.layers.AttentionModel(8)(encoder, decoder).shape");
}

}  // namespace cantik::layers
