#include "execute/calls.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/interrupt.h"

namespace cantik::runtime {

namespace {
constexpr int64_t kFirstParts = 64;
constexpr double kPartNanoseconds = 50e6;
}  // namespace

void Calls::refuse_nan(const Instruction& ins, const cantik_run& r) const {
  const Program& p = program;
  for (int k = 0; k < ins.outputs; ++k) {
    const OperandRef& ref = p.operands[ins.first_operand + ins.inputs + k];
    if ((ref.dtype != DType::float32 && ref.dtype != DType::float64) || ref.storage != Storage::dense)
      continue;
    Tensor t = Tensor::borrow(
        ref.dtype, {r.out[k].rows * ref.pitch},
        static_cast<char*>(r.out[k].data) - ref.place.offset * static_cast<int64_t>(size_of(ref.dtype)),
        nullptr);
    for (int64_t e = 0; e < r.out[k].rows * ref.stride; ++e)
      if (std::isnan(t.at(e / ref.stride * ref.pitch + e % ref.stride + ref.place.offset))) {
        Error error = runtime_error(cat(operator_of(ins, sources), " made a NaN, in row ",
                                        ref.stride ? e / ref.stride : 0, ", element ",
                                        ref.stride ? e % ref.stride : 0));
        if (ins.source) rethrow_with(error, *sources[ins.source]);
        throw error;
      }
  }
}

void Calls::in_parts(const Instruction& ins, cantik_run& r, int64_t rows) const {
  const int64_t first = r.begin, last = r.end, work = ins.row_work * rows;
  if (work < kTimedWork || last - first < 2) {
    call(ins, r);
    return may_end(work + kInstructionWork);
  }
  using Clock = std::chrono::steady_clock;
  Clock::time_point before = Clock::now();
  double unit_time = ins.unit_time.known();
  for (int64_t next = first; next < last && !team.failed(); next = r.end) {
    const int64_t left = last - next;
    const double part =
        unit_time > 0 ? kPartNanoseconds / unit_time : static_cast<double>(left / kFirstParts);
    r.begin = next;
    r.end = part < static_cast<double>(left) ? next + std::max<int64_t>(1, static_cast<int64_t>(part)) : last;
    call(ins, r);
    const Clock::time_point now = Clock::now();
    const double took = std::max(1.0, std::chrono::duration<double, std::nano>(now - before).count());
    before = now;
    unit_time = took / static_cast<double>(r.end - r.begin);
    ins.unit_time.learn(static_cast<float>(unit_time));
    may_end(static_cast<int64_t>(took));
  }
  r.begin = first;
  r.end = last;
}

}  // namespace cantik::runtime
