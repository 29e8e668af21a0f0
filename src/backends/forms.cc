#include "backends/forms.h"

#include <utility>

#include "backends/backend.h"
#include "backends/cpu/forms.h"

namespace cantik::forms {

std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> s(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) s[i - 1] = s[i] * shape[static_cast<int>(i)];
  return s;
}

std::unique_ptr<Kernel> copy(const Prepare& p, const std::vector<CopyPart>& parts,
                             std::optional<double> fill) {
  const Backend* backend = backend_of(p);
  if (!backend) return cpu::make_copy(p, parts, fill);
  CopyForm f;
  for (const CopyPart& part : parts) {
    f.operand.push_back(part.operand);
    f.from_offset.push_back(part.from_offset);
    f.to_offset.push_back(part.to_offset);
    f.rank.push_back(static_cast<int64_t>(part.size.size()));
    f.size.insert(f.size.end(), part.size.begin(), part.size.end());
    f.from.insert(f.from.end(), part.from.begin(), part.from.end());
    f.to.insert(f.to.end(), part.to.begin(), part.to.end());
  }
  if (fill) f.fill = {*fill};
  return backend->form("form:copy", p, f);
}

std::unique_ptr<Kernel> lookup(const Prepare& p, std::vector<int32_t> table) {
  const Backend* backend = backend_of(p);
  if (!backend) return cpu::make_lookup(p, std::move(table));
  return backend->form("form:lookup", p, TableForm{{table.begin(), table.end()}});
}

std::unique_ptr<Kernel> spread_back(const Prepare& p, std::vector<int32_t> table) {
  const Backend* backend = backend_of(p);
  if (!backend) return cpu::make_spread_back(p, std::move(table));
  return backend->form("form:spread_back", p, TableForm{{table.begin(), table.end()}});
}

std::unique_ptr<Kernel> lines(const Prepare& p, LineKind what, int64_t columns) {
  const Backend* backend = backend_of(p);
  if (!backend) return cpu::make_lines(p, what, columns);
  return backend->form("form:lines", p, LineForm{static_cast<int64_t>(what), columns});
}

std::unique_ptr<Kernel> reduction(const Prepare& p, Reduction what, const std::vector<bool>& reduced) {
  const Backend* backend = backend_of(p);
  if (!backend) return cpu::make_reduction(p, what, reduced);
  return backend->form("form:reduction", p,
                       ReductionForm{static_cast<int64_t>(what), {reduced.begin(), reduced.end()}});
}

}  // namespace cantik::forms
