#include "execute/largest.h"

#include <memory>

#include "base/text.h"
#include "graph/node.h"

namespace cantik::runtime {

void rethrow_with_largest(const Error& e, const Program& p, const std::vector<RowSpace>& spaces,
                          const ir::Sources& sources) {
  double most = -1;
  int64_t rows = 0;
  ir::ValueId largest;
  for (ir::ValueId v : p.graph.values.ids()) {
    if (!p.graph.value(v).producer) continue;
    const Type& t = p.graph.type(v);
    const int32_t space = p.schedule.space[v];
    const int64_t its_rows = space > 0 ? spaces[space].most : 1;
    const double bytes = static_cast<double>(t.shape.elements()) * static_cast<double>(size_of(t.dtype)) *
                         static_cast<double>(its_rows);
    if (bytes > most) most = bytes, largest = v, rows = its_rows;
  }
  if (!largest) throw Error(e);
  const Error told =
      Error(e).line("largest", cat(p.graph.type(largest).text(), ", ", rows, rows == 1 ? " row" : " rows"));
  if (const ir::SourceId source = p.graph.producer(largest)->source) rethrow_with(told, *sources[source]);
  throw Error(told);
}

}  // namespace cantik::runtime
