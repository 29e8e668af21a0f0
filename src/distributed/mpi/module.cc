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
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "distributed/engine.h"

// Null where the library has none.
extern "C" int MPIX_Comm_get_failed(MPI_Comm, MPI_Group*) __attribute__((weak));

namespace cantik::distributed {
namespace {

constexpr int kAsk = 256;                       // how many times a request is looked at between two questions
constexpr std::chrono::microseconds kRest{50};  // a buffer of the wire lasts a good while longer

// What all workers and a part of them have in common: how they wait, what is known of failures.
class MpiEngine : public Engine {
 public:
  const char* name() const override { return name_.c_str(); }
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(members_.size()); }
  bool serves_threads() const override { return threads_ >= MPI_THREAD_SERIALIZED; }
  const char* failure() const override { return failure_.c_str(); }
  int part(const std::vector<int>& ranks, std::unique_ptr<Engine>& made, const Waiting& waiting) override;

  // By user-level fault mitigation, where the library has it.
  int dead() override {
    if (!MPIX_Comm_get_failed) return -1;
    MPI_Group dead = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    int n = 0;
    if (MPIX_Comm_get_failed(communicator_, &dead) != MPI_SUCCESS) return -1;
    MPI_Comm_group(communicator_, &all);
    MPI_Group_size(dead, &n);
    int found = -1;
    for (int i = 0; i < n && found < 0; ++i) {
      int number = MPI_UNDEFINED;
      MPI_Group_translate_ranks(dead, 1, &i, all, &number);
      const auto member = std::find(members_.begin(), members_.end(), number);
      if (member != members_.end()) found = static_cast<int>(member - members_.begin());
    }
    MPI_Group_free(&dead);
    MPI_Group_free(&all);
    return found;
  }

 protected:
  bool check(int status) {
    if (status == MPI_SUCCESS) return false;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(status, text, &length);
    failure_.assign(text, static_cast<size_t>(length));
    return true;
  }

  // Looks again and again, so that somebody can end it: a call that blocks would last for ever.
  int wait(std::span<MPI_Request> requests, const Waiting& waiting) {
    for (size_t next = 0;;) {
      for (int i = 0; i < kAsk; ++i) {
        int done = 0;
        while (next < requests.size()) {
          if (check(MPI_Test(&requests[next], &done, MPI_STATUS_IGNORE))) return kBroken;
          if (!done) break;
          ++next;
        }
        if (next == requests.size()) return kDone;
        if (i <= 16) continue;
        if (waiting.computes->load(std::memory_order_relaxed))
          std::this_thread::sleep_for(kRest);
        else
          std::this_thread::yield();
      }
      if (!waiting.ask()) return kGivenUp;
    }
  }
  int wait(MPI_Request& request, const Waiting& waiting) { return wait(std::span(&request, 1), waiting); }

  MPI_Comm communicator_ = MPI_COMM_NULL;  // of all workers, beside MPI_COMM_WORLD
  std::vector<int> members_;               // whom this engine joins, by their numbers in the communicator
  int rank_ = 0, threads_ = 0;
  std::string name_, failure_;
};

// All workers, by MPI's collectives.
class MpiWorld final : public MpiEngine {
 public:
  explicit MpiWorld(const Waiting& waiting) {
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
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Request copied;
    if (check(MPI_Comm_idup(MPI_COMM_WORLD, &communicator_, &copied))) return;
    if (const int status = wait(copied, waiting)) {
      if (status == kGivenUp) failure_ = "the others have not come";
      return;
    }
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    int size = 0;
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size);
    members_.resize(static_cast<size_t>(size));
    std::iota(members_.begin(), members_.end(), 0);
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    name_.assign(text, static_cast<size_t>(length));
    name_ = name_.substr(0, name_.find_first_of("\n,\0", 0, 3));
    for (char& c : name_)
      if (c == '\t') c = ' ';
  }
  ~MpiWorld() override {
    if (!finished_) finish(size() == 1);
  }

  bool works() const { return size() > 0; }

  int all_to_all(const char* send, const int64_t* send_offsets, char* receive, const int64_t* receive_offsets,
                 const Waiting& waiting) override {
    const Parts out = parts(send_offsets), in = parts(receive_offsets);
    MPI_Request request;
    if (check(MPI_Ialltoallv(send, out.counts.data(), out.starts.data(), MPI_BYTE, receive, in.counts.data(),
                             in.starts.data(), MPI_BYTE, communicator_, &request)))
      return kBroken;
    return wait(request, waiting);
  }

  int all_gather(char* all, const int64_t* offsets, const Waiting& waiting) override {
    const Parts in = parts(offsets);
    MPI_Request request;
    if (check(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, in.counts.data(), in.starts.data(), MPI_BYTE,
                              communicator_, &request)))
      return kBroken;
    return wait(request, waiting);
  }

  int broadcast(char* bytes, int64_t count, int root, const Waiting& waiting) override {
    MPI_Request request;
    if (check(MPI_Ibcast(bytes, static_cast<int>(count), MPI_BYTE, root, communicator_, &request)))
      return kBroken;
    return wait(request, waiting);
  }

  // Without the others MPI_Finalize would wait for them for ever: the process ends without it, and its
  // launcher sees to the rest.
  bool ends_together() const override { return is_ours_; }
  void finish(bool together) override {
    finished_ = true;
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended || !together || size() == 0) return;
    MPI_Comm_free(&communicator_);
    if (is_ours_) MPI_Finalize();
  }

 private:
  struct Parts {
    std::vector<int> counts, starts;
  };
  Parts parts(const int64_t* offsets) const {
    Parts p;
    for (int i = 0; i < size(); ++i) {
      p.counts.push_back(static_cast<int>(offsets[i + 1] - offsets[i]));
      p.starts.push_back(static_cast<int>(offsets[i]));
    }
    return p;
  }

  bool is_ours_ = false, finished_ = false;
};

// Some of the workers, by messages with a tag of their own. Every way in which MPI makes a communicator of
// some processes blocks, and could not be ended where one of them dies in the middle of it.
class MpiPart final : public MpiEngine {
 public:
  MpiPart(const MpiEngine& whole, std::vector<int> members, int rank, int tag) : MpiEngine(whole), tag_(tag) {
    members_ = std::move(members);
    rank_ = rank;
    failure_.clear();
  }

  int all_to_all(const char* send, const int64_t* send_offsets, char* receive, const int64_t* receive_offsets,
                 const Waiting& waiting) override {
    const int64_t own = send_offsets[rank_ + 1] - send_offsets[rank_];
    if (own > 0)
      std::memcpy(receive + receive_offsets[rank_], send + send_offsets[rank_], static_cast<size_t>(own));
    return exchange(
        [&](int i) { return Bytes{send + send_offsets[i], send_offsets[i + 1] - send_offsets[i]}; }, receive,
        receive_offsets, waiting);
  }

  int all_gather(char* all, const int64_t* offsets, const Waiting& waiting) override {
    const Bytes own{all + offsets[rank_], offsets[rank_ + 1] - offsets[rank_]};
    return exchange([&](int) { return own; }, all, offsets, waiting);
  }

  int broadcast(char* bytes, int64_t count, int root, const Waiting& waiting) override {
    std::vector<int64_t> offsets(members_.size() + 1);
    if (rank_ != root) std::fill(offsets.begin() + root + 1, offsets.end(), count);
    return exchange([&](int) { return Bytes{bytes, rank_ == root ? count : 0}; }, bytes, offsets.data(),
                    waiting);
  }

  bool ends_together() const override { return false; }
  void finish(bool) override {}

 private:
  struct Bytes {
    const char* at;
    int64_t count;
  };

  // Sends bytes_for(i) to worker i; what comes from worker i goes to `receive` at offsets[i].
  template <class BytesFor>
  int exchange(const BytesFor& bytes_for, char* receive, const int64_t* offsets, const Waiting& waiting) {
    std::vector<MPI_Request> incoming, outgoing;
    int status = kDone;
    for (int i = 0; i < size() && !status; ++i) {
      const int64_t count = offsets[i + 1] - offsets[i];
      if (i == rank_ || count == 0) continue;
      if (check(MPI_Irecv(receive + offsets[i], static_cast<int>(count), MPI_BYTE, number(i), tag_,
                          communicator_, &incoming.emplace_back(MPI_REQUEST_NULL))))
        status = kBroken;
    }
    for (int i = 0; i < size() && !status; ++i) {
      const Bytes bytes = bytes_for(i);
      if (i == rank_ || bytes.count == 0) continue;
      if (check(MPI_Isend(bytes.at, static_cast<int>(bytes.count), MPI_BYTE, number(i), tag_, communicator_,
                          &outgoing.emplace_back(MPI_REQUEST_NULL))))
        status = kBroken;
    }
    if (!status) status = wait(incoming, waiting);
    if (!status) status = wait(outgoing, waiting);
    // Whatever comes too late, must not be written into memory that is somebody else's then.
    for (MPI_Request& r : incoming) {
      if (r == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&r);
      MPI_Request_free(&r);
    }
    return status;
  }
  int number(int rank) const { return members_[rank]; }

  int tag_;
};

// How many groups this process has been asked for.
std::atomic<int64_t> groups{0};

// The tag of a group: no other group with the same first member has it, nor has one with another.
int MpiEngine::part(const std::vector<int>& ranks, std::unique_ptr<Engine>& made, const Waiting& waiting) {
  std::vector<int64_t> counts(members_.size()), offsets(members_.size() + 1);
  counts[rank_] = groups++;
  for (size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<int64_t>(i * sizeof(int64_t));
  if (const int status = all_gather(reinterpret_cast<char*>(counts.data()), offsets.data(), waiting))
    return status;
  const auto own = std::find(ranks.begin(), ranks.end(), rank_);
  if (own == ranks.end()) return kDone;
  std::vector<int> members;
  for (int r : ranks) members.push_back(members_[r]);
  int all = 0, has_limit = 0, *limit = nullptr;
  MPI_Comm_size(communicator_, &all);
  MPI_Comm_get_attr(communicator_, MPI_TAG_UB, &limit, &has_limit);
  const int64_t tag = counts[ranks[0]] * all + members[0];
  if (has_limit && tag > *limit) {
    failure_ = "this MPI has no tags left for another group of workers";
    return kBroken;
  }
  made = std::make_unique<MpiPart>(*this, std::move(members), static_cast<int>(own - ranks.begin()),
                                   static_cast<int>(tag));
  return kDone;
}

}  // namespace
}  // namespace cantik::distributed

extern "C" __attribute__((visibility("default"))) cantik::distributed::Engine* cantik_engine(
    int version, const cantik::distributed::Waiting& waiting, char* why, int64_t length_of_why) {
  using namespace cantik::distributed;
  auto say = [&](const std::string& text) {
    std::strncpy(why, text.c_str(), static_cast<size_t>(length_of_why - 1));
    return nullptr;
  };
  if (version != kEngineVersion) return say("the module is of another version of Cantik");
  auto* engine = new MpiWorld(waiting);
  if (engine->works()) return engine;
  say(engine->failure());
  delete engine;
  return nullptr;
}
