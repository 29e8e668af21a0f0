// Losses that are networks: with constants and parameters of their own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/source_location.h>
#include <cantik/tensor.h>

namespace cantik {

// Options of nce_loss().
struct NceLossOptions {
  int64_t samples = 32;               // classes that are drawn
  bool allow_duplicates = true;       // a class may be drawn more than once
  std::optional<uint64_t> seed = {};  // of the draws; none: the process' next one
  std::string name = {};              // of the loss
};

// Noise-contrastive estimation (Gutmann, Hyvarinen 2010): the loss of telling the label from `samples`
// classes drawn by `noise`, which stands for a softmax over all classes. A new draw in each run; gradients
// touch only the rows of classes that were seen.
//
//   log(1 + k p(y) / e^s(y)) + sum over the drawn j of log(e^s(j) + k p(j))
//     - k sum over all c of p(c) log(k p(c))
//
// with s(c) = weights[c] · x + biases[c], p the noise and k the number of samples; without duplicates each j
// drawn has a weight. weights: [classes, width]; biases: [classes, 1]; x: [width]; labels: [classes],
// one-hot, best sparse; noise: a weight for each class.
CANTIK_API Function nce_loss(const Variable& weights, const Variable& biases, const Variable& x,
                             const Variable& labels, const std::vector<double>& noise,
                             const NceLossOptions& options = {},
                             SourceLocation where = SourceLocation::current());

// The results of hierarchical_softmax().
struct HierarchicalSoftmax {
  Variable label;                  // [1, 1]: the probability of the label
  Variable classes;                // [classes]: the probability of each class of labels
  std::vector<Variable> in_class;  // [members]: of the labels of each class
};

// Options of hierarchical_softmax().
struct HierarchicalSoftmaxOptions {
  // classes of labels; none: the square root of the number of labels, rounded up
  std::optional<int64_t> classes = {};
};

// A softmax in two steps: over classes of labels, then over the labels of a class. Label l is number l %
// members of class l / members. x: [width]; label: [1], the number of the label; labels: how many there are.
CANTIK_API HierarchicalSoftmax hierarchical_softmax(const Variable& x, const Variable& label, int64_t labels,
                                                    const HierarchicalSoftmaxOptions& options = {},
                                                    SourceLocation where = SourceLocation::current());

}  // namespace cantik
