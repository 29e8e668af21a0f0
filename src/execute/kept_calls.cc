#include "execute/kept_calls.h"

#include <algorithm>
#include <cstring>

#include <cantik/tensor.h>

namespace cantik::runtime {

namespace {

// One call, and what it has to do with others.
class KeptCall {
 public:
  KeptCall(const Calls& calls, const Instruction& i, RunKeeper& keeper)
      : calls_(calls), i_(i), keeper_(keeper) {}

  // With all units of so many rows.
  void call(cantik_run& r, int64_t rows) const {
    const Node* function = i_.keeps ? calls_.sources[i_.source].get() : nullptr;
    keeper_.enter(function);
    if (i_.reads_saved) keeper_.read(*static_cast<const double*>(r.in[0].data));
    r.begin = 0;
    r.end = calls_.units_of(i_, rows);
    calls_.call(i_, r);
    if (i_.saves) keeper_.number(r.out[i_.outputs - 1]);
    keeper_.enter(nullptr);
  }

  const OperandRef& ref(int32_t k) const { return calls_.program.operands[i_.first_operand + k]; }
  bool has_rows(int32_t k) const { return ref(k).has_rows(); }
  size_t row_bytes(int32_t k) const { return static_cast<size_t>(ref(k).stride) * size_of(ref(k).dtype); }

  // What a call has made of results without rows.
  void add(const cantik_operand* results, SumsOfCalls& sums) const {
    std::vector<double> more;
    for (int32_t k = 0; k < i_.outputs; ++k) {
      std::vector<double>& sum = sums[k];
      more.resize(sum.size());
      copy_numbers(ref(i_.inputs + k).dtype, results[k].data, DType::float64, more.data(),
                   static_cast<int64_t>(sum.size()));
      for (size_t e = 0; e < sum.size(); ++e) sum[e] += more[e];
    }
  }

 private:
  const Calls& calls_;
  const Instruction& i_;
  RunKeeper& keeper_;
};

// Rows of an operand side by side, in memory of their own.
struct RowsOfCall {
  std::vector<double> memory;
  cantik_operand operand;
  RowsOfCall(const cantik_operand& whole, size_t row_bytes, int64_t stride, int64_t rows)
      : memory((row_bytes * static_cast<size_t>(rows) + sizeof(double) - 1) / sizeof(double)),
        operand(whole) {
    operand.data = memory.data();
    operand.rows = rows;
    operand.stride = stride;
    operand.map = nullptr;
    operand.offsets = nullptr;
  }
};

char* row_of(const cantik_operand& o, int64_t row, size_t number) {
  return static_cast<char*>(o.data) + (o.map ? o.map[row] : row) * o.stride * static_cast<int64_t>(number);
}

// The rows of several calls, for no gradient goes back from step to step: those of each call for themselves
// and in their order, the last call first.
void call_for_each(const KeptCall& kept, const Instruction& i, const cantik_run& r, SumsOfCalls& sums) {
  for (const std::vector<int64_t>& mine : RunKeeper::by_calls(r.in[0])) {
    const int64_t count = static_cast<int64_t>(mine.size());
    std::vector<RowsOfCall> own;
    std::vector<cantik_operand> operands;
    for (int32_t k = 0; k < i.inputs + i.outputs; ++k) {
      const cantik_operand& whole = k < i.inputs ? r.in[k] : r.out[k - i.inputs];
      const size_t bytes = kept.row_bytes(k), number = size_of(kept.ref(k).dtype);
      if (k < i.inputs && !kept.has_rows(k)) {
        operands.push_back(whole);
        continue;
      }
      const int64_t rows = kept.has_rows(k) ? count : 1;
      const RowsOfCall& part = own.emplace_back(whole, bytes, kept.ref(k).stride, rows);
      for (int64_t at = 0; k < i.inputs && at < rows; ++at)
        std::memcpy(row_of(part.operand, at, number), row_of(whole, mine[at], number), bytes);
      operands.push_back(part.operand);
    }
    cantik_run call = r;
    call.in = operands.data();
    call.out = operands.data() + i.inputs;
    kept.call(call, count);
    kept.add(call.out, sums);
    for (int32_t k = 0; k < i.outputs; ++k) {
      if (!kept.has_rows(i.inputs + k)) continue;
      const size_t bytes = kept.row_bytes(i.inputs + k), number = size_of(kept.ref(i.inputs + k).dtype);
      for (int64_t at = 0; at < count; ++at)
        std::memcpy(row_of(r.out[k], mine[at], number), row_of(call.out[k], at, number), bytes);
    }
  }
}

}  // namespace

SumsOfCalls no_sums(const Program& p, const Instruction& i) {
  SumsOfCalls sums(static_cast<size_t>(i.outputs));
  for (int32_t k = 0; k < i.outputs; ++k)
    if (const OperandRef& r = p.operands[i.first_operand + i.inputs + k]; !r.has_rows())
      sums[k].resize(static_cast<size_t>(r.stride));
  return sums;
}

void write_sums(const Program& p, const Instruction& i, const SumsOfCalls& sums, cantik_operand* results) {
  for (int32_t k = 0; k < i.outputs; ++k)
    copy_numbers(DType::float64, sums[k].data(), p.operands[i.first_operand + i.inputs + k].dtype,
                 results[k].data, static_cast<int64_t>(sums[k].size()));
}

void call_with_keeper(const Calls& calls, const Instruction& i, cantik_run& r, int64_t rows,
                      RunKeeper& keeper, SumsOfCalls* sums) {
  const KeptCall kept(calls, i, keeper);
  if (!i.reads_saved) return kept.call(r, rows);
  if (r.in[0].rows > 0 && RunKeeper::are_of_one_call(r.in[0])) {
    kept.call(r, rows);
    if (sums) kept.add(r.out, *sums);
    return;
  }
  SumsOfCalls own = no_sums(calls.program, i);
  call_for_each(kept, i, r, sums ? *sums : own);
  if (!sums) write_sums(calls.program, i, own, const_cast<cantik_operand*>(r.out));
}

void find_lengths(const Calls& calls, const Instruction& i, cantik_run& r, RunKeeper* keeper,
                  std::span<int64_t> lengths) {
  if (keeper && i.needs_keeper) {
    if (i.reads_saved && r.in[0].rows == 0) return;
    keeper->enter(i.keeps ? calls.sources[i.source].get() : nullptr);
    if (i.reads_saved) keeper->read(*static_cast<const double*>(r.in[0].data));
  }
  call_kernel(i, calls.sources, [&](char* text, size_t size) {
    return i.kernel.lengths(i.kernel.state, &r, lengths.data(), text, size);
  });
}

}  // namespace cantik::runtime
