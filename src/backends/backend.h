// Backend: a library that brings devices with memory of their own and kernels that work in it. The host's
// memory has none: operators' own kernels and those of backends/cpu work there.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <cantik/backend.h>
#include <cantik/device.h>
#include <cantik/op/forms.h>
#include <cantik/op/kernel.h>

#include "graph/operator.h"

namespace cantik {

class Backend {
 public:
  // A kernel for an operator or a form, and which of its attributes the kernel reads.
  struct Entry {
    cantik_backend_kernel kernel;
    std::vector<size_t> fields;
  };

  // Copies a description. An error says what is wrong with it.
  Backend(const cantik_backend& described, std::string library);

  const std::string& name() const { return name_; }
  const std::string& library() const { return library_; }
  DeviceKind kind() const { return static_cast<DeviceKind>(c_.kind); }
  uint32_t devices() const { return static_cast<uint32_t>(c_.devices); }
  const cantik_backend& c() const { return c_; }
  // In the order in which they are asked.
  std::span<const Entry> kernels_of(std::string_view op_or_form) const;

  // The kernel of a form. It declines where the backend has none for these types.
  template <class F>
  std::unique_ptr<Kernel> form(const char* name, const Prepare& p, const F& attributes) const {
    std::vector<cantik_attribute> packed;
    std::apply([&](auto... f) { (packed.push_back(pack(attributes.*(f.member))), ...); }, F::fields());
    return packed_form(name, p, packed);
  }
  // Asks for a kernel, with those of the attributes that it reads.
  cantik_status prepare(const Entry& e, std::span<const cantik_attribute> attributes,
                        cantik_prepare& p) const;

  // All that were loaded.
  static std::vector<const Backend*> all();

 private:
  std::unique_ptr<Kernel> packed_form(const char* name, const Prepare& p,
                                      std::span<const cantik_attribute> attributes) const;

  std::string name_, library_;
  cantik_backend c_;
  std::unordered_map<std::string, std::vector<Entry>> kernels_;
};

// Whose kernel it is to be; null: one of the host's memory.
inline const Backend* backend_of(const Prepare& p) { return static_cast<const Backend*>(p.c().backend); }

}  // namespace cantik
