// Whether a measurement of an epoch got better, for callbacks that wait for that.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <cantik/callback.h>
#include <cantik/error.h>

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

inline void check_watch(const std::string& monitor, int64_t patience, double min_delta) {
  if (monitor.empty()) throw value_error("monitor must name an entry of the epochs' records");
  if (patience < 1) throw value_error(cat("patience must be at least 1, and is ", patience));
  if (!(min_delta >= 0)) throw value_error(cat("min_delta must be at least 0, and is ", min_delta));
}

}  // namespace cantik::training
