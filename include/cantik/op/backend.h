// What the files of a backend include: kernels for operators of the host's, and for forms, in C++ over
// backend.h.
//
//   #include <cantik/op/backend.h>
//   using namespace cantik;
//   void lines(BackendKernels& k) {
//     k.add<LineForm>("form:lines", [](const Prepare& p, const LineForm& a) { return ...; });
//   }
//
// Header-only: a library compiled with this needs no symbol of Cantik's.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include <cantik/backend.h>
#include <cantik/op.h>
#include <cantik/op/forms.h>

namespace cantik {

// The kernels of a backend.
class BackendKernels {
 public:
  // A kernel for an operator, or a form. A: the attributes that it reads, under the operator's names; f:
  // (const Prepare&, const A&) -> unique_ptr<Kernel>, without captures. It throws declined(why) where it
  // cannot.
  template <class A, class F>
  BackendKernels& add(const char* op, F) {
    static_assert(std::is_empty_v<F>, "pass a lambda that captures nothing");
    auto& names = *names_.emplace_back(std::make_unique<std::vector<const char*>>());
    std::apply([&](auto... f) { (names.push_back(f.name), ...); }, A::fields());
    kernels_.push_back({sizeof(cantik_backend_kernel), op, names.data(), static_cast<int32_t>(names.size()),
                        0, &detail::prepare_thunk<A, F>});
    return *this;
  }
  // For operators without attributes, or whose attributes do not matter.
  template <class F>
  BackendKernels& add(const char* op, F f) {
    return add<NoAttributes>(op, f);
  }
  // As the C boundary wants them; they live as long as this object.
  void hand_over(cantik_backend& b) const {
    b.kernels = kernels_.data();
    b.kernel_count = static_cast<int32_t>(kernels_.size());
  }

 private:
  std::vector<std::unique_ptr<std::vector<const char*>>> names_;
  std::vector<cantik_backend_kernel> kernels_;
};

// In one file of the library: CANTIK_BACKEND { ...; return host->define(host->self, &backend); }
#define CANTIK_BACKEND                                                                   \
  extern "C" {                                                                           \
  extern CANTIK_EXPORTED const char cantik_backend_abi[];                                \
  const char cantik_backend_abi[] =                                                      \
      CANTIK_BACKEND_ABI_TEXT(CANTIK_BACKEND_ABI_VERSION, CANTIK_BACKEND_ABI_REVISION);  \
  CANTIK_EXPORTED cantik_status cantik_backend_library(const cantik_backend_host* host); \
  }                                                                                      \
  cantik_status cantik_backend_library(const cantik_backend_host* host)

}  // namespace cantik
