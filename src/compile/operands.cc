#include "compile/operands.h"

#include <algorithm>
#include <utility>

namespace cantik::ir {

void keep_read(Expression& e, Values& in) {
  e.drop_unused();
  Expression kept;
  Values read;
  const Expression::Places place = kept.splice(e, [&](const Code& k) {
    const ValueId v = in[k.a];
    auto at = std::find(read.begin(), read.end(), v);
    if (at == read.end()) read.push_back(v), at = read.end() - 1;
    return kept.input(static_cast<int32_t>(at - read.begin()));
  });
  for (int32_t r : e.results) kept.results.push_back(place[r]);
  kept.drop_unused();  // equal codes met
  e = std::move(kept);
  in = std::move(read);
}

}  // namespace cantik::ir
