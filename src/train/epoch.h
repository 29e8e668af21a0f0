// What a session measures of an epoch.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <cantik/callback.h>
#include <cantik/trainer.h>

namespace cantik::training {

// Sums over the minibatches since the last epoch's end.
class Epoch {
 public:
  void begin_clock() { begin_ = std::chrono::steady_clock::now(); }
  void add(const Trainer& trainer);                       // a minibatch, which it has just trained on
  void validated(double metric) { validated_ = metric; }  // on other data
  EpochRecord end(const Trainer& trainer);                // the next one begins
  Dictionary state() const;
  void restore(const Dictionary& state);  // an empty one is that of the first epoch

 private:
  int64_t number_ = 1, samples_ = 0;
  double loss_ = 0, metric_ = 0;
  std::optional<double> validated_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace cantik::training
