#include "train/epoch.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <cantik/error.h>

#include "base/text.h"
#include "learners/state.h"

namespace cantik {

void EpochRecord::set(std::string_view name, double value) {
  auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.first == name; });
  if (found != entries_.end())
    found->second = value;
  else
    entries_.emplace_back(name, value);
}

const double* EpochRecord::find(std::string_view name) const {
  auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.first == name; });
  return found == entries_.end() ? nullptr : &found->second;
}

double EpochRecord::at(std::string_view name) const {
  if (const double* value = find(name)) return *value;
  throw value_error(cat("the record of an epoch has no entry '", name, "'; it has ",
                        join(entries_, ", ", [](const Entry& e) { return e.first; })));
}

namespace training {

void Epoch::add(const Trainer& trainer) {
  const int64_t n = trainer.previous_minibatch_sample_count();
  if (n == 0) return;
  samples_ += n;
  loss_ += trainer.previous_minibatch_loss_average() * static_cast<double>(n);
  if (trainer.evaluation_function())
    metric_ += trainer.previous_minibatch_evaluation_average() * static_cast<double>(n);
}

EpochRecord Epoch::end(const Trainer& trainer) {
  EpochRecord record(number_);
  const auto n = static_cast<double>(std::max<int64_t>(samples_, 1));
  record.set("loss", loss_ / n);
  if (trainer.evaluation_function()) record.set("metric", metric_ / n);
  if (validated_) record.set("val_metric", *validated_);
  record.set("rate", trainer.parameter_learners()[0]->learning_rate());
  record.set("samples", static_cast<double>(samples_));
  const auto now = std::chrono::steady_clock::now();
  record.set("seconds", std::chrono::duration<double>(now - begin_).count());
  begin_ = now;
  ++number_;
  samples_ = 0;
  loss_ = metric_ = 0;
  validated_.reset();
  return record;
}

Dictionary Epoch::state() const {
  Dictionary d{{"number", static_cast<uint64_t>(number_)},
               {"samples", static_cast<uint64_t>(samples_)},
               {"loss", loss_},
               {"metric", metric_}};
  if (validated_) d["validated"] = *validated_;
  return d;
}

void Epoch::restore(const Dictionary& d) {
  *this = {};
  if (d.size() == 0) return;
  number_ = count_in(d, "number");
  samples_ = count_in(d, "samples");
  loss_ = d.at("loss").as<double>();
  metric_ = d.at("metric").as<double>();
  if (const DictionaryValue* v = d.find("validated")) validated_ = v->as<double>();
}

}  // namespace training
}  // namespace cantik
