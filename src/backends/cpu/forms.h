// The forms, as the CPU's kernels make them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backends/forms.h"

namespace cantik::cpu {

std::unique_ptr<Kernel> make_copy(const Prepare& p, const std::vector<forms::CopyPart>& parts,
                                  std::optional<double> fill);
std::unique_ptr<Kernel> make_lookup(const Prepare& p, std::vector<int32_t> table);
std::unique_ptr<Kernel> make_spread_back(const Prepare& p, std::vector<int32_t> table);
std::unique_ptr<Kernel> make_lines(const Prepare& p, LineKind what, int64_t columns);
std::unique_ptr<Kernel> make_reduction(const Prepare& p, Reduction what, const std::vector<bool>& reduced);

}  // namespace cantik::cpu
