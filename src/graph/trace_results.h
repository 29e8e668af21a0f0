// What a function of traced numbers computes, as an expression with several results.
#pragma once

#include <vector>

#include <cantik/op/real.h>

#include "graph/expression.h"

namespace cantik {

// f: () -> vector<Real>
template <class F>
Expression trace_results(F&& f) {
  struct Recording {
    Tape tape, *outer = Tape::current();
    Recording() { Tape::current() = &tape; }
    ~Recording() { Tape::current() = outer; }
  } recording;
  decltype(Expression::results) results;
  for (const Real& r : f()) results.push_back(r.id());
  const std::vector<cantik_code>& code = recording.tape.code;
  Expression e =
      Expression::from_c({static_cast<int32_t>(code.size()), results.empty() ? -1 : results[0], code.data()});
  e.results = std::move(results);
  return e;
}

}  // namespace cantik
