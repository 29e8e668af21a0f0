#include "io/chunk_loader.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "base/interrupt.h"
#include "base/process.h"
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
  Shared& s = *shared_;
  if (!s.thread.joinable()) return;
  // The thread stayed in the parent, and may have been waiting or in the middle of a change when the process
  // forked: to destroy what it waited on would wait for it.
  if (is_forked()) {
    static_cast<void>(shared_.release());
    return;
  }
  {
    const std::lock_guard lock(s.mutex);
    s.stop = true;
  }
  s.changed.notify_all();
  s.thread.join();
}

// A child process has the memory of its parent, but none of its other threads.
bool ChunkLoader::is_forked() const { return shared_->process != 0 && shared_->process != process_id(); }

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
  Shared& s = *shared_;
  if (!ahead_ || numbers.empty() || is_forked()) return;
  const std::lock_guard lock(s.mutex);
  s.queue.insert(s.queue.end(), numbers.begin(), numbers.end());
  if (!s.thread.joinable()) {
    s.process = process_id();
    try {
      s.thread = std::thread([this] { work(); });
    } catch (const std::system_error&) {  // no more threads: chunks are read when they are asked for
      s.queue.clear();
      return;
    }
  }
  s.changed.notify_all();
}

bool ChunkLoader::is_expected(int64_t number) {
  Shared& s = *shared_;
  if (!ahead_ || is_forked()) return false;
  const std::lock_guard lock(s.mutex);
  return (number == s.reading && s.is_wanted) || s.results.contains(number) ||
         std::ranges::find(s.queue, number) != s.queue.end();
}

size_t ChunkLoader::expected() {
  Shared& s = *shared_;
  if (!ahead_ || is_forked()) return 0;
  const std::lock_guard lock(s.mutex);
  return s.queue.size() + s.results.size() + (s.reading >= 0 && s.is_wanted);
}

void ChunkLoader::forget() {
  Shared& s = *shared_;
  if (!ahead_ || is_forked()) return;
  const std::lock_guard lock(s.mutex);
  s.queue.clear();
  s.results.clear();
  s.is_wanted = s.reading < 0;
}

void ChunkLoader::work() {
  Shared& s = *shared_;
  auto ask = [&s] {
    const std::lock_guard lock(s.mutex);
    if (s.stop) throw Stopped();
  };
  const Interruption scope(ask);
  std::unique_lock lock(s.mutex);
  for (;;) {
    s.changed.wait(lock, [&s] { return s.stop || (!s.queue.empty() && !s.is_taken); });
    if (s.stop) return;
    s.reading = s.queue.front();
    s.queue.pop_front();
    s.is_wanted = true;
    lock.unlock();
    Result r = read(s.reading);
    lock.lock();
    if (s.is_wanted) s.results[s.reading] = std::move(r);
    s.reading = -1;
    s.changed.notify_all();
  }
}

// The caller may be told to end while it waits; the thread goes on.
void ChunkLoader::wait(std::unique_lock<std::mutex>& lock) {
  shared_->changed.wait_for(lock, kBetweenQuestions);
  lock.unlock();
  may_end_now();
  lock.lock();
}

// What the thread has read or reads, if it is this chunk.
ChunkPtr ChunkLoader::taken(std::unique_lock<std::mutex>& lock, int64_t number) {
  Shared& s = *shared_;
  while (s.reading == number && s.is_wanted) wait(lock);
  const auto found = s.results.find(number);
  if (found == s.results.end()) {
    std::erase(s.queue, number);
    return nullptr;
  }
  Result r = std::move(found->second);
  s.results.erase(found);
  std::ranges::move(r.warnings, std::back_inserter(warnings_));
  if (r.error) std::rethrow_exception(r.error);
  return r.chunk;
}

ChunkPtr ChunkLoader::find(int64_t number) {
  if (!ahead_ || is_forked()) return nullptr;
  std::unique_lock lock(shared_->mutex);
  return taken(lock, number);
}

ChunkPtr ChunkLoader::load(int64_t number) {
  Shared& s = *shared_;
  const bool alone = ahead_ && !concurrent_ && !is_forked();
  if (ChunkPtr found = find(number)) return found;
  if (alone) {
    std::unique_lock lock(s.mutex);
    while (s.reading >= 0) wait(lock);
    s.is_taken = true;
  }
  struct Release {
    Shared* of;
    ~Release() {
      if (!of) return;
      const std::lock_guard lock(of->mutex);
      of->is_taken = false;
      of->changed.notify_all();
    }
  } release{alone ? &s : nullptr};
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
