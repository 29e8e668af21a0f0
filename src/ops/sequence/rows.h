// What the operators on sequences share: where a sequence lies among the rows, and kernels that move whole
// rows.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <span>
#include <string>

#include <cantik/op.h>

#include "ops/data_index.h"

namespace cantik::sequences {

inline std::string counted(int64_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

inline int64_t count(const cantik_operand& x) { return x.offsets ? x.sequences : x.rows; }
// Operands on axes of their own may have any number of sequences: s, where x has so many.
inline int64_t checked(const cantik_operand& x, int64_t s) {
  const bool serves_all = !x.offsets && !x.starts && x.stride == 0;
  if (s >= count(x) && !serves_all)
    throw value_failure(
        "there is no sequence " + std::to_string(s) + " in an operand of " + counted(count(x), "sequence"),
        "give the operands as many sequences");
  return s;
}
// Rows of sequence s: first(x, s) .. last(x, s). A batch has one row for each.
inline int64_t first(const cantik_operand& x, int64_t s) {
  return x.offsets ? x.offsets[checked(x, s)] : checked(x, s);
}
inline int64_t last(const cantik_operand& x, int64_t s) {
  return x.offsets ? x.offsets[checked(x, s) + 1] : checked(x, s) + 1;
}
inline int64_t length(const cantik_operand& x, int64_t s) { return last(x, s) - first(x, s); }

// Data give a place among the steps of sequence s at which there is none.
template <class T>
Failure no_step(T place, int64_t s, int64_t steps, const std::string& wanted = "was asked for") {
  return Failure(CANTIK_RUNTIME, "step " + text_of_index(place) + " of sequence " + std::to_string(s) + " " +
                                     wanted + ", which has " + counted(steps, "step"));
}

// An operand that has to be made of sequences.
inline void want_sequence(const TypeView& x, int32_t kind = CANTIK_RUNTIME) {
  if (x.axes == CANTIK_AXES_UNKNOWN || x.has_sequence()) return;
  throw Failure(
      kind,
      x.has_batch() ? "the operand is a batch without a sequence axis" : "the operand has no sequence axis",
      "use a sequence.input_variable, or to_sequence(x)");
}

// What functions of steps refuse first, before the parts they are made of are asked.
inline void want_dynamic_axis(const TypeView& x) {
  if (x.axes == CANTIK_NO_AXES)
    throw value_failure("the operand has no dynamic axis",
                        "give what is computed from a sequence.input_variable");
}

// The axes of t become those of `like`.
inline TypeView with_axes_of(TypeView t, const TypeView& like) {
  t.axes = like.axes;
  t.sequence_axis = like.sequence_axis;
  return t;
}
inline TypeView one_a_sequence(TypeView t) {
  if (t.axes != CANTIK_AXES_UNKNOWN) t.axes = CANTIK_BATCH;
  t.sequence_axis = -1;
  return t;
}

// A plan says for a sequence, in order, which row of the first operand each row of the result is, -1 for
// zeros:
//   void rows(const Run&, int64_t sequence, auto&& put) const;   calls put(to, from)
//   void lengths(const Run&, std::span<int64_t>) const;          where the result has an axis of its own
template <class Plan>
struct MovesRows : Kernel {
  Plan plan;
  explicit MovesRows(Plan p) : plan(std::move(p)) {}
  void lengths(const Run& r, std::span<int64_t> out) const override {
    if constexpr (requires { plan.lengths(r, out); })
      plan.lengths(r, out);
    else
      Kernel::lengths(r, out);
  }
};

template <class Plan>
struct Moved {
  template <class T>
  struct Dense final : MovesRows<Plan> {
    using MovesRows<Plan>::MovesRows;
    void run(const Run& r) const override {
      int64_t n = r.out().stride;
      for (int64_t s = r.begin(); s < r.end(); ++s)
        this->plan.rows(r, s, [&](int64_t to, int64_t from) {
          if (from < 0)
            std::fill_n(r.result<T>(0, to), n, T(0));
          else
            std::copy_n(r.row<T>(0, from), n, r.result<T>(0, to));
        });
    }
  };

  // Sparse rows are written one behind the other.
  template <class T>
  struct Sparse final : MovesRows<Plan> {
    using MovesRows<Plan>::MovesRows;
    int64_t units(int64_t) const override { return 1; }
    void run(const Run& r) const override {
      const cantik_operand &x = r.in(0), &y = r.out();
      auto* starts = const_cast<int64_t*>(y.starts);
      auto* columns = const_cast<int32_t*>(y.columns);
      auto* values = static_cast<T*>(y.data);
      starts[0] = 0;
      for (int64_t s = 0, n = count(y.offsets ? y : x); s < n; ++s)
        this->plan.rows(r, s, [&](int64_t to, int64_t from) {
          int64_t at = starts[to];
          if (from >= 0)
            for (int64_t i = x.starts[from]; i < x.starts[from + 1]; ++i, ++at) {
              columns[at] = x.columns[i];
              values[at] = x.data ? static_cast<const T*>(x.data)[i] : T(1);
            }
          starts[to + 1] = at;
        });
    }
  };
};

// The kernel of a plan; `most` rows of an axis of its own for each row and each sequence of the first
// operand.
template <class Plan>
std::unique_ptr<Kernel> moved(const Prepare& p, Plan plan, int64_t most_per_row = 1,
                              int64_t most_per_sequence = 0) {
  const bool sparse = p.in(0).storage == CANTIK_CSR;
  if (sparse != (p.out().storage == CANTIK_CSR)) throw declined("sparse rows become dense ones");
  std::unique_ptr<Kernel> k = sparse ? of_type<Moved<Plan>::template Sparse>(p.dtype(), plan)
                                     : of_type<Moved<Plan>::template Dense>(p.dtype(), plan);
  k->most_rows_per_row = most_per_row;
  k->most_rows_per_sequence = most_per_sequence;
  return k;
}

inline constexpr uint64_t kMoves = CANTIK_HIDDEN | CANTIK_BY_SEQUENCE | CANTIK_TAKES_SPARSE;

}  // namespace cantik::sequences
