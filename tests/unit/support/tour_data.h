// The data and the model of the guided tour's logistic regression.
#pragma once

#include <vector>

#include <cantik/function.h>
#include <cantik/tensor.h>
#include <cantik/value.h>

#include "numpy_random.h"

namespace cantik {

struct TourData {
  Tensor x, y;  // [rows, 2]; y one-hot
};

// Rows of two classes: a normal number around 3 in each column, times 1 or 2.
inline TourData tour_data(NumpyRandom& random, int64_t rows) {
  TourData d{Tensor(DType::float32, {rows, 2}), Tensor::zeros(DType::float32, {rows, 2})};
  std::vector<int64_t> label(static_cast<size_t>(rows));
  for (int64_t& l : label) l = random.bit();
  for (int64_t i = 0; i < rows; ++i) {
    int64_t l = label[static_cast<size_t>(i)];
    for (int64_t k = 0; k < 2; ++k)
      d.x.data<float>()[2 * i + k] = static_cast<float>((random.normal() + 3) * static_cast<double>(l + 1));
    d.y.data<float>()[2 * i + l] = 1;
  }
  return d;
}

struct TourModel {
  Variable x = input({2}, {.name = "x"}), y = input({2}, {.name = "y"});
  Variable w = parameter({2, 2}, glorot_uniform(), DType::float32, "W");
  Variable b = parameter({2}, 0.0, DType::float32, "b");
  Function z = call("plus", {call("times", {x, w}), b});
  Function loss = call("cross_entropy_with_softmax", {z, y});
  Function metric = call("classification_error", {z, y});
  Feeds feeds(const TourData& d, int64_t begin, int64_t end) const {
    return {{x, Value::batch(d.x.rows(begin, end))}, {y, Value::batch(d.y.rows(begin, end))}};
  }
};

}  // namespace cantik
