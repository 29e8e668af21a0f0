// Whether a measurement of an epoch got better, for callbacks that wait for that.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include <cantik/callback.h>
#include <cantik/error.h>

#include "base/options.h"
#include "base/text.h"

namespace cantik::training {

// A NaN is never better; a first number is.
inline bool is_better(double value, double best, double min_delta, bool larger_is_better) {
  if (std::isnan(value)) return false;
  if (std::isnan(best)) return true;
  return larger_is_better ? value > best + min_delta : value < best - min_delta;
}

// The entry of a record that a callback watches.
inline double watched(const EpochRecord& record, const std::string& monitor) {
  if (const double* value = record.find(monitor)) return *value;
  throw value_error(cat("monitor must be one of ",
                        join(record.entries(), ", ", [](const EpochRecord::Entry& e) { return e.first; }),
                        ", not '", monitor, "'"))
      .remedy("name one of these, or have it measured: val_metric by a cross-validation");
}

// Whether larger numbers of the entry are better ones: as somebody said, or by its name.
inline bool grows(const std::string& monitor, std::optional<bool> larger_is_better) {
  if (larger_is_better) return *larger_is_better;
  for (const char* name : {"accuracy", "precision", "recall", "f1", "auc", "r2"})
    if (monitor.ends_with(name)) return true;
  return false;
}

// The options of a callback that watches an entry, checked.
template <class Options>
Options checked(Options options) {
  if (options.monitor.empty()) throw value_error("monitor must name an entry of the epochs' records");
  check_options(options);
  options.larger_is_better = grows(options.monitor, options.larger_is_better);
  return options;
}

}  // namespace cantik::training
