// Where the columns of a row are in an operand that broadcasts to it.
#pragma once

#include <cstdint>
#include <vector>

#include <cantik/shape.h>

namespace cantik::cpu {

std::vector<int32_t> column_table(const Shape& result, const Shape& operand);

}  // namespace cantik::cpu
