// The same numbers in the memory of another device: where a run that is not the host's alone reads what lies
// elsewhere. Runs copy; there is no kernel.
#include <cantik/op.h>

using namespace cantik;

CANTIK_OP(copy) {
  op.signature("copy(x)").traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_TAKES_SPARSE).type([](Infer& in) {
    in.set(in.in(0));
  });
}
