// The labels of classes, and how their scores are turned into what a file asks for (the domain ai.onnx.ml).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/model.h"

namespace cantik::onnx {

// None: the node has no such list.
inline std::vector<int64_t> class_labels(const NodeRecord& n, std::string_view list) {
  if (n.find("classlabels_strings"))
    throw unsupported("the labels of classes are texts")
        .remedy("convert a model that was trained with whole numbers for labels");
  const AttributeRecord* labels = n.find(list);
  return labels ? labels->integers : std::vector<int64_t>();
}

enum class ScoreTransform { none, logistic, softmax, softmax_zero };

// `whose`: for the error of a transform that is not there.
inline ScoreTransform score_transform(std::string_view name, std::string_view whose) {
  if (name == "NONE") return ScoreTransform::none;
  if (name == "LOGISTIC") return ScoreTransform::logistic;
  if (name == "SOFTMAX") return ScoreTransform::softmax;
  if (name == "SOFTMAX_ZERO") return ScoreTransform::softmax_zero;
  throw unsupported(cat("the scores of ", whose, " are transformed by ", name));
}

inline double logistic(double x) { return 1 / (1 + std::exp(-x)); }

inline void transform_scores(ScoreTransform how, double* y, int64_t count) {
  if (how == ScoreTransform::none) return;
  if (how == ScoreTransform::logistic) {
    for (int64_t i = 0; i < count; ++i) y[i] = logistic(y[i]);
    return;
  }
  const double most = *std::max_element(y, y + count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    // scores of 0 stay what they are
    const bool stays = how == ScoreTransform::softmax_zero && std::abs(y[i]) < 1e-7;
    y[i] = stays ? y[i] * std::exp(-most) : std::exp(y[i] - most);
    sum += y[i];
  }
  for (int64_t i = 0; i < count; ++i) y[i] /= sum;
}

}  // namespace cantik::onnx
