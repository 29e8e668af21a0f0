// Calls of kernels, which may be a library's: what they report or throw, as an error that names node and
// library.
#pragma once

#include <cstdio>
#include <memory>
#include <vector>

#include "base/text.h"
#include "graph/boundary.h"
#include "graph/node.h"
#include "runtime/program.h"

namespace cantik::runtime {

using Sources = std::vector<std::shared_ptr<Node>>;

[[noreturn]] inline void fail(const Error& e, const Instruction& i, const Sources& sources) {
  const Error told = i.kernel.library.empty() ? e : Error(e).line("library", i.kernel.library);
  if (i.source >= 0) rethrow_with(told, *sources[static_cast<size_t>(i.source)]);
  throw Error(told);
}

// code(text, size) calls one of the kernel's functions, which writes what went wrong.
template <class F>
[[gnu::always_inline]] inline void call_kernel(const Instruction& i, const Sources& sources, F&& code) {
  char text[512];
  *text = 0;  // the rest need not be cleared for every instruction
  cantik_status status;
  try {
    status = code(text, sizeof text);
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    fail(Boundary::foreign(i.kernel.name), i, sources);
  }
  if (!status) return;
  const ErrorKind kind = status == CANTIK_VALUE    ? ErrorKind::value
                         : status == CANTIK_MEMORY ? ErrorKind::memory
                                                   : ErrorKind::runtime;
  fail(Error(kind, i.kernel.name + ": " + text), i, sources);
}

// How many units the kernel makes of so many rows.
inline int64_t units_of(const Instruction& i, const Sources& sources, int64_t rows) {
  if (!i.kernel.units) return rows;
  try {
    return i.kernel.units(i.kernel.state, rows);
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    fail(Boundary::foreign(i.kernel.name), i, sources);
  }
}

}  // namespace cantik::runtime
