#include "execute/device_calls.h"

#include <algorithm>
#include <vector>

#include "base/interrupt.h"
#include "base/memory.h"

namespace cantik::runtime {
namespace {

// An operand whose parts a copy writes.
int64_t* starts_of(const cantik_operand& o) { return const_cast<int64_t*>(o.starts); }
int32_t* columns_of(const cantik_operand& o) { return const_cast<int32_t*>(o.columns); }

void copy_bytes(DeviceFrame& d, bool to_device, void* to, const void* from, size_t bytes) {
  if (to_device)
    d.queue.to_device(to, from, bytes);
  else
    d.queue.to_host(to, from, bytes);
}

// Starts, columns and numbers of sparse rows: on the way back their number is read first.
void copy_sparse(DeviceFrame& d, bool to_device, const OperandRef& ref, int64_t width,
                 const cantik_operand& x, const cantik_operand& y) {
  const size_t count = ref.storage == Storage::row_sparse ? 2 : static_cast<size_t>(x.rows) + 1;
  std::vector<int64_t> starts(count);
  if (to_device)
    std::copy_n(x.starts, count, starts.data());
  else
    d.queue.to_host(starts.data(), x.starts, count * sizeof(int64_t));
  const int64_t first = ref.storage == Storage::row_sparse ? 0 : starts[0], entries = starts.back() - first;
  for (int64_t& start : starts) start -= first;
  if (to_device)
    d.queue.to_device(starts_of(y), starts.data(), count * sizeof(int64_t));
  else
    std::copy_n(starts.data(), count, starts_of(y));
  copy_bytes(d, to_device, columns_of(y), x.columns + first, static_cast<size_t>(entries) * sizeof(int32_t));
  const size_t element = static_cast<size_t>(width) * size_of(ref.dtype);
  const size_t bytes = bytes_of(entries, element);
  if (x.data)
    return copy_bytes(d, to_device, y.data,
                      static_cast<const char*>(x.data) + static_cast<size_t>(first) * element, bytes);
  // no numbers stand for ones
  std::vector<double> ones(static_cast<size_t>(entries * width), 1.0);
  std::vector<char> numbers(bytes);
  copy_numbers(DType::float64, ones.data(), ref.dtype, numbers.data(), entries * width);
  copy_bytes(d, to_device, y.data, numbers.data(), bytes);
}

void copy(DeviceFrame& d, const Instruction& i, const cantik_run& r, const Program& p) {
  const OperandRef& ref = p.operands[i.first_operand];
  if (ref.storage == Storage::dense) {
    const size_t bytes = bytes_of(r.in[0].rows, bytes_of(ref.stride, size_of(ref.dtype)));
    return copy_bytes(d, i.on_device, r.out[0].data, r.in[0].data, bytes);
  }
  const Shape& shape = p.graph.type(p.graph.node(i.node).in[0]).shape;
  const bool few = ref.storage == Storage::row_sparse;
  copy_sparse(d, i.on_device, ref, few && shape[0] > 0 ? shape.elements() / shape[0] : 1, r.in[0], r.out[0]);
}

}  // namespace

void fail_on_device(const DeviceError& e, const Instruction& i, const Sources& sources) {
  fail(Error(e.kind(), i.kernel.name + ": " + e.what()), i, sources);
}

void check_results(const Frame& f, const Instruction& i, const cantik_run& r, const Calls& calls) {
  if (!calls.check_nan || i.copies) return;  // a copy makes nothing
  if (!i.on_device) return calls.check(i, r);
  std::vector<std::vector<char>> read(static_cast<size_t>(i.outputs));
  std::vector<cantik_operand> out(r.out, r.out + i.outputs);
  for (size_t k = 0; k < out.size(); ++k) {
    const OperandRef& ref = calls.program.operands[static_cast<size_t>(i.first_operand + i.inputs) + k];
    if (ref.storage != Storage::dense) continue;
    read[k].resize(bytes_of(out[k].rows, bytes_of(ref.stride, size_of(ref.dtype))));
    f.read(read[k].data(), out[k].data, read[k].size(), true);
    out[k].data = read[k].data();
  }
  cantik_run seen = r;
  seen.out = out.data();
  calls.check(i, seen);
}

void call_on_device(DeviceFrame& d, const Instruction& i, int64_t number, cantik_run& r, const Calls& calls) {
  const Node* of = nullptr;
  if (Profiler::current() && calls.sources.has(i.source)) of = calls.sources[i.source].get();
  const ProfileScope profile(i.kernel.name, of);
  try {
    if (i.copies) {
      copy(d, i, r, calls.program);
    } else {
      r.begin = 0;
      r.end = r.out[0].rows;
      r.scratch = d.scratch();
      d.queue.launch(i.kernel, r, i.inputs, i.outputs, number);
    }
  } catch (const DeviceError& e) {
    if (e.launch() >= 0) throw;  // another one's
    fail_on_device(e, i, calls.sources);
  }
  may_end(i.row_work * std::max<int64_t>(1, r.out[0].rows) + kInstructionWork);
}

}  // namespace cantik::runtime
