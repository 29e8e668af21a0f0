// Running built-in learners over parameters' own memory: chunks on several threads, rows of sparse gradients.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/denormals.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "learners/builtin_parts.h"

namespace cantik {
namespace {

constexpr int64_t kChunk = 16384;      // elements; sums are added chunk by chunk, whoever made them
constexpr int64_t kTeamWork = 600000;  // element operations from which a team is worth its waking
constexpr int64_t kGathered = 2048;    // elements of narrow rows that are updated together
constexpr int kMostArrays = 3 + kMostStates;

struct ElementRange {
  size_t slot;
  int64_t begin, end;
};

// Calls f(worker, chunk index, chunk) for all chunks, on a team where there is work for it. `grow` makes room
// for the workers.
template <class Grow, class F>
void for_chunks(const std::vector<ElementRange>& chunks, int64_t work, int threads, Grow&& grow, F&& f) {
  Team team(work > kTeamWork ? (threads > 0 ? threads : thread_limit()) : 1);
  int workers = team.size();
  grow(static_cast<size_t>(workers));
  team.run([&](int worker) {
    FlushDenormals flush;
    size_t begin = chunks.size() * static_cast<size_t>(worker) / static_cast<size_t>(workers);
    size_t end = chunks.size() * static_cast<size_t>(worker + 1) / static_cast<size_t>(workers);
    for (size_t i = begin; i < end; ++i) f(static_cast<size_t>(worker), i, chunks[i]);
  });
}

void add_chunks(std::vector<ElementRange>& chunks, size_t slot, int64_t elements) {
  for (int64_t at = 0; at < elements; at += kChunk)
    chunks.push_back({slot, at, std::min(elements, at + kChunk)});
}

void point_at(void** to, void* const* arrays, int count, int64_t at, DType t) {
  for (int i = 0; i < count; ++i)
    to[i] = static_cast<char*>(arrays[i]) + static_cast<size_t>(at) * size_of(t);
}

// Rows of a parameter and its states, brought together so that narrow ones fill a tile.
class NamedRows {
 public:
  // `own`: arrays of whole parameters, by row; the others lie as the gradient does.
  NamedRows(void* const* arrays, int count, uint64_t own, const Tensor& gradient, int64_t width, DType t)
      : arrays_(arrays),
        count_(count),
        own_(own),
        row_(gradient.columns()),
        rows_(width ? gradient.nonzeros() / width : 0),
        width_(width),
        bytes_(size_of(t)) {
    together_ = width >= kGathered / 4 ? 1 : kGathered / std::max<int64_t>(width, 1);
    if (together_ > 1) memory_ = allocate_block(static_cast<size_t>(count * together_ * width) * bytes_);
  }
  int64_t most() const { return std::min(together_, rows_) * width_; }

  // f(arrays, elements); what it changed goes back.
  template <class F>
  void each(F&& f, bool write) {
    for (int64_t first = 0; first < rows_; first += together_) {
      int64_t n = std::min(together_, rows_ - first);
      void* now[kMostArrays];
      for (int i = 0; i < count_; ++i) {
        if (!owned(i))
          now[i] = at(arrays_[i], first);
        else if (together_ == 1)
          now[i] = at(arrays_[i], row_[first]);
        else {
          now[i] = at(memory_.get(), i * together_);
          for (int64_t k = 0; k < n; ++k)
            std::memcpy(at(now[i], k), at(arrays_[i], row_[first + k]), row_bytes());
        }
      }
      f(now, n * width_);
      for (int i = 0; i < count_ && write && together_ > 1; ++i)
        for (int64_t k = 0; k < n && owned(i); ++k)
          std::memcpy(at(arrays_[i], row_[first + k]), at(now[i], k), row_bytes());
    }
  }

 private:
  bool owned(int i) const { return (own_ >> i & 1) != 0; }
  size_t row_bytes() const { return static_cast<size_t>(width_) * bytes_; }
  void* at(void* base, int64_t row) const {
    return static_cast<char*>(base) + static_cast<size_t>(row) * row_bytes();
  }

  void* const* arrays_;
  int count_;
  uint64_t own_;
  const int32_t* row_;
  int64_t rows_, width_, together_;
  size_t bytes_;
  MemoryBlock memory_;
};

}  // namespace

// The sum of an expression over a parameter and its gradient.
double BuiltinLearner::summed(size_t index, const Tensor& gradient, ProgramPart& part, int threads) {
  Slot& s = slots_[index];
  s.arrays[1] = gradient.raw();
  double total = 0;
  if (gradient.storage() == Storage::row_sparse) {
    NamedRows each(s.arrays, layout_.arrays, ~uint64_t{2}, gradient, s.width, s.dtype);
    const host::UpdateScratch& scratch = part.ready(0, numbers_of(s), each.most());
    each.each([&](void* const* arrays, int64_t n) { total += part.update->sum(scratch, arrays, n); }, false);
    return total;
  }
  std::vector<ElementRange> chunks;
  add_chunks(chunks, index, s.elements);
  std::vector<double> sums(chunks.size());
  for_chunks(
      chunks, s.elements * part.update->steps, threads, [&](size_t workers) { part.grow(workers); },
      [&](size_t worker, size_t i, const ElementRange& c) {
        void* now[kMostArrays];
        point_at(now, s.arrays, layout_.arrays, c.begin, s.dtype);
        sums[i] = part.update->sum(part.ready(worker, numbers_of(s), c.end - c.begin), now, c.end - c.begin);
      });
  for (double x : sums) total += x;
  return total;
}

// All gradients are scaled by one number.
void BuiltinLearner::clip_together(std::span<ParameterGradient> gradients, const Progress& progress) {
  double squares = 0;
  for (size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].numbers.clear();
    squares += summed(i, gradients[i].value, programs(slots_[i].dtype).norm, progress.threads);
  }
  const double norm = std::sqrt(squares) / static_cast<double>(progress.samples);
  const double limit = options().gradient_clipping_global_norm;
  if (norm > limit) numbers_[layout_.scale] *= limit / norm;
}

// The numbers that a parameter has for itself: the norm of its gradient, the mean of its multipliers.
void BuiltinLearner::measure(size_t index, const ParameterGradient& g, const Progress& progress) {
  Slot& s = slots_[index];
  Programs& p = programs(s.dtype);
  s.numbers = numbers_;
  auto sum_of = [&](ProgramPart& part) { return summed(index, g.value, part, progress.threads); };
  if (clips_norms_) {
    double& scale = s.numbers[layout_.scale];
    double norm = std::sqrt(sum_of(p.norm)) * scale;
    double limit = options().gradient_clipping_threshold_per_sample *
                   (is_compatible_mode() ? 1 : static_cast<double>(progress.samples));
    if (norm > limit) scale *= limit / norm;
  }
  if (p.average.update)
    s.numbers[layout_.average] =
        sum_of(p.average) / static_cast<double>(std::max<int64_t>(g.value.nonzeros(), 1));
}

void BuiltinLearner::update_dense(std::span<ParameterGradient> gradients, const Progress& progress) {
  int64_t work = 0;
  for (size_t i = 0; i < slots_.size(); ++i) {
    Slot& s = slots_[i];
    if (gradients[i].value.storage() != Storage::dense) continue;
    if (!s.current.empty()) bring_up(s), s.current.clear();
    s.arrays[1] = gradients[i].value.raw();
    ++s.updates;
    work += s.elements * programs(s.dtype).dense.update->steps;
  }
  if (work <= kTeamWork) {
    for (size_t i = 0; i < slots_.size(); ++i) {
      Slot& s = slots_[i];
      if (gradients[i].value.storage() != Storage::dense) continue;
      ProgramPart& part = programs(s.dtype).dense;
      part.update->run(part.ready(0, numbers_of(s), s.elements), s.arrays, s.elements);
    }
    return;
  }
  std::vector<ElementRange> chunks;
  for (size_t i = 0; i < slots_.size(); ++i)
    if (gradients[i].value.storage() == Storage::dense) add_chunks(chunks, i, slots_[i].elements);
  auto grow = [&](size_t workers) {
    for (std::unique_ptr<Programs>& p : programs_)
      if (p) p->dense.grow(workers);
  };
  for_chunks(chunks, work, progress.threads, grow, [&](size_t worker, size_t, const ElementRange& c) {
    Slot& s = slots_[c.slot];
    ProgramPart& part = programs_[s.dtype == DType::float64]->dense;
    void* now[kMostArrays];
    point_at(now, s.arrays, layout_.arrays, c.begin, s.dtype);
    part.update->run(part.ready(worker, numbers_of(s), c.end - c.begin), now, c.end - c.begin);
  });
}

void BuiltinLearner::update_rows(Slot& s, const Tensor& gradient) {
  Programs& p = programs(s.dtype);
  const std::span<const double> numbers = numbers_of(s);
  s.arrays[1] = gradient.raw();
  if (traits_.idle_decay != 1 && traits_.states > 0) {
    if (s.current.empty()) s.current.assign(static_cast<size_t>(s.rows), s.updates);
    int64_t count = s.width ? gradient.nonzeros() / s.width : 0;
    for (int64_t i = 0; i < count; ++i) {
      bring_up(s, gradient.columns()[i]);
      s.current[gradient.columns()[i]] = s.updates + 1;
    }
  }
  ++s.updates;
  NamedRows rows(s.arrays, layout_.arrays, ~uint64_t{2}, gradient, s.width, s.dtype);
  const host::UpdateScratch& scratch = p.rows.ready(0, numbers, rows.most());
  rows.each([&](void* const* arrays, int64_t n) { p.rows.update->run(scratch, arrays, n); }, true);
  if (!p.finish.update) return;
  s.arrays[1] = s.value.raw();  // nobody reads a gradient here
  p.finish.update->run(p.finish.ready(0, numbers, s.elements), s.arrays, s.elements);
}

// What updates by a gradient of 0 would have made of a row's states, up to the last update.
void BuiltinLearner::bring_up(Slot& s, int64_t row) const {
  int64_t& at = s.current[row];
  if (at == s.updates) return;
  double factor = std::pow(traits_.idle_decay, static_cast<double>(s.updates - at));
  at = s.updates;
  for (int k = 0; k < traits_.states; ++k) {
    int64_t first = k * s.elements + row * s.width;
    for (int64_t i = first; i < first + s.width; ++i) {
      if (s.dtype == DType::float64)
        s.states.data<double>()[i] *= factor;
      else
        s.states.data<float>()[i] *= static_cast<float>(factor);
    }
  }
}

void BuiltinLearner::bring_up(Slot& s) const {
  for (int64_t row = 0; row < static_cast<int64_t>(s.current.size()); ++row) bring_up(s, row);
}

}  // namespace cantik
