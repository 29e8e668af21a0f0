// What golden/ops_cntk.py wrote down of CNTK 2.7.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cases.h"

namespace cantik::testing {

struct Golden {
  Case c;
  std::map<std::string, Result> f32, f64;      // by name
  std::map<std::string, std::string> refused;  // "f32", "f64": what CNTK said
  std::map<std::string, bool> no_gradient;
};

std::vector<Golden> read_goldens(const std::string& path);

// Runs the case with float32 and float64, and expects CNTK's results of all that the case does not note as
// other ones; those must differ. difference() tells how two results differ; "": they do not.
using Difference =
    std::function<std::string(const Golden& g, DType dtype, const Result& want, const Result& have)>;
void expect_what_cntk_makes(const Golden& g, const Difference& difference);

}  // namespace cantik::testing
