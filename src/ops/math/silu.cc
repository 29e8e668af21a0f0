// y = x sigmoid(x), also called Swish (Elfwing et al. 2017; Ramachandran et al. 2017).
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(silu) {
  op.signature("silu(x, name='')")
      .doc("x times its sigmoid; also called Swish (Elfwing et al. 2017).")
      .expression([](Real x) { return x * sigmoid(x); })
      .cntk_block("SiLU")
      .sample({{2, 3}});
}
