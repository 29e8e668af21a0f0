// The error of a window that does not fit into its operand. Most often the image has its channels last.
#pragma once

#include <cstdint>
#include <string>

#include <cantik/op/infer.h>

namespace cantik {

[[noreturn]] inline void kernel_too_large(int64_t kernel, int64_t size) {
  throw value_failure("Convolution operation requires that kernel dim " + std::to_string(kernel) +
                          " <= input dim " + std::to_string(size) + ".",
                      "images are [channels, height, width]: transpose(x, (2, 0, 1)) puts channels that come "
                      "last in front; or pad");
}

}  // namespace cantik
