// Losses and metrics. Written by tools/generate from src/ops/loss/: change those files.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops/argument.h>
#include <cantik/source_location.h>

namespace cantik {

// -(target * log(output) + (1 - target) * log(1 - output)), element by element, with 1e-6 added under the
// logarithms. output: probabilities.
//
// loss = -(target log(output + 1e-6) + (1 - target) log(1 + 1e-6 - output)), element by element.
CANTIK_API Function binary_cross_entropy(const Variable& output, const Variable& target,
                                         const std::string& name = {},
                                         SourceLocation where = SourceLocation::current());

// The mean of log(1 + exp(score)) - target * score over all numbers of a sample: binary cross entropy of
// sigmoid(score), exact for scores of any size.
//
// loss = mean of log(1 + e^score) - target score: binary cross entropy of sigmoid(score).
CANTIK_API Function binary_cross_entropy_with_logits(const Variable& scores, const Variable& target,
                                                     const std::string& name = {},
                                                     SourceLocation where = SourceLocation::current());

// 1 where the highest score is not that of the label, else 0, for each sample. With topN above 1 the number
// of samples whose label is not among the topN highest scores.
// axis: the axis of the classes
// topN: the label is right if it is among so many highest scores
CANTIK_API Function classification_error(const Variable& output_vector, const Variable& target_vector,
                                         AxisArgument axis = -1, int64_t topN = 1,
                                         const std::string& name = {},
                                         SourceLocation where = SourceLocation::current());

// The cosine of the angle between x and y, seen as vectors: 1 where they point the same way. 0 where one of
// them is 0.
//
// y = x · t / (|x| |t|): the cosine of the angle between two vectors.
CANTIK_API Function cosine_distance(const Variable& x, const Variable& y, const std::string& name = {},
                                    SourceLocation where = SourceLocation::current());

// [num_negative_samples + 1] cosines: of each x with its own y, and with those of the samples shift, shift +
// 1, ... further on, round the batch. Of sequences the steps of all of them take turns; where a shorter one
// has ended the cosine is 0.
// shift: how far on the first negative sample is
// num_negative_samples: how many there are, one after the other
CANTIK_API Function cosine_distance_with_negative_samples(const Variable& x, const Variable& y, int64_t shift,
                                                          int64_t num_negative_samples,
                                                          const std::string& name = {},
                                                          SourceLocation where = SourceLocation::current());

// log(sum_i exp z_i) - sum_i label_i z_i: the cross entropy of softmax(z) against the labels, which may be
// sparse. The result is [1].
//
// loss = log(sum_i exp z_i) - sum_i label_i z_i: the cross entropy of softmax(z) against the labels.
// axis: the axis of the classes
CANTIK_API Function cross_entropy_with_softmax(const Variable& output_vector, const Variable& target_vector,
                                               AxisArgument axis = -1, const std::string& name = {},
                                               SourceLocation where = SourceLocation::current());

// Connectionist temporal classification: minus the logarithm of the probability that x reads the labels. x:
// [steps, classes] before the softmax; labels: classes, [most labels]; steps and label_counts: how many of
// both each sample has. Infinite where the labels do not fit into the steps.
// blank: which class is the blank
CANTIK_API Function ctc_loss(const Variable& x, const Variable& labels, const Variable& steps,
                             const Variable& label_counts, int64_t blank = 0, const std::string& name = {},
                             SourceLocation where = SourceLocation::current());

// Options of edit_distance_error().
struct EditDistanceErrorOptions {
  // penalty of a changed token
  double subPen = 1;
  // penalty of a removed token
  double delPen = 1;
  // penalty of an added token
  double insPen = 1;
  // whether equal tokens side by side count as one
  bool squashInputs = false;
  // tokens that do not count
  std::vector<int64_t> tokensToIgnore = {};
  // of the function
  std::string name = {};
};

// How far the sequences of input_a are from those of input_b: edits for each token of input_b, times the
// number of steps, so that its mean over the steps is the error rate. The token of a step is the place of its
// largest number.
CANTIK_API Function edit_distance_error(const Variable& input_a, const Variable& input_b,
                                        const EditDistanceErrorOptions& options = {},
                                        SourceLocation where = SourceLocation::current());

// 1 - (1 + beta^2) p r / (beta^2 p + r), with the precision p = sum(output target) / sum(output) and the
// recall r = sum(output target) / sum(target). The sums are over each channel of [channels, height, width],
// over the whole sample of any other shape.
// beta: how many times as much recall counts as precision
CANTIK_API Function fmeasure(const Variable& output, const Variable& target, double beta = 1,
                             const std::string& name = {}, SourceLocation where = SourceLocation::current());

// -(1 - p)^gamma log p, where p is what softmax(scores) gives the right class (Lin et al. 2017). scores:
// numbers of any size, no probabilities; target: one-hot vectors, which may be sparse.
//
// loss = -(1 - p)^gamma log p, where p = softmax(scores) of the right class (Lin et al. 2017).
// gamma: how much less counts what is right already; 0: cross entropy
CANTIK_API Function focal_loss(const Variable& scores, const Variable& target, double gamma = 2,
                               const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// Connectionist temporal classification: minus the logarithm of the probability that features, numbers before
// the softmax of each step, read the labels of graph, summed over all sequences. graph is made by
// labels_to_graph. Infinite where the labels do not fit into the steps.
// blankTokenId: which class is the blank
// delayConstraint: how many steps behind the beginning of the next label a label may still be read; -1: any
CANTIK_API Function forward_backward(const Variable& graph, const Variable& features, int64_t blankTokenId,
                                     int64_t delayConstraint = -1, const std::string& name = {},
                                     SourceLocation where = SourceLocation::current());

// With d = output - target: the mean of d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2), over all
// numbers of a sample; the operands broadcast.
//
// loss = mean of d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2), with d = output - target (Huber
// 1964).
// delta: the distance at which the square ends, greater than 0
CANTIK_API Function huber(const Variable& output, const Variable& target, double delta = 1,
                          const std::string& name = {}, SourceLocation where = SourceLocation::current());

// Labels as the graph that forward_backward reads: the same numbers. labels has a class for each step: 2 at
// the place of the class in the step where a label begins, 1 in those where it goes on, 0 at all other
// places.
CANTIK_API Function labels_to_graph(const Variable& labels, const std::string& name = {},
                                    SourceLocation where = SourceLocation::current());

// 100 * (1 - NDCG), averaged over the lists, times the number of samples. Samples of equal group one behind
// the other are a list, whose gains fall (Burges 2010).
CANTIK_API Function lambda_rank(const Variable& output, const Variable& gain, const Variable& group,
                                const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// Options of lattice_sequence_with_softmax().
struct LatticeSequenceWithSoftmaxOptions {
  // the file of the symbols of lattices
  std::string symListPath = "";
  // the file of the units: transitions and states of each
  std::string phonePath = "";
  // the file of the states
  std::string stateListPath = "";
  // the file of the transitions
  std::string transProbPath = "";
  // a file that, where it is there, names the four others in their order, a line each, in place of what is
  // given
  std::string latticeConfigPath = "LatticeNode.config";
  // the weight of the sequences' criterion; the rest is that of the frames' cross entropy
  double hSmoothingWeight = 0.95;
  // MMI: a frame whose spoken state is less probable than that in the lattice has no gradient
  double frameDropThresh = 1e-10;
  // not there, as in CNTK: must be False
  bool doReferenceAlign = false;
  // the minimum Bayes risk of states in place of maximum mutual information
  bool seqGammarUsesMBR = false;
  // divides all scores of an arc
  double seqGammarAMF = 14;
  // multiplies the scores of the language model
  double seqGammarLMF = 14;
  // what each frame in its spoken state takes from the score of an arc: boosted MMI
  double seqGammarBMMIFactor = 0;
  // added to the score of each arc
  double seqGammarWordPen = 0;
  // of the function
  std::string name = {};
};

// Training on whole utterances over their lattices, summed: maximum mutual information, or the minimum Bayes
// risk of states, smoothed with the cross entropy of the frames. label: [states], the state that was spoken
// in each frame; prediction: [states], before the softmax; loglikelihood: [states], the prediction less the
// logarithms of the states' frequencies, through which no gradient goes; lattice: what LatticeDeserializer
// brings. Its gradient is not that of its value: files and formulas are in docs/reference/speech_files.md;
// examples/sequence_training.py trains with it.
CANTIK_API Function lattice_sequence_with_softmax(const Variable& label, const Variable& prediction,
                                                  const Variable& loglikelihood, const Variable& lattice,
                                                  const LatticeSequenceWithSoftmaxOptions& options = {},
                                                  SourceLocation where = SourceLocation::current());

// The mean of |output - target| over all numbers of a sample, the mean absolute error; the operands
// broadcast.
//
// loss = mean of |output - target|.
CANTIK_API Function mae(const Variable& output, const Variable& target, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// The mean of (output - target)^2 over all numbers of a sample, the mean squared error; the operands
// broadcast. squared_error is the sum.
//
// loss = mean of (output - target)^2.
CANTIK_API Function mse(const Variable& output, const Variable& target, const std::string& name = {},
                        SourceLocation where = SourceLocation::current());

// The gain of the document with the highest score over that of the list's first one, in percent, averaged
// over the lists, times the number of samples.
CANTIK_API Function ndcg_at_1(const Variable& output, const Variable& gain, const Variable& group,
                              const std::string& name = {}, SourceLocation where = SourceLocation::current());

// The sum of (output - target)^2 over all numbers of a sample; the operands broadcast.
//
// loss = sum of (output - target)^2.
CANTIK_API Function squared_error(const Variable& output, const Variable& target,
                                  const std::string& name = {},
                                  SourceLocation where = SourceLocation::current());

// -weight * log(output * target + (1 - output) * (1 - target)), summed over all numbers of all samples, over
// the mean weight: one number. output: probabilities. As in CNTK, the gradient is that of the sum, not
// divided by the mean weight; only output has one.
//
// loss = -sum of weight log(output target + (1 - output) (1 - target)) / mean of weight, over all samples.
CANTIK_API Function weighted_binary_cross_entropy(const Variable& output, const Variable& target,
                                                  const Variable& weight, const std::string& name = {},
                                                  SourceLocation where = SourceLocation::current());

}  // namespace cantik
