// Frame: the memory of one run, and its operands as the kernels see them. Kept between runs: with the same
// numbers of rows only the pointers to the caller's memory change, with the same layout no row map either.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <cantik/value.h>

#include "base/memory.h"
#include "plan/program.h"
#include "execute/carrying.h"
#include "execute/device_frame.h"
#include "execute/rows.h"

namespace cantik::runtime {

class RunKeeper;

// What one thread needs: scratch of kernels, the values of one block, and its own view of a stage's operands.
struct BlockWorker {
  MemoryBlock scratch, memory;
  size_t bytes = 0;
  std::vector<cantik_operand> operands;
  std::vector<cantik_run> runs;
};

// Memory that counts as kept.
struct CountedMemory {
  MemoryBlock block;
  Charge charge;

  void* get() const { return block.get(); }
  size_t size() const { return charge.bytes(); }
  void set(MemoryBlock made) {
    block = std::move(made);
    charge.set(block ? block.get_deleter().bytes : 0);
  }
};

struct Frame {
  explicit Frame(const std::shared_ptr<const Program>& program);

  // What the values of a run lie in. Between runs nothing is kept in it: the frames of a bound plan's
  // programs take turns with one.
  CountedMemory give_up() { return std::move(memory_); }
  // The same for what its workers compute in, unless that is little.
  void dismiss_workers();
  const CountedMemory& memory() const { return memory_; }
  void use(CountedMemory&& memory) { memory_ = std::move(memory); }
  // What there is more room for without it. Its program goes with it, unless others than a shelf and the
  // packed weights hold that.
  size_t bytes() const {
    constexpr long kFrameShelfAndPacks = 3;
    const bool last = program.use_count() <= kFrameShelfAndPacks;
    return memory_.size() + charge_.bytes() + (last ? program->bytes() : 0);
  }
  bool may_go() const { return true; }

  // Memory for so many rows of each space as `wanted` says; operands point at it and know their layouts.
  void lay_out();
  // The layout of one space is known: its operands and row maps follow.
  void set_layout(size_t space, std::shared_ptr<const Layout> layout);
  void need_workers(size_t count);
  // Bytes of a value that may lie on the device.
  void read(void* to, const void* from, size_t bytes, bool on_device) const {
    if (on_device) return device->queue.to_host(to, from, bytes);
    std::memcpy(to, from, bytes);
  }
  void write(void* to, const void* from, size_t bytes, bool on_device) const {
    if (on_device) return device->queue.to_device(to, from, bytes);
    std::memcpy(to, from, bytes);
  }
  const Steps& steps(int32_t space) const { return *steps_[space]; }
  int64_t most_rows() const;
  int64_t rows(int32_t space) const { return spaces[space].rows(); }

  std::shared_ptr<const Program> program;
  std::vector<RowSpace> wanted;  // of the run that begins
  // rows that earlier runs made, of spaces where they were more than thought
  std::vector<int64_t> grown;
  std::vector<RowSpace> spaces;
  RunKeeper* keeper = nullptr;       // of the run, where it needs one
  std::vector<BlockWorker> workers;  // the first is the calling thread's
  std::vector<cantik_operand> operands;
  std::vector<cantik_run> runs;
  std::vector<NumberCell> lives;
  std::vector<double> live_fields;
  std::vector<Carrying> carried;    // of Program::carriers
  std::vector<int32_t> ranks;       // of the sequences, while rows of a loop are kept
  std::vector<MemoryBlock> sparse;  // of each sparse value that stays inside
  std::vector<size_t> sparse_bytes;
  std::unique_ptr<DeviceFrame> device;  // where the program runs on one

 private:
  void place();
  void make_worker(BlockWorker& w) const;
  void make_step();
  size_t block_bytes(const StageProgram& s, bool on_device) const;

  void count_bytes();

  CountedMemory memory_;
  Charge charge_;                            // of all else
  const void* placed_at_ = nullptr;          // where it lay when operands were pointed at it
  std::vector<std::vector<int32_t>> maps_;   // of Program::maps
  std::vector<std::optional<Steps>> steps_;  // of each space that a loop goes over
};

// Rows of a stage's blocks, or that a step of a loop may have.
int64_t block_rows(const StageProgram& s, const Frame& f);
// Points the operands of a stage that live in a block at a worker's memory, and at the frame's on a device.
void point_at_block(const Frame& f, const StageProgram& s, int64_t rows, char* memory,
                    cantik_operand* operands);

inline size_t round_up(size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace cantik::runtime
