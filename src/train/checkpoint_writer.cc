#include "train/checkpoint_writer.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/interrupt.h"
#include "train/checkpoint.h"

namespace cantik {
namespace {

constexpr std::chrono::milliseconds kAskEvery{50};

}  // namespace

struct CheckpointWriter::Work {
  training::DictionaryCopies copies;
  std::thread thread;
  std::mutex mutex;
  std::condition_variable written;
  bool begun = false, done = false;
  std::exception_ptr error;
};

CheckpointWriter::CheckpointWriter() : work_(std::make_unique<Work>()) {}

CheckpointWriter::~CheckpointWriter() { settle(); }

void CheckpointWriter::settle() {
  if (work_->thread.joinable()) work_->thread.join();
  work_->begun = false;
  work_->error = nullptr;
}

void CheckpointWriter::write(const Trainer& trainer, const std::string& path,
                             const Dictionary& external_state) {
  wait();
  trainer.meet();
  Work& w = *work_;
  Dictionary model = w.copies.of(trainer.trained_model());
  Dictionary state = trainer.state(external_state);
  w.done = false;
  w.begun = true;
  w.thread = std::thread([&w, path, model = std::move(model), state = std::move(state)]() mutable {
    std::exception_ptr error;
    try {
      training::write_checkpoint(std::move(model), std::move(state), path);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(w.mutex);
    w.error = error;
    w.done = true;
    w.written.notify_all();
  });
}

bool CheckpointWriter::is_written() const {
  const std::lock_guard lock(work_->mutex);
  return work_->begun && work_->done;
}

bool CheckpointWriter::wait() {
  Work& w = *work_;
  if (!w.begun) return false;
  for (std::unique_lock lock(w.mutex); !w.written.wait_for(lock, kAskEvery, [&] { return w.done; });) {
    lock.unlock();
    may_end_now();
    lock.lock();
  }
  w.thread.join();
  w.begun = false;
  if (w.error) std::rethrow_exception(std::exchange(w.error, nullptr));
  return true;
}

}  // namespace cantik
