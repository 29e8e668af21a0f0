#include "distributed/tcp_engine.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik::distributed {
namespace {

constexpr double kMeetingPatience = 20;      // seconds for one message while the workers meet
constexpr char kMeetingMark[8] = "cantik1";  // the first bytes of whoever comes to the meeting
constexpr double kBetweenQuestions = 0.02;   // seconds
constexpr int64_t kMostAtOnce = 1 << 20;     // bytes of one call, so that all connections go on together

// What a worker says of itself when it comes.
struct Hello {
  char mark[8], job[40];
  int32_t rank, size, port, unused;
};

// Where a worker listens, as worker 0 tells the others. An empty host is worker 0's, which all know.
struct Seat {
  char host[60];
  int32_t port;
};

template <size_t N>
void put(char (&to)[N], const std::string& text) {
  std::memset(to, 0, N);
  std::memcpy(to, text.data(), std::min(text.size(), N - 1));
}

template <size_t N>
std::string text_of(const char (&from)[N]) {
  return {from, strnlen(from, N)};
}

class TcpEngine final : public Engine {
 public:
  explicit TcpEngine(const Meeting& m)
      : rank_(m.rank), size_(m.size), job_(m.job), peers_(static_cast<size_t>(m.size)) {
    if (rank_ == 0)
      receive_all(m);
    else
      join(m);
  }
  // Workers that know of each other where they listen.
  TcpEngine(int rank, const std::vector<Seat>& seats, const Socket& door, const std::string& job)
      : rank_(rank), size_(static_cast<int>(seats.size())), job_(job), peers_(seats.size()) {
    meet(0, seats, door);
  }

  const char* name() const override { return "TCP"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool serves_threads() const override { return true; }
  int dead() override { return dead_; }
  const char* failure() const override { return failure_.c_str(); }
  bool ends_together() const override { return false; }
  void finish(bool) override { peers_.clear(); }

  int all_to_all(const char* send, const int64_t* send_offsets, char* receive, const int64_t* receive_offsets,
                 const Waiting& waiting) override {
    std::vector<Stream> all(peers_.size());
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = {send + send_offsets[i], send_offsets[i + 1] - send_offsets[i], receive + receive_offsets[i],
                receive_offsets[i + 1] - receive_offsets[i]};
    Stream& own = all[rank_];
    if (own.to_send > 0) std::memcpy(own.receive, own.send, static_cast<size_t>(own.to_send));
    own = {};
    return move(all, waiting);
  }

  int all_gather(char* bytes, const int64_t* offsets, const Waiting& waiting) override {
    const auto own = static_cast<size_t>(rank_);
    std::vector<Stream> all(peers_.size());
    for (size_t i = 0; i < all.size(); ++i)
      if (i != own)
        all[i] = {bytes + offsets[own], offsets[own + 1] - offsets[own], bytes + offsets[i],
                  offsets[i + 1] - offsets[i]};
    return move(all, waiting);
  }

  int broadcast(char* bytes, int64_t count, int root, const Waiting& waiting) override {
    std::vector<Stream> all(peers_.size());
    if (rank_ == root) {
      for (Stream& s : all) s = {bytes, count, nullptr, 0};
      all[rank_] = {};
    } else {
      all[root] = {nullptr, 0, bytes, count};
    }
    return move(all, waiting);
  }

  int part(const std::vector<int>& ranks, std::unique_ptr<Engine>& made, const Waiting& waiting) override {
    const auto n = static_cast<size_t>(size_), own = static_cast<size_t>(rank_);
    const Socket door = listen_on("", 0);
    std::vector<int32_t> ports(n);
    std::vector<int64_t> offsets(n + 1);
    ports[own] = door.port();
    for (size_t i = 0; i <= n; ++i) offsets[i] = static_cast<int64_t>(i * sizeof(int32_t));
    if (const int status = all_gather(reinterpret_cast<char*>(ports.data()), offsets.data(), waiting))
      return status;
    const auto found = std::find(ranks.begin(), ranks.end(), rank_);
    if (found == ranks.end()) return kDone;
    std::vector<Seat> seats(ranks.size());
    for (size_t i = 0; i < ranks.size(); ++i) {
      const auto r = static_cast<size_t>(ranks[i]);
      if (r != own) put(seats[i].host, peers_[r].peer());
      seats[i].port = ports[r];
    }
    made = std::make_unique<TcpEngine>(static_cast<int>(found - ranks.begin()), seats, door, job_);
    return kDone;
  }

 private:
  // What is still to go to one worker and to come from it.
  struct Stream {
    const char* send = nullptr;
    int64_t to_send = 0;
    char* receive = nullptr;
    int64_t to_receive = 0;
  };

  // Worker 0: all others come, and are told where each of them listens.
  void receive_all(const Meeting& m) {
    const Socket door = m.descriptor >= 0 ? listen_on_descriptor(m.descriptor) : listen_on("", m.main.port);
    std::vector<Seat> seats(peers_.size());
    const double until = clock_seconds() + m.seconds;
    for (int missing = size_ - 1; missing > 0;) {
      Socket s = accept_from(door, until - clock_seconds());
      if (!s) throw absent(m.seconds);
      Hello h{};
      if (!s.read(&h, sizeof h, kMeetingPatience) ||
          std::memcmp(h.mark, kMeetingMark, sizeof kMeetingMark) != 0 || text_of(h.job) != job_)
        continue;  // somebody else's program
      if (h.size != size_ || h.rank < 1 || h.rank >= size_ || peers_[h.rank])
        throw runtime_error(cat("a worker came as rank ", h.rank, " of ", h.size,
                                ", but here are ranks 1 to ", size_ - 1, ", one process each"))
            .remedy("give all processes the same WORLD_SIZE, and each a RANK of its own");
      Seat& p = seats[h.rank];
      put(p.host, s.peer());
      p.port = h.port;
      peers_[h.rank] = std::move(s);
      --missing;
    }
    for (size_t i = 1; i < peers_.size(); ++i)
      if (!peers_[i].write(seats.data(), static_cast<int64_t>(seats.size() * sizeof(Seat)), kMeetingPatience))
        throw runtime_error(cat("worker ", i, " left while the workers met"));
  }

  Error absent(double seconds) const {
    std::string missing;
    for (size_t i = 0; i < peers_.size(); ++i)
      if (!peers_[i] && i != static_cast<size_t>(rank_)) missing += cat(missing.empty() ? "" : ", ", i);
    return runtime_error(cat("of ", size_, " workers these have not come within ", seconds, " s: ", missing))
        .remedy("look at the output of these; all have to be started with this MASTER_ADDR and MASTER_PORT");
  }

  // The others: to worker 0, then to those before, while those behind come.
  void join(const Meeting& m) {
    const Socket door = listen_on("", 0);
    Socket& main = peers_[0] = connect_to(m.main, m.seconds);
    const Hello h = hello(door.port());
    std::vector<Seat> seats(peers_.size());
    if (!main.write(&h, sizeof h, kMeetingPatience) ||
        !main.read(seats.data(), static_cast<int64_t>(seats.size() * sizeof(Seat)),
                   m.seconds + kMeetingPatience))
      throw runtime_error(cat("worker 0 at ", m.main.host, " ended, or turned this worker away"))
          .remedy("look at the output of worker 0");
    meet(1, seats, door);
  }

  Hello hello(int port) const {
    Hello h{};
    std::memcpy(h.mark, kMeetingMark, sizeof kMeetingMark);
    put(h.job, job_);
    h.rank = rank_;
    h.size = size_;
    h.port = port;
    return h;
  }

  // Connects to those before, from `first` on, while those behind come to the door.
  void meet(int first, const std::vector<Seat>& seats, const Socket& door) {
    const Hello h = hello(0);
    for (int i = first; i < rank_; ++i) {
      const Seat& p = seats[i];
      Socket& s = peers_[i] = connect_to({text_of(p.host), p.port}, kMeetingPatience, cat("worker ", i));
      if (!s.write(&h, sizeof h, kMeetingPatience))
        throw runtime_error(cat("worker ", i, " left while the workers met"));
    }
    for (int missing = size_ - 1 - rank_; missing > 0;) {
      Socket s = accept_from(door, kMeetingPatience);
      if (!s) throw absent(kMeetingPatience);
      Hello other{};
      if (!s.read(&other, sizeof other, kMeetingPatience) ||
          std::memcmp(other.mark, kMeetingMark, sizeof kMeetingMark) != 0 || text_of(other.job) != job_ ||
          other.rank <= rank_ || other.rank >= size_)
        continue;
      peers_[other.rank] = std::move(s);
      --missing;
    }
  }

  // Sends and receives on all connections at once.
  int move(std::vector<Stream>& all, const Waiting& waiting) {
    std::vector<Wanted> list;
    for (;;) {
      bool moved = false;
      list.clear();
      for (size_t i = 0; i < all.size(); ++i) {
        if (!advance(i, all[i], moved)) return kBroken;
        if (all[i].to_send > 0 || all[i].to_receive > 0)
          list.push_back({&peers_[i], all[i].to_send > 0, all[i].to_receive > 0});
      }
      if (list.empty()) return kDone;
      if (!moved) wait_for_any(list, kBetweenQuestions);
      if (!moved && !waiting.ask()) return kGivenUp;
    }
  }

  bool advance(size_t i, Stream& s, bool& moved) {
    auto went = [&](const Socket::Moved& m) {
      moved |= m.bytes > 0;
      if (!m.is_lost) return true;
      dead_ = static_cast<int>(i);
      failure_ = m.why;
      return false;
    };
    if (s.to_send > 0) {
      const Socket::Moved m = peers_[i].send_some(s.send, std::min(s.to_send, kMostAtOnce));
      if (!went(m)) return false;
      s.send += m.bytes;
      s.to_send -= m.bytes;
    }
    if (s.to_receive > 0) {
      const Socket::Moved m = peers_[i].receive_some(s.receive, std::min(s.to_receive, kMostAtOnce));
      if (!went(m)) return false;
      s.receive += m.bytes;
      s.to_receive -= m.bytes;
    }
    return true;
  }

  int rank_, size_;
  std::string job_;
  std::vector<Socket> peers_;  // by rank; the own place is empty
  int dead_ = -1;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Engine> tcp_engine(const Meeting& meeting) { return std::make_unique<TcpEngine>(meeting); }

}  // namespace cantik::distributed
