// The compiler, for tests and for people who look: its passes, the graph after each, and how often it worked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/device.h>
#include <cantik/function.h>

namespace cantik {

// The graph after one pass.
struct PassReport {
  std::string name, text;   // of the pass, and the graph after it
  double microseconds = 0;  // that the pass took
};

// The names of the passes in their order.
CANTIK_API std::vector<std::string> pass_names();
// Switches a pass off or on, for graphs that are compiled from now on. A pass without which there is no
// result is a ValueError, a name that no pass has a KeyError.
CANTIK_API void switch_pass(const std::string& name, bool on);
// Whether the graph is verified after each pass; slower.
CANTIK_API void set_verification(bool on);
// What each pass makes of a network: of its evaluation, or of its gradients with respect to `wrt`, on a
// device.
CANTIK_API std::vector<PassReport> pass_reports(const Function& network,
                                                const std::vector<Variable>& wrt = {},
                                                const Device& device = {});

// How many plans this process has made. Networks of the same structure share one.
CANTIK_API int64_t plans_compiled();
// How many programs it has made of its plans: one each, and one for each combination of free dimensions;
// never for a number of rows or a length.
CANTIK_API int64_t programs_made();

}  // namespace cantik
