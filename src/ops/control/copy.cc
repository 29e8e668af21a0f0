// The same numbers in other memory: that of another device, where a run that is not the host's alone reads
// what lies elsewhere, or sparse rows for the caller of a run. Runs copy between devices; rows have a kernel.
#include "backends/host/row_sparse.h"
#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct AllRows {
  template <class Put>
  void rows(const Run& r, int64_t s, Put&& put) const {
    const cantik_operand& x = r.in(0);
    for (int64_t row = sequences::first(x, s); row < sequences::last(x, s); ++row) put(row, row);
  }
};

}  // namespace

CANTIK_OP(copy) {
  op.signature("copy(x)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_TAKES_SPARSE)
      .type([](Infer& in) { in.set(in.in(0)); })
      .kernel("few rows",
              [](const Prepare& p, const NoAttributes&) {
                if (p.in(0).storage != CANTIK_ROW_SPARSE) throw declined("it has no list of rows");
                return host::make_copy_of_few_rows(p);
              })
      .kernel("rows", [](const Prepare& p, const NoAttributes&) {
        if (p.in(0).storage != CANTIK_CSR) throw declined("it is dense");
        return sequences::moved(p, AllRows{});
      });
}
