// A kernel made for its types: a function and its state; and how one is found for an operator or an
// elementwise chain.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <cantik/op/kernel.h>
#include <cantik/type.h>

#include "graph/operator.h"

namespace cantik {

class Backend;

class Prepared {
 public:
  Prepared() = default;
  Prepared(Prepared&& o) noexcept { *this = std::move(o); }
  Prepared& operator=(Prepared&& o) noexcept;
  ~Prepared();
  explicit operator bool() const { return run != nullptr; }

  void* state = nullptr;
  void (*release)(void*) = nullptr;
  cantik_status (*run)(const void* state, const cantik_run*, char*, size_t) = nullptr;
  int64_t (*units)(const void* state, int64_t rows) = nullptr;
  cantik_status (*lengths)(const void* state, const cantik_run*, int64_t*, char*, size_t) = nullptr;
  int64_t most_rows_per_row = 0, most_rows_per_sequence = 0;
  int64_t scratch_bytes = 0, row_work = 0, state_bytes = 0;
  std::string name;
  std::string library;  // that it comes from; empty: it is built in
};

// A kernel of the house's own.
Prepared own(std::unique_ptr<Kernel> k, std::string name);

// What a kernel is to be made for.
struct Task {
  const Operator* op = nullptr;  // null: an elementwise chain
  std::span<const Type> in, out;
  std::span<const Attribute> attributes = {};
  const Expression* expression =
      nullptr;  // the chain; of an operator what is done to its result, if anything
  int32_t epilogue_inputs = 0;
  bool closes = false;  // of a chain: it is summed to its result
};

// The first kernel of the list that does not decline: of this backend's, then of those made of forms, which
// it fills in; null: of those of the host's memory. None where all decline; `reasons` gets what they say.
Prepared prepared(const Task& t, const Backend* backend, std::string& reasons);

}  // namespace cantik
