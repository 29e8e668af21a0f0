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

constexpr std::chrono::milliseconds kBetweenLoadQuestions{20};  // whether the call is to end, while it waits
constexpr std::chrono::milliseconds kPatience{200};             // with a thread that is to end

struct Stopped {};  // ends what the thread reads

}  // namespace

bool ChunkLoader::Shared::is_reading(int64_t number) const {
  return is_wanted && std::ranges::find(reading, number) != reading.end();
}

bool ChunkLoader::Shared::is_queued(int64_t number) const {
  return std::ranges::any_of(queue,
                             [&](const Job& job) { return std::ranges::find(job, number) != job.end(); });
}

ChunkLoader::ChunkLoader(DeserializerPtr data, bool ahead)
    : ahead_(ahead && data->may_read_ahead()), shared_(std::make_shared<Shared>()) {
  shared_->data = std::move(data);
  cantik::take_warnings(*shared_->data, warnings_);
}

// In a child process the thread, which stayed in the parent, holds on to what it shares for ever. It may have
// been waiting when the process forked, and to destroy what it waited on would wait for it.
ChunkLoader::~ChunkLoader() {
  Shared& s = *shared_;
  if (!s.thread.joinable() || is_forked()) return;
  std::unique_lock lock(s.mutex);
  s.stop = true;
  s.changed.notify_all();
  const bool ends =
      !s.data->may_be_left() || s.changed.wait_for(lock, kPatience, [&s] { return s.has_ended; });
  lock.unlock();
  if (ends)
    s.thread.join();
  else
    s.thread.detach();
}

// A child process has the memory of its parent, but none of its other threads.
bool ChunkLoader::is_forked() const { return shared_->process != 0 && shared_->process != process_id(); }

bool ChunkLoader::has_thread() {
  Shared& s = *shared_;
  if (!ahead_ || is_forked()) return false;
  if (s.thread.joinable()) return true;
  s.process = process_id();
  try {
    s.thread = std::thread([shared = shared_] { work(shared); });
    return true;
  } catch (const std::system_error&) {  // no more threads: the caller reads
    s.process = 0;
    return false;
  }
}

// Data that allow one reader at a time are asked for one chunk at a time.
std::vector<ChunkLoader::Result> ChunkLoader::read(const SharedPtr& shared, const Job& chunks) {
  Deserializer& data = *shared->data;
  std::vector<Result> results(chunks.size());
  std::atomic<size_t> next{0};
  auto some = [&](int) {
    for (size_t k; (k = next++) < chunks.size();) try {
        results[k].chunk = load_chunk(data, chunks[k]);
      } catch (...) {
        results[k].error = std::current_exception();
        next = chunks.size();  // the others are not needed
      }
  };
  const int most = data.is_concurrent() ? thread_limit() : 1;
  Team(static_cast<int>(std::min<size_t>(chunks.size(), static_cast<size_t>(most)))).run(some);
  cantik::take_warnings(data, results[0].warnings);
  return results;
}

void ChunkLoader::expect(std::span<const int64_t> numbers) {
  if (!ahead_ || numbers.empty() || !has_thread()) return;
  Shared& s = *shared_;
  const std::lock_guard lock(s.mutex);
  for (const int64_t number : numbers) s.queue.push_back({number});
  s.changed.notify_all();
}

bool ChunkLoader::is_expected(int64_t number) {
  Shared& s = *shared_;
  if (!ahead_ || is_forked()) return false;
  const std::lock_guard lock(s.mutex);
  return s.is_reading(number) || s.results.contains(number) ||
         std::ranges::find(s.queue, Job{number}) != s.queue.end();
}

size_t ChunkLoader::expected() {
  Shared& s = *shared_;
  if (!ahead_ || is_forked()) return 0;
  const std::lock_guard lock(s.mutex);
  return s.queue.size() + s.results.size() + (s.is_wanted ? s.reading.size() : 0);
}

void ChunkLoader::forget() {
  Shared& s = *shared_;
  if (!ahead_ || is_forked()) return;
  const std::lock_guard lock(s.mutex);
  s.queue.clear();
  s.results.clear();
  s.is_wanted = s.reading.empty();
}

void ChunkLoader::work(const SharedPtr& shared) {
  Shared& s = *shared;
  auto ask = [&s] {
    const std::lock_guard lock(s.mutex);
    if (s.stop) throw Stopped();
  };
  const Interruption scope(ask);
  std::unique_lock lock(s.mutex);
  for (;;) {
    s.changed.wait(lock, [&s] { return s.stop || !s.queue.empty(); });
    if (s.stop) break;
    s.reading = std::move(s.queue.front());
    s.queue.pop_front();
    s.is_wanted = true;
    lock.unlock();
    std::vector<Result> results;
    try {
      results = read(shared, s.reading);
    } catch (const Stopped&) {  // while several were read
    }
    lock.lock();
    for (size_t k = 0; s.is_wanted && k < results.size(); ++k)
      if (results[k].chunk || results[k].error) s.results[s.reading[k]] = std::move(results[k]);
    s.reading.clear();
    s.changed.notify_all();
  }
  s.has_ended = true;
  s.changed.notify_all();
}

// The caller may be told to end while it waits; the thread goes on.
void ChunkLoader::wait(std::unique_lock<std::mutex>& lock) {
  shared_->changed.wait_for(lock, kBetweenLoadQuestions);
  lock.unlock();
  may_end_now();
  lock.lock();
}

void ChunkLoader::begin_sweep(int64_t sweep) {
  Shared& s = *shared_;
  if (s.data->changes()) forget();
  if (ahead_ && !is_forked()) {
    std::unique_lock lock(s.mutex);
    while (!s.reading.empty()) wait(lock);
  }
  s.data->begin_sweep(sweep);
}

// Those that neither are there nor are being read come before all that is only expected.
void ChunkLoader::ask_for(std::span<const int64_t> numbers) {
  Shared& s = *shared_;
  Job missing;
  for (const int64_t number : numbers) {
    if (s.results.contains(number) || s.is_reading(number)) continue;
    std::erase(s.queue, Job{number});
    missing.push_back(number);
  }
  if (missing.empty()) return;
  s.queue.push_front(std::move(missing));
  s.changed.notify_all();
}

std::vector<ChunkPtr> ChunkLoader::load_all(std::span<const int64_t> numbers) {
  Shared& s = *shared_;
  std::vector<ChunkPtr> chunks;
  if (numbers.empty()) return chunks;
  if (!has_thread()) {
    for (Result& r : read(shared_, {numbers.begin(), numbers.end()})) chunks.push_back(taken(std::move(r)));
    return chunks;
  }
  std::unique_lock lock(s.mutex);
  ask_for(numbers);
  for (const int64_t number : numbers) {
    auto found = s.results.find(number);
    for (; found == s.results.end(); found = s.results.find(number)) {
      // A job of an earlier call may have ended with a chunk before this one, which it then did not read.
      if (!s.is_reading(number) && !s.is_queued(number)) ask_for({&number, 1});
      wait(lock);
    }
    Result r = std::move(found->second);
    s.results.erase(found);
    chunks.push_back(taken(std::move(r)));
  }
  return chunks;
}

ChunkPtr ChunkLoader::taken(Result r) {
  std::ranges::move(r.warnings, std::back_inserter(warnings_));
  if (r.error) std::rethrow_exception(r.error);
  return std::move(r.chunk);
}

void ChunkLoader::take_warnings(std::vector<std::string>& into) {
  std::ranges::move(warnings_, std::back_inserter(into));
  warnings_.clear();
}

}  // namespace cantik
