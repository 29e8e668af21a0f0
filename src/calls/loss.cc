// Bodies of <cantik/ops/loss.h>. Written by tools/generate.
#include <cantik/ops/loss.h>

#include <string>
#include <vector>

#include "calls/call.h"

namespace cantik {

Function binary_cross_entropy(const Variable& output, const Variable& target, const std::string& name,
                              SourceLocation where) {
  OriginScope scope(where);
  return call("binary_cross_entropy", {output, target}, {}, name);
}

Function binary_cross_entropy_with_logits(const Variable& scores, const Variable& target,
                                          const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("binary_cross_entropy_with_logits", {scores, target}, {}, name);
}

Function classification_error(const Variable& output_vector, const Variable& target_vector, AxisArgument axis,
                              int64_t topN, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("classification_error", {output_vector, target_vector}, {{"axis", axis.code}, {"topN", topN}},
              name);
}

Function cosine_distance(const Variable& x, const Variable& y, const std::string& name,
                         SourceLocation where) {
  OriginScope scope(where);
  return call("cosine_distance", {x, y}, {}, name);
}

Function cosine_distance_with_negative_samples(const Variable& x, const Variable& y, int64_t shift,
                                               int64_t num_negative_samples, const std::string& name,
                                               SourceLocation where) {
  OriginScope scope(where);
  return call("cosine_distance_with_negative_samples", {x, y},
              {{"shift", shift}, {"num_negative_samples", num_negative_samples}}, name);
}

Function cross_entropy_with_softmax(const Variable& output_vector, const Variable& target_vector,
                                    AxisArgument axis, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("cross_entropy_with_softmax", {output_vector, target_vector}, {{"axis", axis.code}}, name);
}

Function ctc_loss(const Variable& x, const Variable& labels, const Variable& steps,
                  const Variable& label_counts, int64_t blank, const std::string& name,
                  SourceLocation where) {
  OriginScope scope(where);
  return call("ctc_loss", {x, labels, steps, label_counts}, {{"blank", blank}}, name);
}

Function edit_distance_error(const Variable& input_a, const Variable& input_b,
                             const EditDistanceErrorOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("edit_distance_error", {input_a, input_b},
              {{"subPen", options.subPen},
               {"delPen", options.delPen},
               {"insPen", options.insPen},
               {"squashInputs", options.squashInputs},
               {"tokensToIgnore", options.tokensToIgnore}},
              options.name);
}

Function fmeasure(const Variable& output, const Variable& target, double beta, const std::string& name,
                  SourceLocation where) {
  OriginScope scope(where);
  return call("fmeasure", {output, target}, {{"beta", beta}}, name);
}

Function focal_loss(const Variable& scores, const Variable& target, double gamma, const std::string& name,
                    SourceLocation where) {
  OriginScope scope(where);
  return call("focal_loss", {scores, target}, {{"gamma", gamma}}, name);
}

Function forward_backward(const Variable& graph, const Variable& features, int64_t blankTokenId,
                          int64_t delayConstraint, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("forward_backward", {graph, features},
              {{"blankTokenId", blankTokenId}, {"delayConstraint", delayConstraint}}, name);
}

Function huber(const Variable& output, const Variable& target, double delta, const std::string& name,
               SourceLocation where) {
  OriginScope scope(where);
  return call("huber", {output, target}, {{"delta", delta}}, name);
}

Function labels_to_graph(const Variable& labels, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("labels_to_graph", {labels}, {}, name);
}

Function lambda_rank(const Variable& output, const Variable& gain, const Variable& group,
                     const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("lambda_rank", {output, gain, group}, {}, name);
}

Function lattice_sequence_with_softmax(const Variable& label, const Variable& prediction,
                                       const Variable& loglikelihood, const Variable& lattice,
                                       const LatticeSequenceWithSoftmaxOptions& options,
                                       SourceLocation where) {
  OriginScope scope(where);
  return call("lattice_sequence_with_softmax", {label, prediction, loglikelihood, lattice},
              {{"symListPath", options.symListPath},
               {"phonePath", options.phonePath},
               {"stateListPath", options.stateListPath},
               {"transProbPath", options.transProbPath},
               {"latticeConfigPath", options.latticeConfigPath},
               {"hSmoothingWeight", options.hSmoothingWeight},
               {"frameDropThresh", options.frameDropThresh},
               {"doReferenceAlign", options.doReferenceAlign},
               {"seqGammarUsesMBR", options.seqGammarUsesMBR},
               {"seqGammarAMF", options.seqGammarAMF},
               {"seqGammarLMF", options.seqGammarLMF},
               {"seqGammarBMMIFactor", options.seqGammarBMMIFactor},
               {"seqGammarWordPen", options.seqGammarWordPen}},
              options.name);
}

Function mae(const Variable& output, const Variable& target, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("mae", {output, target}, {}, name);
}

Function mse(const Variable& output, const Variable& target, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("mse", {output, target}, {}, name);
}

Function ndcg_at_1(const Variable& output, const Variable& gain, const Variable& group,
                   const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("ndcg_at_1", {output, gain, group}, {}, name);
}

Function squared_error(const Variable& output, const Variable& target, const std::string& name,
                       SourceLocation where) {
  OriginScope scope(where);
  return call("squared_error", {output, target}, {}, name);
}

Function weighted_binary_cross_entropy(const Variable& output, const Variable& target, const Variable& weight,
                                       const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("weighted_binary_cross_entropy", {output, target, weight}, {}, name);
}

}  // namespace cantik
