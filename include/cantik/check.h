// Checks of networks: gradients against differences, and numbers that are not finite.
//
//   GradientReport report = check_gradient(loss, {{x, data}});
//   if (!report) std::puts(report.text().c_str());
//
//   for (const NonFinite& n : find_non_finite(model, feeds))
//     if (n.is_origin) std::puts(n.text().c_str());
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>

namespace cantik {

// How gradients are compared.
struct GradientCheck {
  std::vector<Variable> wrt = {};        // empty: all parameters, and the inputs that need a gradient
  std::optional<double> step = {};       // of the differences; without: 1e-6 in float64, 1e-2 else
  std::optional<double> tolerance = {};  // without: 1e-6 in float64, 2e-2 else
  int samples = 32;                      // how many elements of each variable are tried, at most
  uint64_t seed = 0;                     // which ones
  RunOptions run = {};                   // how each run is done
};

// How far one variable's gradient is off: |difference - gradient|, less what the rounding of the outputs
// makes of a difference, relative to the larger of the difference and the variable's largest gradient.
struct GradientError {
  Variable variable;                    // whose gradient it is
  double error = 0;                     // the largest one
  int64_t element = -1;                 // where it is largest, counted in the variable's own order
  double gradient = 0, difference = 0;  // there
};

// What check_gradient found; true where all gradients agree.
struct CANTIK_API GradientReport {
  std::vector<GradientError> errors;  // of each variable
  double tolerance = 0;               // that the errors were compared with

  explicit operator bool() const;
  // A line for each variable.
  std::string text() const;
};

// Compares the gradients of the summed output with central differences, element by element. Float64 gives
// sharp answers, float32 rough ones. Parameters have their values back afterwards, however it ends. A
// function of several outputs, sparse data, nothing to differentiate by, a step that is not positive are
// ValueErrors.
CANTIK_API GradientReport check_gradient(const Function& function, const Feeds& feeds,
                                         const GradientCheck& check = {});

// A value of a network with numbers that are not finite.
struct CANTIK_API NonFinite {
  Variable variable;                 // the value that has them
  int64_t nans = 0, infinities = 0;  // how many numbers are none, and how many are infinite
  int64_t row = 0, element = 0;      // where the first stands
  bool is_origin = false;            // every operand of its function is finite

  // The variable with the counts.
  std::string text() const;
};

// The values that are not finite when the network is evaluated: leaves first, then results of its functions,
// in the order in which data flow. Blocks stay closed. RunOptions::check_nan stops at the first NaN instead.
CANTIK_API std::vector<NonFinite> find_non_finite(const Function& network, const Feeds& feeds,
                                                  const RunOptions& options = {});

}  // namespace cantik
