#include "io/chunk_loader.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "base/interrupt.h"
#include "base/thread_pool.h"

namespace cantik {
namespace {

constexpr std::chrono::milliseconds kBetweenQuestions{20};  // whether the call is to end, while it waits

struct Stopped {};  // ends what the thread reads

}  // namespace

ChunkLoader::ChunkLoader(Deserializer& data, bool ahead)
    : data_(data), ahead_(ahead && data.may_read_ahead()), concurrent_(data.is_concurrent()) {
  data_.take_warnings(warnings_);
}

ChunkLoader::~ChunkLoader() {
  if (!thread_.joinable()) return;
  if (is_forked()) {  // the thread stayed in the parent
    thread_.detach();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

// A child process has the memory of its parent, but none of its other threads.
bool ChunkLoader::is_forked() const { return process_ != 0 && process_ != ::getpid(); }

ChunkLoader::Result ChunkLoader::read(int64_t number) {
  Result r;
  try {
    r.chunk = load_chunk(data_, number);
  } catch (...) {
    r.error = std::current_exception();
  }
  data_.take_warnings(r.warnings);
  return r;
}

void ChunkLoader::expect(std::span<const int64_t> numbers) {
  if (!ahead_ || numbers.empty() || is_forked()) return;
  const std::lock_guard lock(mutex_);
  queue_.insert(queue_.end(), numbers.begin(), numbers.end());
  if (!thread_.joinable()) {
    process_ = ::getpid();
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {  // no more threads: chunks are read when they are asked for
      queue_.clear();
      return;
    }
  }
  changed_.notify_all();
}

bool ChunkLoader::is_expected(int64_t number) {
  if (!ahead_ || is_forked()) return false;
  const std::lock_guard lock(mutex_);
  return (number == reading_ && is_wanted_) || results_.contains(number) ||
         std::ranges::find(queue_, number) != queue_.end();
}

size_t ChunkLoader::expected() {
  if (!ahead_ || is_forked()) return 0;
  const std::lock_guard lock(mutex_);
  return queue_.size() + results_.size() + (reading_ >= 0 && is_wanted_);
}

void ChunkLoader::forget() {
  if (!ahead_ || is_forked()) return;
  const std::lock_guard lock(mutex_);
  queue_.clear();
  results_.clear();
  is_wanted_ = reading_ < 0;
}

void ChunkLoader::work() {
  auto ask = [this] {
    const std::lock_guard lock(mutex_);
    if (stop_) throw Stopped();
  };
  const Interruption scope(ask);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || (!queue_.empty() && !is_taken_); });
    if (stop_) return;
    reading_ = queue_.front();
    queue_.pop_front();
    is_wanted_ = true;
    lock.unlock();
    Result r = read(reading_);
    lock.lock();
    if (is_wanted_) results_[reading_] = std::move(r);
    reading_ = -1;
    changed_.notify_all();
  }
}

// The caller may be told to end while it waits; the thread goes on.
void ChunkLoader::wait(std::unique_lock<std::mutex>& lock) {
  changed_.wait_for(lock, kBetweenQuestions);
  lock.unlock();
  may_end_now();
  lock.lock();
}

// What the thread has read or reads, if it is this chunk.
ChunkPtr ChunkLoader::taken(std::unique_lock<std::mutex>& lock, int64_t number) {
  while (reading_ == number && is_wanted_) wait(lock);
  const auto found = results_.find(number);
  if (found == results_.end()) {
    std::erase(queue_, number);
    return nullptr;
  }
  Result r = std::move(found->second);
  results_.erase(found);
  std::ranges::move(r.warnings, std::back_inserter(warnings_));
  if (r.error) std::rethrow_exception(r.error);
  return r.chunk;
}

ChunkPtr ChunkLoader::find(int64_t number) {
  if (!ahead_ || is_forked()) return nullptr;
  std::unique_lock lock(mutex_);
  return taken(lock, number);
}

ChunkPtr ChunkLoader::load(int64_t number) {
  const bool alone = ahead_ && !concurrent_ && !is_forked();
  if (ChunkPtr found = find(number)) return found;
  if (alone) {
    std::unique_lock lock(mutex_);
    while (reading_ >= 0) wait(lock);
    is_taken_ = true;
  }
  struct Release {
    ChunkLoader* self;
    ~Release() {
      if (!self) return;
      const std::lock_guard lock(self->mutex_);
      self->is_taken_ = false;
      self->changed_.notify_all();
    }
  } release{alone ? this : nullptr};
  ChunkPtr chunk = load_chunk(data_, number);
  data_.take_warnings(warnings_);
  return chunk;
}

std::vector<ChunkPtr> ChunkLoader::load_all(std::span<const int64_t> numbers) {
  std::vector<ChunkPtr> chunks(numbers.size());
  std::vector<size_t> missing;
  for (size_t k = 0; k < numbers.size(); ++k)
    if (!(chunks[k] = find(numbers[k]))) missing.push_back(k);
  Team team(static_cast<int>(std::min<size_t>(missing.size(), static_cast<size_t>(thread_limit()))));
  std::atomic<size_t> next{0};
  team.run([&](int) {
    for (size_t k; !team.failed() && (k = next++) < missing.size();)
      chunks[missing[k]] = load_chunk(data_, numbers[missing[k]]);
  });
  data_.take_warnings(warnings_);
  return chunks;
}

void ChunkLoader::take_warnings(std::vector<std::string>& into) {
  std::ranges::move(warnings_, std::back_inserter(into));
  warnings_.clear();
}

}  // namespace cantik
