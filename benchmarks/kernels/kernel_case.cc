#include "kernels/kernel_case.h"

#include <algorithm>
#include <functional>
#include <random>

#include "backends/cpu/table.h"
#include "compile/stated.h"
#include "kernels/peak.h"

namespace cantik::bench {

Type batch(Shape shape, DType dtype) { return {dtype, std::move(shape), Axes::batch(), Storage::dense}; }
Type fixed(Shape shape, DType dtype) { return {dtype, std::move(shape), Axes(), Storage::dense}; }

KernelCase::KernelCase(const std::string& op, const std::vector<Type>& in,
                       const std::vector<NamedAttribute>& attributes, int64_t rows) {
  const Operator& o = Registry::global().get(op);
  std::vector<Attribute> values = o.defaults();
  for (const NamedAttribute& a : attributes) values[static_cast<size_t>(o.field(a.name))] = a.value;
  std::vector<ir::ValueId> leaves;
  for (const Type& t : in)
    leaves.push_back(graph_.add_leaf(ir::LeafKind::input, t, static_cast<int32_t>(leaves.size())));
  node_ = graph_.value(graph_.call(o, std::move(values), leaves, {})[0]).producer;
  if (auto packed = ir::operand_to_pack(graph_, graph_.node(node_))) {
    const ir::ValueId v = graph_.call(*packed->op, packed->attributes, {&leaves[packed->operand], 1}, {})[0];
    graph_.node(node_).in[packed->operand] = v;
    graph_.node(node_).attributes[static_cast<size_t>(o.facts.packed.attribute)] = Attribute(true);
  }
  prepare(rows);
}

KernelCase::KernelCase(Expression e, const std::vector<Type>& in, int64_t rows) {
  std::vector<ir::ValueId> leaves;
  for (const Type& t : in)
    leaves.push_back(graph_.add_leaf(ir::LeafKind::input, t, static_cast<int32_t>(leaves.size())));
  node_ = graph_.value(graph_.map(std::move(e), leaves, {})).producer;
  prepare(rows);
}

void KernelCase::prepare(int64_t rows) {
  const ir::Node& n = graph_.node(node_);
  kernel_ = ir::prepare(graph_, n);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  auto add = [&](const Type& t) {
    cantik_operand o{};
    o.rows = t.axes.has_batch() ? rows : 1;
    o.stride = t.axes.has_batch() ? t.shape.elements() : 0;
    int64_t count = o.rows * t.shape.elements();
    memory_.push_back(allocate_block(static_cast<size_t>(count) * size_of(t.dtype) + 64));
    o.data = memory_.back().get();
    for (int64_t i = 0; i < count; ++i) {
      double x = uniform(random);
      if (t.dtype == DType::float64)
        static_cast<double*>(o.data)[i] = x;
      else
        static_cast<float*>(o.data)[i] = static_cast<float>(x);
    }
    operands_.push_back(o);
  };
  for (ir::ValueId v : n.in) add(graph_.type(v));
  for (ir::ValueId v : n.out) add(graph_.type(v));
  dtype_ = graph_.type(n.out[0]).dtype;
  scratch_ = allocate_block(static_cast<size_t>(kernel_.scratch_bytes) + 64);
  run_.size = sizeof run_;
  run_.in = operands_.data();
  run_.out = operands_.data() + n.in.size();
  run_.scratch = scratch_.get();
  run_.end = kernel_.units ? kernel_.units(kernel_.state, run_.out[0].rows) : run_.out[0].rows;
}

void KernelCase::run() {
  char text[256];
  kernel_.run(kernel_.state, &run_, text, sizeof text);
}

void KernelCase::measure(benchmark::State& state, double flops) {
  measure_against_peak(state, dtype_, flops, [this] { run(); });
}

void measure_against_peak(benchmark::State& state, DType dtype, double flops,
                          const std::function<void()>& f) {
  const char* level = cpu::table().name;
  f();
  double begin = thread_seconds();
  f();
  int64_t times = std::max<int64_t>(1, static_cast<int64_t>(1e-3 / std::max(1e-9, thread_seconds() - begin)));
  std::vector<double> shares;
  double before = fma_rate(level, dtype);
  for (auto _ : state) {
    begin = thread_seconds();
    for (int64_t i = 0; i < times; ++i) f();
    double seconds = (thread_seconds() - begin) / static_cast<double>(times), after = fma_rate(level, dtype);
    state.SetIterationTime(seconds);
    shares.push_back(flops / seconds / ((before + after) / 2));
    before = after;
  }
  std::sort(shares.begin(), shares.end());
  state.counters["GFLOP/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["of_peak"] = shares[shares.size() / 2];
  state.SetLabel(level);
}

}  // namespace cantik::bench
