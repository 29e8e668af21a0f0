// list(): the fields of a struct, which operators, learners, layers and trainings state of their options.
#pragma once

#include <tuple>

namespace cantik {

// The fields of a struct, in the order of the call.
template <class... F>
constexpr auto list(F... fields) {
  return std::tuple{fields...};
}

}  // namespace cantik
