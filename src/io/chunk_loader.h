// ChunkLoader: reads the chunks of a source. Data that allow it are read on a thread of the loader's own,
// which the caller waits for: the caller can be told to end while a drive does not answer. Chunks that will
// be asked for are read ahead there.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "io/deserializer.h"

namespace cantik {

class ChunkLoader {
 public:
  // The caller reads, and nothing ahead, where `ahead` is false or the data do not allow it.
  ChunkLoader(DeserializerPtr data, bool ahead);
  // Ends what is being read. A thread that waits for a drive is left to itself, if the data allow that.
  ~ChunkLoader();
  ChunkLoader(const ChunkLoader&) = delete;

  bool reads_ahead() const { return ahead_; }
  // These chunks will be asked for, in this order.
  void expect(std::span<const int64_t> numbers);
  bool is_expected(int64_t number);
  // How many are expected and have not been asked for yet.
  size_t expected();
  // What is read ahead and was not asked for is dropped.
  void forget();
  // Tells the data, of which nothing is read meanwhile.
  void begin_sweep(int64_t sweep);
  // The chunk: read ahead, or now. What went wrong when it was read is thrown here.
  ChunkPtr load(int64_t number) { return load_all({&number, 1})[0]; }
  // Several, which are read at once if the data allow it.
  std::vector<ChunkPtr> load_all(std::span<const int64_t> numbers);

  // What was odd in the chunks that have been asked for, and when the data were opened.
  void take_warnings(std::vector<std::string>& into);

 private:
  struct Result {
    ChunkPtr chunk;
    std::exception_ptr error;
    std::vector<std::string> warnings;
  };
  using Job = std::vector<int64_t>;  // chunks that are read together
  // What the caller and the thread have together, as long as one of them is there.
  struct Shared {
    DeserializerPtr data;
    std::mutex mutex;  // guards what follows
    std::condition_variable changed;
    std::deque<Job> queue;                        // not begun
    std::unordered_map<int64_t, Result> results;  // read, and not asked for yet
    Job reading;                                  // by the thread
    bool is_wanted = true;                        // what the thread reads was not forgotten
    bool stop = false, has_ended = false;
    std::thread thread;
    int64_t process = 0;  // where the thread is

    bool is_reading(int64_t number) const;
    bool is_queued(int64_t number) const;
  };
  using SharedPtr = std::shared_ptr<Shared>;

  static std::vector<Result> read(const SharedPtr& shared, const Job& chunks);
  static void work(const SharedPtr& shared);
  // False where there is none and none can be made.
  bool has_thread();
  bool is_forked() const;
  void ask_for(std::span<const int64_t> numbers);
  void wait(std::unique_lock<std::mutex>& lock);
  ChunkPtr taken(Result result);

  const bool ahead_;
  std::vector<std::string> warnings_;  // of the caller's thread
  SharedPtr shared_;
};

}  // namespace cantik
