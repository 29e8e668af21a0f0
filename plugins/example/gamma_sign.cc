// y = the sign of the gamma function at x.
//
// An operator that calls code which one thread alone may run: the C library leaves the sign in a variable of
// the whole program. Cantik takes the operator's lock before it calls the kernel, and leaves it afterwards.
#include <cmath>
#include <mutex>

#include <cantik/op.h>
using namespace cantik;

namespace {

std::mutex mutex;
const cantik_lock lock{sizeof(cantik_lock), nullptr, [](void*) -> void* { return mutex.lock(), nullptr; },
                       [](void*, void*) { mutex.unlock(); }};

template <class T>
struct Signs final : Kernel {
  int64_t width;
  explicit Signs(int64_t n) : width(n) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t i = 0; i < width; ++i) {
        std::lgamma(static_cast<double>(r.row<T>(0, row)[i]));
        r.result<T>(0, row)[i] = static_cast<T>(signgam);
      }
  }
};

}  // namespace

CANTIK_OP(gamma_sign) {
  op.signature("gamma_sign(x, name='')")
      .doc("The sign of the gamma function at x: 1 or -1.")
      .traits(CANTIK_ROW_WISE | CANTIK_NO_GRADIENT)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .lock(lock)
      .kernel("lgamma",
              [](const Prepare& p, const NoAttributes&) {
                return of_type<Signs>(p.dtype(), p.out().shape.elements());
              })
      .sample({{2, 3}});
}
