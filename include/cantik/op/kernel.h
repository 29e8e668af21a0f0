// Kernels: made once for given types and attributes, run on any number of rows.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <cantik/op/infer.h>
#include <cantik/op/keeper.h>
#include <cantik/plugin.h>

namespace cantik {

// One call of a kernel: operands as rows, and the range of units to do. Nothing may be allocated in it.
class Run {
 public:
  // Over what the host gives.
  explicit Run(const cantik_run* c) : c_(c) {}
  // The first unit to do.
  int64_t begin() const { return c_->begin; }
  // The unit behind the last one to do.
  int64_t end() const { return c_->end; }
  // How many rows result i has.
  int64_t rows(int i = 0) const { return c_->out[i].rows; }
  // The rows of operand i.
  const cantik_operand& in(int i) const { return c_->in[i]; }
  // The rows of result i.
  const cantik_operand& out(int i = 0) const { return c_->out[i]; }
  // The value of an attribute that may change between runs, by the place of its field.
  double live(int field) const { return c_->live[field]; }
  // Whether the run is one of training.
  bool training() const { return c_->training != 0; }
  // Whether sums are added to the result instead of written.
  bool accumulate() const { return c_->accumulate != 0; }
  // The node's stream of random numbers.
  void* draws() const { return c_->draws; }
  // What the host gave.
  const cantik_run& c() const { return *c_; }
  // What the run keeps, for operators that state a fact about it.
  Keeper keeper() const { return Keeper(c_->keeper); }
  // Memory of scratch_bytes that is this worker's alone during the call.
  template <class T>
  T* scratch() const {
    return static_cast<T*>(c_->scratch);
  }

  // Row r of a dense operand, through its row map.
  template <class T>
  const T* row(int i, int64_t r) const {
    const cantik_operand& o = c_->in[i];
    return static_cast<const T*>(o.data) + (o.map ? o.map[r] : r) * o.stride;
  }
  // Row r of result i.
  template <class T>
  T* result(int i, int64_t r) const {
    const cantik_operand& o = c_->out[i];
    return static_cast<T*>(o.data) + r * o.stride;
  }

 private:
  const cantik_run* c_;
};

// A way to compute an operator for known types. One object serves many threads.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // Does the units of the run. Throws Failure where data make it impossible.
  virtual void run(const Run& run) const = 0;
  // How many pieces the work has that may go to different threads; by default one for each row of the first
  // result.
  virtual int64_t units(int64_t rows) const { return rows; }
  int64_t scratch_bytes = 0;  // that it needs beside its operands, of each thread
  int64_t state_bytes = 0;    // of tables that it keeps, where they are large: programs are dropped by size
  // Element operations for a row of the first result, eight multiply-adds counting as one: what decides
  // whether several threads share them. 0: as many as a row of the largest operand has elements.
  int64_t row_work = 0;
  // Of a result with a sequence axis of its own: the length of each sequence, and how many rows there are at
  // most for each row and each sequence of the first operand.
  virtual void lengths(const Run&, std::span<int64_t>) const {
    throw Failure(CANTIK_RUNTIME, "the kernel does not state the lengths of its sequences");
  }
  int64_t most_rows_per_row = 1, most_rows_per_sequence = 0;  // bounds of results whose rows data say
};

// What a kernel may know when it is made: types with numbers for all static dimensions, never the number of
// rows.
class Prepare {
 public:
  // Over what the host gives.
  explicit Prepare(cantik_prepare* c) : c_(c) {}
  // How many operands there are.
  int inputs() const { return c_->inputs; }
  // How many results there are.
  int outputs() const { return c_->outputs; }
  // The type of operand i.
  TypeView in(int i) const { return TypeView(c_->in[index_below(i, c_->inputs, "in")]); }
  // The type of result i.
  TypeView out(int i = 0) const { return TypeView(c_->out[index_below(i, c_->outputs, "out")]); }
  // The element type of the first result.
  DType dtype() const { return static_cast<DType>(c_->out[0].dtype); }
  // An elementwise expression to apply to the result (trait CANTIK_EPILOGUE); count 0: none.
  const cantik_expression& epilogue() const { return c_->epilogue; }
  // How many of the last operands belong to the epilogue.
  int epilogue_inputs() const { return c_->epilogue_inputs; }
  // What the host gave.
  cantik_prepare& c() const { return *c_; }

 private:
  cantik_prepare* c_;
};

// A kernel that declines throws this, with its reason; the next one of the list is asked.
inline Failure declined(const std::string& why) { return {CANTIK_UNSUPPORTED, why}; }

// K<float> or K<double>, by the type of the numbers, made of the arguments; other types are declined.
template <template <class> class K, class... Arguments>
std::unique_ptr<Kernel> of_type(DType dtype, Arguments&&... arguments) {
  if (dtype == DType::float32) return std::make_unique<K<float>>(std::forward<Arguments>(arguments)...);
  if (dtype == DType::float64) return std::make_unique<K<double>>(std::forward<Arguments>(arguments)...);
  throw declined("numbers of " + std::string(name_of(dtype)));
}

namespace detail {

// A kernel written as one function of (a zero of the element type, run, attributes).
template <class T, class F, class A>
struct SimpleKernel final : Kernel {
  explicit SimpleKernel(A a) : attributes(std::move(a)) {}
  void run(const Run& r) const override { F{}(T{}, r, attributes); }
  A attributes;
};

template <class F, class A>
struct SimpleKernels {
  template <class T>
  using OfType = SimpleKernel<T, F, A>;
};

template <class F, class A>
std::unique_ptr<Kernel> make_kernel(const Prepare& p, const A& a) {
  static_assert(std::is_empty_v<F>, "pass a lambda that captures nothing");
  if constexpr (std::is_invocable_v<F, const Prepare&, const A&>)
    return F{}(p, a);
  else
    return of_type<SimpleKernels<F, A>::template OfType>(p.dtype(), a);
}

// The line of an Error that says what to do, where the boundary has room for one text.
inline constexpr const char* remedy_line = "\n  remedy   ";

// Text of a failure for the host. It allocates nothing, since the failure may be that memory is gone.
inline auto tell(char* error, size_t size) {
  return [=](int32_t, const char* text, const char* remedy) {
    std::snprintf(error, size, "%s%s%s", text, *remedy ? remedy_line : "", remedy);
  };
}

// The host runs the kernel from now on, and releases it.
inline void hand_over(std::unique_ptr<Kernel> k, cantik_prepare* c) {
  if (!k)
    throw Failure(CANTIK_RUNTIME, "its factory returned no kernel", "return one, or throw declined(why)");
  c->scratch_bytes = k->scratch_bytes;
  c->most_rows_per_row = k->most_rows_per_row;
  c->most_rows_per_sequence = k->most_rows_per_sequence;
  if (c->size >= offsetof(cantik_prepare, row_work) + sizeof c->row_work) c->row_work = k->row_work;
  if (c->size >= offsetof(cantik_prepare, state_bytes) + sizeof c->state_bytes)
    c->state_bytes = k->state_bytes;
  c->state = k.release();
  c->release = [](void* s) { delete static_cast<Kernel*>(s); };
  c->units = [](const void* s, int64_t rows) { return static_cast<const Kernel*>(s)->units(rows); };
  c->run = [](const void* s, const cantik_run* r, char* error, size_t size) -> cantik_status {
    return guarded([&] { static_cast<const Kernel*>(s)->run(Run(r)); }, tell(error, size));
  };
  c->lengths = [](const void* s, const cantik_run* r, int64_t* lengths, char* error,
                  size_t size) -> cantik_status {
    return guarded(
        [&] {
          static_cast<const Kernel*>(s)->lengths(Run(r), {lengths, static_cast<size_t>(r->in[0].sequences)});
        },
        tell(error, size));
  };
}

template <class A, class F>
cantik_status prepare_thunk(void*, cantik_prepare* c) {
  return guarded([&] { hand_over(make_kernel<F, A>(Prepare(c), read_attributes<A>(c->attributes)), c); },
                 [&](int32_t kind, const char* text, const char* remedy) {
                   c->fail(c->self, kind,
                           *remedy ? (text + std::string(remedy_line) + remedy).c_str() : text);
                 });
}

}  // namespace detail
}  // namespace cantik
