// ChunkLoader: reads the chunks of a source, one at a time unless the data allow more. Chunks that will be
// asked for are read ahead on a thread of its own, one after another.
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
  // Nothing is read ahead where `ahead` is false or the data do not allow it. The data outlive the loader.
  ChunkLoader(Deserializer& data, bool ahead);
  // Ends what is being read ahead.
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
  // The chunk: read ahead, or now. What went wrong when it was read is thrown here.
  ChunkPtr load(int64_t number);
  // The same, but null where it neither is there nor is being read.
  ChunkPtr find(int64_t number);
  // Several at once, of data that allow it.
  std::vector<ChunkPtr> load_all(std::span<const int64_t> numbers);

  // What was odd in the chunks that have been asked for, and when the data were opened.
  void take_warnings(std::vector<std::string>& into);

 private:
  struct Result {
    ChunkPtr chunk;
    std::exception_ptr error;
    std::vector<std::string> warnings;
  };
  // What the caller and the thread have together.
  struct Shared {
    std::mutex mutex;  // guards what follows
    std::condition_variable changed;
    std::deque<int64_t> queue;                    // expected, not begun
    std::unordered_map<int64_t, Result> results;  // read ahead
    int64_t reading = -1;                         // by the thread
    bool is_wanted = true;                        // what the thread reads was not forgotten
    bool is_taken = false;                        // the caller reads data that do not allow two readers
    bool stop = false;
    std::thread thread;
    int64_t process = 0;  // where the thread is
  };
  Result read(int64_t number);
  ChunkPtr taken(std::unique_lock<std::mutex>& lock, int64_t number);
  void wait(std::unique_lock<std::mutex>& lock);
  bool is_forked() const;
  void work();

  Deserializer& data_;
  const bool ahead_, concurrent_;
  std::vector<std::string> warnings_;  // of the caller's thread
  std::unique_ptr<Shared> shared_ = std::make_unique<Shared>();
};

}  // namespace cantik
