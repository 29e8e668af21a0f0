// A small training with callbacks: the guided tour's first network on 100 samples, an epoch of 50.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cantik/callbacks.h>
#include <cantik/learners.h>
#include <cantik/train.h>

#include "tour_data.h"

namespace cantik {

inline const TourData& data() {
  static const TourData d = [] {
    NumpyRandom random(0);
    return tour_data(random, 100);
  }();
  return d;
}

struct Tour {
  TourModel m;
  std::shared_ptr<Trainer> trainer;
  std::shared_ptr<ArraySource> source;

  explicit Tour(std::vector<ProgressWriterPtr> writers = {}) {
    m.w.set_value(Tensor::full(DType::float32, {2, 2}, 0.25));
    m.b.set_value(Tensor::zeros(DType::float32, {2}));
    trainer = std::make_shared<Trainer>(
        m.z, m.loss, m.metric, std::vector<LearnerPtr>{momentum_sgd({m.w, m.b}, 0.02, {.momentum = 0.9})},
        std::move(writers));
    source = std::make_shared<ArraySource>(Arrays{{m.x, data().x}, {m.y, data().y}});
  }
  SessionOptions options(std::vector<CallbackPtr> callbacks, int64_t samples = 500) const {
    return {
        .minibatch_size = 10, .max_samples = samples, .progress = {50}, .callbacks = std::move(callbacks)};
  }
  void train(SessionOptions o) { TrainingSession(trainer, source, std::move(o)).train(); }
  std::vector<float> weights() const {
    const float* p = m.w.value().data<float>();
    return {p, p + 4};
  }
};

// Puts numbers of the test's into the records.
inline CallbackPtr measured(std::vector<double> values, const std::string& name = "val_metric") {
  return std::make_shared<EpochCallback>([values, name](EpochRecord& record) {
    const auto i = static_cast<size_t>(record.epoch() - 1);
    record.set(name, values[std::min(i, values.size() - 1)]);
    return true;
  });
}

// Keeps the records.
struct Records final : Callback {
  std::vector<EpochRecord> list;
  void on_epoch_end(TrainingSession&, EpochRecord& record) override { list.push_back(record); }
};

struct Told final : ProgressWriter {
  std::vector<std::pair<std::string, double>> list;
  void write(const std::string& key, double value) override { list.emplace_back(key, value); }
};

}  // namespace cantik
