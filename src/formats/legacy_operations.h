// The operations of CNTK's first generation, and what the second one calls them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <cantik/dictionary.h>

#include "formats/legacy_stream.h"

namespace cantik {

// What the file calls the dynamic axes of values without sequences.
inline constexpr std::string_view kNoSequenceAxis = "__noSequenceAxis";

struct LegacyOperation {
  const char* name;                // in files of the first generation
  uint64_t number;                 // of the second one's primitive function
  std::vector<size_t> order = {};  // which operand of the file each of its own is; empty: as they stand
  Dictionary (*attributes)(LegacyStream&) = nullptr;  // what the file says of it, in the second one's form
  void (*write)(LegacyOutput&, const Dictionary& attributes) = nullptr;  // the same into a file
};

// Null where there is none of this name.
const LegacyOperation* legacy_operation(std::string_view name);
// By its number; null where none can be written.
const LegacyOperation* legacy_operation(uint64_t number);

}  // namespace cantik
