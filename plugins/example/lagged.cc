// y[t] = x[t - k]; where that lies before the sequence, the initial state.
//
// An operator that is a delay: recurrences may go round it, and become loops as they do with Cantik's own.
#include <algorithm>

#include <cantik/op.h>
using namespace cantik;

namespace {

struct Lag {
  int64_t time_step = 1;
  static constexpr auto fields() { return list(field("time_step", &Lag::time_step, "how many steps back")); }
};

template <class T>
struct Copy final : Kernel {
  int64_t k, width;
  Copy(int64_t k, int64_t width) : k(k), width(width) {}
  void run(const Run& r) const override {
    const cantik_operand& x = r.in(0);
    for (int64_t s = r.begin(); s < r.end(); ++s)
      for (int64_t at = x.offsets[s]; at < x.offsets[s + 1]; ++at)
        std::copy_n(at - k >= x.offsets[s] ? r.row<T>(0, at - k) : static_cast<const T*>(r.in(1).data), width,
                    r.result<T>(0, at));
  }
};

}  // namespace

CANTIK_OP(lagged) {
  op.attributes<Lag>("lagged(x, initial_state, time_step=1, name='')")
      .doc("The step time_step before; before the first step a constant of the same shape.")
      .traits(CANTIK_DELAY | CANTIK_BY_SEQUENCE)
      .delay(CANTIK_PAST)
      .type([](Infer& in, const Lag& a) {
        if (a.time_step < 1) throw value_failure("a time step of " + std::to_string(a.time_step));
        in.set(in.like(0, in.shape(0)));
      })
      .gradient([](Gradient& g, const Lag& a) {
        if (g.wanted(0))
          g.dx(0, g.call("future_value", {g.dy(), g.constant(0, g.dy())}, {{"time_step", a.time_step}}));
      })
      .kernel("rows",
              [](const Prepare& p, const Lag& a) -> std::unique_ptr<Kernel> {
                const Shape x = p.in(0).shape;
                if (!(p.in(1).shape == x)) throw declined("an initial state of another shape");
                return of_type<Copy>(p.dtype(), a.time_step, x.elements());
              })
      .named("test.lengths", "3,1,5")
      .named("test.operands", "qc")
      .sample({{2}, {2}});
}
