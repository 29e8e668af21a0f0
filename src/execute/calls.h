// Calls of kernels, which may be a library's: what they report or throw, as an error that names node and
// library.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/thread_pool.h"
#include "graph/boundary.h"
#include "graph/node.h"
#include "graph/types.h"
#include "plan/program.h"
#include "execute/carrying.h"
#include "execute/profiler.h"

namespace cantik::runtime {

// The operator of the program that an instruction runs for; its kernel's name where it runs for none.
inline std::string operator_of(const Instruction& i, const Sources& sources) {
  const Node* n = i.source ? sources[i.source].get() : nullptr;
  return n && n->op ? n->op->name : i.kernel.name;
}

[[noreturn]] inline void fail(const Error& e, const Instruction& i, const Sources& sources) {
  const Error told = i.kernel.library.empty() ? e : Error(e).line("library", i.kernel.library);
  if (i.source) rethrow_with(told, *sources[i.source]);
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
    const Node* n = i.source ? sources[i.source].get() : nullptr;
    if (n && n->op && n->op->object) throw;  // the program's own code: it is for the program
    fail(Boundary::foreign(operator_of(i, sources)), i, sources);
  }
  if (!status) return;
  const std::string said = cat(operator_of(i, sources), ": ", *text ? text : "no reason was given");
  fail(failure(status, said.c_str(), ""), i, sources);
}

// The calls of one run.
struct Calls {
  const Program& program;
  const Sources& sources;
  const Team& team;
  bool check_nan;

  void call(const Instruction& i, cantik_run& r) const {
    const Node* of = nullptr;  // only where somebody asks
    // programs may come without their graphs
    if (Profiler::current() && sources.has(i.source)) of = sources[i.source].get();
    ProfileScope profile(i.kernel.name, of);
    call_kernel(i, sources,
                [&](char* text, size_t size) { return i.kernel.run(i.kernel.state, &r, text, size); });
  }
  // The units that r says, on the rows of one thread. What takes long goes in parts, so that it can be ended.
  void in_parts(const Instruction& i, cantik_run& r, int64_t rows) const;
  // How many units the kernel makes of so many rows.
  int64_t units_of(const Instruction& i, int64_t rows) const {
    if (!i.kernel.units) return rows;
    try {
      return i.kernel.units(i.kernel.state, rows);
    } catch (const std::exception&) {
      throw;
    } catch (...) {
      fail(Boundary::foreign(i.kernel.name), i, sources);
    }
  }
  // Refuses a NaN in a result, where the run looks for them.
  void check(const Instruction& i, const cantik_run& r) const {
    if (check_nan) refuse_nan(i, r);
  }

 private:
  void refuse_nan(const Instruction& i, const cantik_run& r) const;
};

// What takes long goes in parts. Work is a rough estimate, so that from kTimedWork on the clock says how long
// an instruction takes: the first time by a first part of it.
inline constexpr int64_t kTimedWork = 200000, kInstructionWork = 50;

}  // namespace cantik::runtime
