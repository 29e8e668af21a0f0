// The engine over MPI: a module, compiled from this file once for each binary interface (Open MPI, MPICH, the
// standard one of MPI 5) with the headers alone. The MPI library itself is in the process before the module
// is loaded; names that only some libraries have are looked up.
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "distributed/engine.h"

// Null where the library has none.
extern "C" int MPIX_Comm_get_failed(MPI_Comm, MPI_Group*) __attribute__((weak));

namespace cantik::distributed {
namespace {

constexpr int kAsk = 256;                       // how many times a request is looked at between two questions
constexpr std::chrono::microseconds kRest{50};  // a buffer of the wire lasts a good while longer

class MpiEngine final : public Engine {
 public:
  MpiEngine() {
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (ended) {
      failure_ = "MPI has been finalized already in this process";
      return;
    }
    if (!begun) {
      int provided = 0;
      if (check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided))) return;
      is_ours_ = true;
    }
    MPI_Query_thread(&threads_);
    if (check(MPI_Comm_dup(MPI_COMM_WORLD, &world_))) return;
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &size_);
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    name_.assign(text, static_cast<size_t>(length));
    name_ = name_.substr(0, name_.find_first_of("\n,\0", 0, 3));
    for (char& c : name_)
      if (c == '\t') c = ' ';
  }
  // Some of the workers of another one.
  MpiEngine(MPI_Comm part, const MpiEngine& whole)
      : world_(part), threads_(whole.threads_), name_(whole.name_) {
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &size_);
  }
  ~MpiEngine() override {
    if (!finished_) finish(size_ == 1);
  }

  bool works() const { return size_ > 0; }
  const char* name() const override { return name_.c_str(); }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool serves_threads() const override { return threads_ >= MPI_THREAD_SERIALIZED; }
  const char* failure() const override { return failure_.c_str(); }

  int all_to_all(const char* send, const int64_t* send_offsets, char* receive, const int64_t* receive_offsets,
                 const Waiting& waiting) override {
    const Parts out = parts(send_offsets), in = parts(receive_offsets);
    MPI_Request request;
    if (check(MPI_Ialltoallv(send, out.counts.data(), out.starts.data(), MPI_BYTE, receive, in.counts.data(),
                             in.starts.data(), MPI_BYTE, world_, &request)))
      return kBroken;
    return wait(request, waiting);
  }

  int all_gather(char* all, const int64_t* offsets, const Waiting& waiting) override {
    const Parts in = parts(offsets);
    MPI_Request request;
    if (check(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, in.counts.data(), in.starts.data(), MPI_BYTE,
                              world_, &request)))
      return kBroken;
    return wait(request, waiting);
  }

  int broadcast(char* bytes, int64_t count, int root, const Waiting& waiting) override {
    MPI_Request request;
    if (check(MPI_Ibcast(bytes, static_cast<int>(count), MPI_BYTE, root, world_, &request))) return kBroken;
    return wait(request, waiting);
  }

  std::unique_ptr<Engine> part(const std::vector<int>& ranks, const Waiting&) override {
    const auto own = std::find(ranks.begin(), ranks.end(), rank_);
    MPI_Comm part = MPI_COMM_NULL;
    if (check(MPI_Comm_split(world_, own == ranks.end() ? MPI_UNDEFINED : 0,
                             static_cast<int>(own - ranks.begin()), &part)))
      return nullptr;
    return part == MPI_COMM_NULL ? nullptr : std::make_unique<MpiEngine>(part, *this);
  }

  // By user-level fault mitigation, where the library has it.
  int dead() override {
    if (!MPIX_Comm_get_failed) return -1;
    MPI_Group dead = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    int n = 0, first = 0, rank = -1;
    if (MPIX_Comm_get_failed(world_, &dead) != MPI_SUCCESS) return -1;
    MPI_Comm_group(world_, &all);
    MPI_Group_size(dead, &n);
    if (n > 0) MPI_Group_translate_ranks(dead, 1, &first, all, &rank);
    MPI_Group_free(&dead);
    MPI_Group_free(&all);
    return rank;
  }

  // Without the others MPI_Finalize would wait for them for ever: the process ends without it, and its
  // launcher sees to the rest.
  void finish(bool together) override {
    finished_ = true;
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended || !together || size_ == 0) return;
    MPI_Comm_free(&world_);
    if (is_ours_) MPI_Finalize();
  }

  std::string failure_;

 private:
  struct Parts {
    std::vector<int> counts, starts;
  };
  Parts parts(const int64_t* offsets) const {
    Parts p;
    for (int i = 0; i < size_; ++i) {
      p.counts.push_back(static_cast<int>(offsets[i + 1] - offsets[i]));
      p.starts.push_back(static_cast<int>(offsets[i]));
    }
    return p;
  }

  bool check(int status) {
    if (status == MPI_SUCCESS) return false;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(status, text, &length);
    failure_.assign(text, static_cast<size_t>(length));
    return true;
  }

  // Looks again and again, so that somebody can end it: a call that blocks would last for ever.
  int wait(MPI_Request& request, const Waiting& waiting) {
    for (;;) {
      for (int i = 0; i < kAsk; ++i) {
        int done = 0;
        if (check(MPI_Test(&request, &done, MPI_STATUS_IGNORE))) return kBroken;
        if (done) return kDone;
        if (i <= 16) continue;
        if (waiting.computes->load(std::memory_order_relaxed))
          std::this_thread::sleep_for(kRest);
        else
          std::this_thread::yield();
      }
      if (!waiting.ask()) return kGivenUp;
    }
  }

  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0, threads_ = 0;
  bool is_ours_ = false, finished_ = false;
  std::string name_;
};

}  // namespace
}  // namespace cantik::distributed

extern "C" __attribute__((visibility("default"))) cantik::distributed::Engine* cantik_engine(
    int version, char* why, int64_t length_of_why) {
  using namespace cantik::distributed;
  auto say = [&](const std::string& text) {
    std::strncpy(why, text.c_str(), static_cast<size_t>(length_of_why - 1));
    return nullptr;
  };
  if (version != kEngineVersion) return say("the module is of another version of Cantik");
  auto* engine = new MpiEngine();
  if (engine->works()) return engine;
  say(engine->failure_);
  delete engine;
  return nullptr;
}
