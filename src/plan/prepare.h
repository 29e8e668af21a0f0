// A kernel made for its types: a function and its state.
#pragma once

#include <string>

#include <cantik/op/kernel.h>

#include "compile/graph.h"

namespace cantik::runtime {

class Prepared {
 public:
  Prepared() = default;
  Prepared(Prepared&& o) noexcept { *this = std::move(o); }
  Prepared& operator=(Prepared&& o) noexcept;
  ~Prepared();

  void* state = nullptr;
  void (*release)(void*) = nullptr;
  cantik_status (*run)(const void* state, const cantik_run*, char*, size_t) = nullptr;
  int64_t (*units)(const void* state, int64_t rows) = nullptr;
  cantik_status (*lengths)(const void* state, const cantik_run*, int64_t*, char*, size_t) = nullptr;
  int64_t most_rows_per_row = 0, most_rows_per_sequence = 0;
  int64_t scratch_bytes = 0, row_work = 0;
  std::string name;
  std::string library;  // that it comes from; empty: it is built in
};

// The first kernel of the node's operator that does not decline, or the interpreter of an elementwise chain.
Prepared prepare(const ir::Graph& g, const ir::Node& n);

}  // namespace cantik::runtime
