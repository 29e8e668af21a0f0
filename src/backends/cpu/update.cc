// Updates run over the arrays' own memory: as loops that are compiled, where the formula is one of those, or
// as tile programs.
#include "backends/host/updates.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "backends/cpu/formulas.h"
#include "backends/cpu/tile_program.h"
#include "graph/trace_results.h"

namespace cantik::host {

using namespace cpu;

namespace {

constexpr int kMostSlots = 64;
// Short tiles: while one is divided and rooted, memory already brings the next.
constexpr int64_t kStep = 128;

// a * b + c in one step where nobody else reads the product.
Expression contract(const Expression& given) {
  Expression e = given;
  std::vector<int32_t> uses(e.codes.size(), 0);
  for (const Code& k : e.codes)
    for (int32_t arg : {k.a, k.b, k.c})
      if (arity(k.op) > 0 && arg >= 0) ++uses[arg];
  for (int32_t r : e.results) ++uses[r];
  auto product = [&](int32_t i) { return e.codes[i].op == CANTIK_X_MUL && uses[i] == 1; };
  for (Code& k : e.codes) {
    if (k.op != CANTIK_X_ADD || (!product(k.a) && !product(k.b))) continue;
    int32_t other = product(k.a) ? k.b : k.a;
    const Code& m = e.codes[product(k.a) ? k.a : k.b];
    k = {CANTIK_X_FMA, m.a, m.b, other, 0};
  }
  e.drop_unused();
  return e;
}

// So many arrays, then numbers.
std::vector<bool> behind(int arrays, int numbers) {
  std::vector<bool> is_number(static_cast<size_t>(arrays));
  is_number.resize(static_cast<size_t>(arrays + numbers), true);
  return is_number;
}

template <class T>
class TileUpdate : public Update {
 public:
  TileUpdate(const Expression& e, const UpdateForm& form)
      : program_(contract(e), {.inputs = form.arrays + form.numbers,
                               .uniform = behind(form.arrays, form.numbers),
                               .overwrites = form.overwrites,
                               .tile = kStep}),
        overwrites_(form.overwrites),
        arrays_(form.arrays),
        numbers_(form.numbers) {
    if (program_.slots() > kMostSlots)
      throw unsupported("a learner's formula has more than " + std::to_string(kMostSlots) +
                        " operands and steps");
    steps = program_.steps();
  }

  void prepare(UpdateScratch& s, std::span<const double> numbers, int64_t most) const override {
    int64_t n = std::min(kStep, (std::max<int64_t>(most, 1) + 15) / 16 * 16);
    if (s.ready >= n && std::equal(numbers.begin(), numbers.end(), s.numbers.begin(), s.numbers.end()))
      return;
    if (!s.memory)
      s.memory =
          allocate_block(static_cast<size_t>(program_.scratch() +
                                             program_.spacing() * (numbers_ + arrays_ + program_.results())) *
                         sizeof(T));
    T* slot[kMostSlots];
    point(s, slot);
    program_.start(slot, memory(s), n);
    for (int i = 0; i < numbers_; ++i)
      std::fill_n(slot[arrays_ + i], TileProgram<T>::kSome, static_cast<T>(numbers[i]));
    program_.run_uniform(slot, n);
    s.numbers.assign(numbers.begin(), numbers.end());
    s.ready = n;
  }

  void run(const UpdateScratch& s, void* const* arrays, int64_t n) const override {
    T* slot[kMostSlots];
    point(s, slot);
    int64_t whole = n / 16 * 16;
    for (int64_t at = 0; at < whole; at += kStep) {
      aim(slot, arrays, at);
      program_.run(slot, std::min(kStep, whole - at));
    }
    if (whole < n) rest(s, slot, arrays, whole, n - whole);
  }

  // Parts are numbers of T: where one is infinite, rmsprop rests, as in CNTK.
  double sum(const UpdateScratch& s, void* const* arrays, int64_t n) const override {
    T* slot[kMostSlots];
    point(s, slot);
    T* result = tail(s, arrays_);
    slot[program_.result_slot(0)] = result;
    double total = 0;
    int64_t whole = n / 16 * 16;
    for (int64_t at = 0; at < whole; at += kStep) {
      for (int i = 0; i < arrays_; ++i) slot[i] = static_cast<T*>(arrays[i]) + at;
      int64_t m = std::min(kStep, whole - at);
      program_.run(slot, m);
      total += static_cast<double>(static_cast<T>(kernels<T>().sum(result, m)));
    }
    if (whole < n) {
      take(s, slot, arrays, whole, n - whole);
      program_.run(slot, 16);
      total += static_cast<double>(static_cast<T>(kernels<T>().sum(result, n - whole)));
    }
    return total;
  }

 protected:
  int arrays() const { return arrays_; }

 private:
  // Scratch: what the program wants, then a tile for each number, then one for each array and result.
  static T* memory(const UpdateScratch& s) { return static_cast<T*>(s.memory.get()); }
  T* tail(const UpdateScratch& s, int i) const {
    return memory(s) + program_.scratch() + (numbers_ + i) * program_.spacing();
  }
  void point(const UpdateScratch& s, T** slot) const {
    program_.point(slot, memory(s));
    for (int i = 0; i < numbers_; ++i)
      slot[arrays_ + i] = memory(s) + program_.scratch() + i * program_.spacing();
  }
  void aim(T** slot, void* const* arrays, int64_t at) const {
    for (int i = 0; i < arrays_; ++i) slot[i] = static_cast<T*>(arrays[i]) + at;
    for (int r = 0; r < program_.results(); ++r) slot[program_.result_slot(r)] = slot[overwrites_[r]];
  }
  // The last elements through memory of our own, so that nothing is read or written beyond the end.
  void take(const UpdateScratch& s, T** slot, void* const* arrays, int64_t at, int64_t n) const {
    for (int i = 0; i < arrays_; ++i) {
      slot[i] = tail(s, i);
      std::memcpy(slot[i], static_cast<T*>(arrays[i]) + at, static_cast<size_t>(n) * sizeof(T));
      std::fill(slot[i] + n, slot[i] + 16, T(0));
    }
  }
  void rest(const UpdateScratch& s, T** slot, void* const* arrays, int64_t at, int64_t n) const {
    take(s, slot, arrays, at, n);
    for (int r = 0; r < program_.results(); ++r) slot[program_.result_slot(r)] = slot[overwrites_[r]];
    program_.run(slot, 16);
    for (int32_t i : overwrites_)
      std::memcpy(static_cast<T*>(arrays[i]) + at, slot[i], static_cast<size_t>(n) * sizeof(T));
  }

  TileProgram<T> program_;
  std::vector<int32_t> overwrites_;
  int arrays_, numbers_;
};

template <class T>
class LoopUpdate final : public TileUpdate<T> {
 public:
  LoopUpdate(const Expression& e, const UpdateForm& form, int loop)
      : TileUpdate<T>(e, form), loop_(kernels<T>().update_loops[loop]) {
    this->is_loop = true;
  }
  void prepare(UpdateScratch& s, std::span<const double> numbers, int64_t) const override {
    s.numbers.assign(numbers.begin(), numbers.end());
  }
  void run(const UpdateScratch& s, void* const* arrays, int64_t n) const override {
    T numbers[kMostSlots];
    std::transform(s.numbers.begin(), s.numbers.end(), numbers, [](double x) { return static_cast<T>(x); });
    T* typed[kMostSlots];
    for (int i = 0; i < this->arrays(); ++i) typed[i] = static_cast<T*>(arrays[i]);
    loop_(typed, numbers, n);
  }

 private:
  UpdateLoop<T> loop_;
};

// The expression that a learner of this formula traces.
template <class F>
Expression expression_of() {
  return trace_results([] {
    Real x[F::kArrays], number[F::kNumbers];
    for (int i = 0; i < F::kArrays; ++i) x[i] = Real::symbol(CANTIK_X_INPUT, i);
    for (int i = 0; i < F::kNumbers; ++i) number[i] = Real::symbol(CANTIK_X_INPUT, F::kArrays + i);
    F::step(x, number, [](Real v) { return sqrt(v); });
    std::vector<Real> results{x[0]};
    results.insert(results.end(), x + 2, x + F::kArrays);
    return results;
  });
}

template <class... F>
std::vector<Expression> expressions_of(FormulaList<F...>) {
  return {expression_of<F>()...};
}

// Which compiled loop has this formula, or -1.
int loop_of(const Expression& e, const UpdateForm& form) {
  static const std::vector<Expression> known = expressions_of(UpdateFormulas());
  for (size_t i = 0; i < form.overwrites.size(); ++i)
    if (form.overwrites[i] != (i == 0 ? 0 : static_cast<int32_t>(i) + 1)) return -1;
  if (form.arrays != static_cast<int>(form.overwrites.size()) + 1) return -1;
  auto at = std::find(known.begin(), known.end(), e);
  return at == known.end() ? -1 : static_cast<int>(at - known.begin());
}

template <class T>
std::unique_ptr<Update> made_update(const Expression& e, const UpdateForm& form) {
  const int loop = loop_of(e, form);
  if (loop >= 0) return std::make_unique<LoopUpdate<T>>(e, form, loop);
  return std::make_unique<TileUpdate<T>>(e, form);
}

}  // namespace

std::unique_ptr<Update> make_update(const Expression& e, const UpdateForm& form, DType dtype) {
  switch (dtype) {
    case DType::float32: return made_update<float>(e, form);
    case DType::float64: return made_update<double>(e, form);
    default:
      throw unsupported("learners cannot update parameters of " + std::string(name_of(dtype)))
          .remedy("keep the parameters in float32 and cast them in the model");
  }
}

}  // namespace cantik::host
