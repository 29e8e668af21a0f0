// What golden/ops_cntk.py wrote down of CNTK 2.7.
#pragma once

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

}  // namespace cantik::testing
