#include "runtime/longest.h"

#include <algorithm>

#include "base/interrupt.h"
#include "base/text.h"
#include "graph/loops.h"
#include "graph/node.h"
#include "graph/object.h"
#include "runtime/engine.h"

namespace cantik::runtime {

std::shared_ptr<Executable> LongestSequences::maker_of(const Axes& axes) {
  const Uninterrupted while_locked;
  std::lock_guard lock(mutex_);
  for (const auto& [known, x] : makers_)
    if (known == axes) return x;
  for (const std::vector<Variable>* roots : {&request_.outputs, &request_.roots})
    for (const Variable& v : *roots) {
      Variable made = v.is_output() ? maker_of_axes(v.node(), axes) : Variable();
      if (!made) continue;
      ir::Request own;
      own.outputs = {made};
      own.mode = request_.mode;
      makers_.emplace_back(axes, make_executable(own, draws_));
      return makers_.back().second;
    }
  throw unsupported(
      cat("steps on the axes ", axes.text(), " become a static axis, but nothing says how many there are"))
      .remedy("feed an input on these axes");
}

std::vector<std::pair<Axes, int64_t>> LongestSequences::of(const std::vector<Axes>& axes,
                                                           const Feeds& feeds) {
  std::vector<std::pair<Axes, int64_t>> list;
  for (const Axes& a : axes) {
    auto fed = std::find_if(feeds.begin(), feeds.end(),
                            [&](const auto& f) { return f.first.axes() == a && f.second.layout; });
    if (fed != feeds.end()) {
      list.emplace_back(a, fed->second.layout->longest());
      continue;
    }
    ObjectStates objects;
    list.emplace_back(a, maker_of(a)->rehearse(feeds, objects).value(0).layout->longest());
  }
  return list;
}

}  // namespace cantik::runtime
