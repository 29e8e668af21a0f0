// One operator's kernel on numbers of its own, timed against the multipliers' peak measured in between.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include <cantik/type.h>

#include "base/memory.h"
#include "plan/program.h"

namespace cantik::bench {

class KernelCase {
 public:
  // `rows` of the operands that have a batch axis; attributes by name. Weights are packed beforehand.
  KernelCase(const std::string& op, const std::vector<Type>& in,
             const std::vector<NamedAttribute>& attributes, int64_t rows);
  // An elementwise expression.
  KernelCase(Expression e, const std::vector<Type>& in, int64_t rows);

  const Type& result_type() const { return graph_.type(graph_.node(node_).out[0]); }
  // Runs all of it once.
  void run();
  // Reports time, GFLOP/s of `flops` in a run and, for multiply-adds, the share of the peak.
  void measure(benchmark::State& state, double flops);

 private:
  void prepare(int64_t rows);
  ir::Graph graph_;
  ir::NodeId node_;
  Prepared kernel_;
  std::vector<MemoryBlock> memory_;
  MemoryBlock scratch_;
  std::vector<cantik_operand> operands_;
  cantik_run run_{};
  DType dtype_ = DType::float32;
};

Type batch(Shape shape, DType dtype = DType::float32);
Type fixed(Shape shape, DType dtype = DType::float32);

// Times f, which does `flops` operations, in turn with the peak of the instruction set in use.
void measure_against_peak(benchmark::State& state, DType dtype, double flops, const std::function<void()>& f);

}  // namespace cantik::bench
