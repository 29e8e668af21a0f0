// Reading learners' states from dictionaries.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <cantik/dictionary.h>
#include <cantik/error.h>

namespace cantik {

inline int64_t count_in(const Dictionary& d, const std::string& key) {
  uint64_t n = d.at(key).as<uint64_t>();
  if (n > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    throw runtime_error("the checkpoint's entry " + key + " is too large for a count: " + std::to_string(n));
  return static_cast<int64_t>(n);
}

}  // namespace cantik
