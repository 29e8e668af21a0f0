// Schedules: from lists to steps, and to CNTK's dictionaries and back.
#include <cantik/schedule.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/required.h"
#include "base/text.h"

namespace cantik {
namespace {

constexpr uint64_t kVersion = 2;

int64_t multiplied(int64_t a, int64_t b) {
  return a > std::numeric_limits<int64_t>::max() / b ? std::numeric_limits<int64_t>::max() : a * b;
}

int64_t sum(int64_t a, int64_t b) {
  return a > std::numeric_limits<int64_t>::max() - b ? std::numeric_limits<int64_t>::max() : a + b;
}

std::vector<TrainingParameterSchedule::Counted> counted(const std::vector<double>& values) {
  std::vector<TrainingParameterSchedule::Counted> list;
  for (double v : values) list.emplace_back(1, v);
  return list;
}

int64_t number(const std::string& key) {
  int64_t n = -1;
  auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), n);
  if (error != std::errc() || end != key.data() + key.size() || n < 0)
    throw runtime_error("the file's schedule has an entry under the key '" + key +
                        "'; keys must be numbers of samples");
  return n;
}

int64_t size_from(const Dictionary& d, const std::string& key) {
  uint64_t n = d.at(key).as<uint64_t>();
  if (n > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    throw runtime_error("the schedule's " + key + " is too large: " + std::to_string(n));
  return static_cast<int64_t>(n);
}

double checked(double value) {
  if (std::isnan(value)) throw value_error("a value of a schedule is no number (NaN)");
  return value;
}

}  // namespace

TrainingParameterSchedule::TrainingParameterSchedule(double value) : steps_{{0, checked(value)}} {}

TrainingParameterSchedule::TrainingParameterSchedule(double value, int64_t minibatch_size)
    : TrainingParameterSchedule(value) {
  set_minibatch_size(minibatch_size);
}

TrainingParameterSchedule::TrainingParameterSchedule(std::vector<double> values, int64_t epoch_size)
    : TrainingParameterSchedule(counted(values), epoch_size) {}

TrainingParameterSchedule::TrainingParameterSchedule(std::vector<double> values, int64_t epoch_size,
                                                     int64_t minibatch_size)
    : TrainingParameterSchedule(counted(values), epoch_size, minibatch_size) {}

TrainingParameterSchedule::TrainingParameterSchedule(const std::vector<Counted>& values, int64_t epoch_size)
    : epoch_size_(epoch_size) {
  if (values.empty())
    throw runtime_error("TrainingParameterSchedule::ConstructSchedule : schedule is empty.");
  if (epoch_size < 0)
    throw value_error("epoch_size must be at least 0, and is " + std::to_string(epoch_size))
        .remedy("give the number of samples of an epoch, or 0 for a sweep over the data");
  int64_t unit = epoch_size == kFullSweep ? 1 : epoch_size, end = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    auto [count, value] = values[i];
    if (count < 0)
      throw value_error("an entry of the schedule must hold for at least 1 epoch, and holds for " +
                        std::to_string(count));
    if (count == 0 && i + 1 < values.size())
      throw runtime_error(
          "TrainingParameterSchedule::ConstructSchedule : unit count in the 'schedule' argument must not be "
          "0.");
    end = sum(end, multiplied(std::max<int64_t>(count, 1), unit));
    steps_.push_back({end, checked(value)});
  }
}

TrainingParameterSchedule::TrainingParameterSchedule(const std::vector<Counted>& values, int64_t epoch_size,
                                                     int64_t minibatch_size)
    : TrainingParameterSchedule(values, epoch_size) {
  set_minibatch_size(minibatch_size);
}

TrainingParameterSchedule::TrainingParameterSchedule(const Dictionary& d) {
  if (const DictionaryValue* type = d.find("type");
      type && type->as<std::string>() != "TrainingParameterSchedule")
    throw runtime_error("the dictionary holds a " + type->as<std::string>() +
                        ", and a schedule was expected");
  epoch_size_ = size_from(d, "epoch_size");
  if (d.contains("ref_mb_size")) set_minibatch_size(size_from(d, "ref_mb_size"));
  // version 1: per sample, per minibatch
  else
    set_minibatch_size(size_from(d, "unit") == 0 ? 1 : kAnyMinibatchSize);
  for (const auto& [key, value] : d.at("schedule").as<Dictionary>())
    steps_.push_back({number(key), value.as<double>()});
  if (steps_.empty())
    throw runtime_error("TrainingParameterSchedule::ConstructSchedule : schedule is empty.");
  std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) { return a.end < b.end; });
}

void TrainingParameterSchedule::set_minibatch_size(int64_t size) {
  if (size < 0)
    throw value_error("minibatch_size must be at least 0, and is " + std::to_string(size))
        .remedy("give 0 for minibatches of any size, or 1 for a rate per sample");
  minibatch_size_ = size;
  given_ = true;
}

TrainingParameterSchedule TrainingParameterSchedule::transform(const std::function<double(double)>& f) const {
  const auto& changed = callable(f, "what transforms a schedule");
  TrainingParameterSchedule s = *this;
  for (Step& step : s.steps_) step.value = checked(changed(step.value));
  return s;
}

TrainingParameterSchedule TrainingParameterSchedule::beginning_at(int64_t count) const {
  TrainingParameterSchedule s = *this;
  for (Step& step : s.steps_) step.end = sum(step.end, count);
  return s;
}

Dictionary TrainingParameterSchedule::state() const {
  Dictionary schedule, d;
  for (const Step& s : steps_) schedule[std::to_string(s.end)] = s.value;
  d["version"] = kVersion;
  d["type"] = "TrainingParameterSchedule";
  d["epoch_size"] = static_cast<uint64_t>(epoch_size_);
  d["ref_mb_size"] = static_cast<uint64_t>(minibatch_size_);
  d["schedule"] = schedule;
  return d;
}

std::string TrainingParameterSchedule::text() const {
  std::string s;
  int64_t begin = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    s += cat(i ? ", then " : "", steps_[i].value);
    if (i + 1 == steps_.size()) break;
    int64_t count = steps_[i].end - begin;
    s += cat(" for ", count, is_sweep_based() ? " sweep" : " sample", count == 1 ? "" : "s");
    begin = steps_[i].end;
  }
  if (steps_.size() > 1) s += ",";
  if (is_compatible_mode()) return s + " per minibatch";
  return s + (minibatch_size_ == 1 ? " per sample" : cat(" per ", minibatch_size_, " samples"));
}

TrainingParameterSchedule momentum_as_time_constant(const TrainingParameterSchedule& constants) {
  TrainingParameterSchedule s =
      constants.transform([](double constant) { return constant == 0 ? 0.0 : std::exp(-1.0 / constant); });
  s.set_minibatch_size(1);
  return s;
}

}  // namespace cantik
