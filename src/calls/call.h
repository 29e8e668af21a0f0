// What bodies of typed calls share.
#pragma once

#include <vector>

#include <cantik/ops/argument.h>

namespace cantik {

inline std::vector<int64_t> codes(const std::vector<AxisArgument>& axes) {
  std::vector<int64_t> list;
  for (const AxisArgument& a : axes) list.push_back(a.code);
  return list;
}

}  // namespace cantik
