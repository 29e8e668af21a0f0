// TrainingParameterSchedule: a rate that changes as samples (or sweeps over the data) go by.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/api.h>
#include <cantik/dictionary.h>

namespace cantik {

// Piecewise constant. A value is meant for a minibatch of minibatch_size() samples; 0 stands for whatever the
// minibatch has ("compatible mode"), 1 for one sample. What adaptive learners make of a rate for a minibatch:
// see learner.h.
class CANTIK_API TrainingParameterSchedule {
 public:
  static constexpr int64_t kFullSweep = 0;         // of epoch_size: entries count sweeps, not samples
  static constexpr int64_t kAnyMinibatchSize = 0;  // of minibatch_size: the value is as it is

  // The value holds until `end` samples (or sweeps) have been seen, the last one for ever.
  struct Step {
    int64_t end;
    double value;  // of the rate
    friend bool operator==(const Step&, const Step&) = default;
  };
  using Counted = std::pair<int64_t, double>;  // for so many epochs, this value

  // One value for ever; as it is, or for minibatches of `minibatch_size` samples.
  TrainingParameterSchedule(double value = 0);
  TrainingParameterSchedule(double value, int64_t minibatch_size);
  // One value an epoch of so many samples.
  TrainingParameterSchedule(std::vector<double> values, int64_t epoch_size = kFullSweep);
  TrainingParameterSchedule(std::vector<double> values, int64_t epoch_size, int64_t minibatch_size);
  TrainingParameterSchedule(const std::vector<Counted>& values, int64_t epoch_size = kFullSweep);
  TrainingParameterSchedule(const std::vector<Counted>& values, int64_t epoch_size, int64_t minibatch_size);
  // The schedule of state(), from a file.
  explicit TrainingParameterSchedule(const Dictionary& state);

  // The value once so many samples have been seen; sweeps, if is_sweep_based().
  double operator[](int64_t count) const {
    if (steps_.empty()) return 0;  // it was moved from
    auto holds = [](int64_t seen, const Step& s) { return seen < s.end; };
    return std::upper_bound(steps_.begin(), steps_.end() - 1, count, holds)->value;
  }
  // Whether entries count sweeps over the data; they count samples otherwise.
  bool is_sweep_based() const { return epoch_size_ == kFullSweep; }
  // How many samples an epoch has; 0: a sweep.
  int64_t epoch_size() const { return epoch_size_; }
  // The values, each with its end.
  std::span<const Step> steps() const { return steps_; }

  // The minibatch size that the values are meant for; 0: any.
  int64_t minibatch_size() const { return minibatch_size_; }
  // Whether the values are as they are, whatever a minibatch has.
  bool is_compatible_mode() const { return minibatch_size_ == kAnyMinibatchSize; }
  bool has_own_minibatch_size() const { return given_; }  // somebody chose it
  // Sets minibatch_size().
  void set_minibatch_size(int64_t size);

  // The schedule whose values are f of these values.
  TrainingParameterSchedule transform(const std::function<double(double)>& f) const;
  // The schedule that begins once so many samples (or sweeps) have been seen.
  TrainingParameterSchedule beginning_at(int64_t count) const;
  Dictionary state() const;  // as CNTK's files have it
  std::string text() const;  // 0.1 for 2 sweeps, then 0.05, per minibatch
  // Whether both give the same values.
  friend bool operator==(const TrainingParameterSchedule& a, const TrainingParameterSchedule& b) {
    return a.steps_ == b.steps_ && a.epoch_size_ == b.epoch_size_ && a.minibatch_size_ == b.minibatch_size_;
  }

 private:
  std::vector<Step> steps_;
  int64_t epoch_size_ = kFullSweep, minibatch_size_ = kAnyMinibatchSize;
  bool given_ = false;
};

// Momentum by the number of samples after which a gradient's weight has fallen to 1/e: exp(-1 / constant) a
// sample; 0 is none.
CANTIK_API TrainingParameterSchedule momentum_as_time_constant(const TrainingParameterSchedule& constants);

}  // namespace cantik
