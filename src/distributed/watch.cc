#include "distributed/watch.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <cantik/error.h>

#include "base/process.h"
#include "base/text.h"

namespace cantik::distributed {
namespace {

constexpr double kPeriod = 0.25;  // seconds between two words
constexpr double kBetweenLooks = 0.05;
constexpr double kPatience = 20;  // seconds for one message while the workers meet
constexpr double kTry = 2;        // seconds for one of several addresses of a worker
constexpr char kMark[8] = "cantikW";
enum : int32_t { kBeat = 1, kLeave = 2 };

// Host name, port, and the numbers of the machine's interfaces: "build7 41233 10.0.0.7 fe80::1".
std::string reachable_at(int port) {
  std::string all = cat(host_name(), " ", port);
  for (const std::string& number : addresses_of_machine()) all += " " + number;
  return all;
}

std::vector<std::string> words(const std::string& s) {
  std::vector<std::string> all;
  for (size_t at = 0; at < s.size();) {
    const size_t end = std::min(s.find(' ', at), s.size());
    all.push_back(s.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

}  // namespace

struct Watch::Message {
  char mark[8];
  int32_t type, rank, about, unused;
  Standing position;
  char text[192];
};

// The connection to one worker.
struct Watch::Line {
  Socket socket;
  double heard_at = 0;
  Standing last;
  bool left = false;
  std::string incoming;  // the part of a message that is there
};

const char* text(Collective kind) {
  switch (kind) {
    case Collective::barrier: return "barrier";
    case Collective::sum: return "sum";
    case Collective::gather: return "gather";
    case Collective::all_to_all: return "all-to-all";
    case Collective::broadcast: return "broadcast";
    case Collective::leave: return "end of training";
    case Collective::none: break;
  }
  return "nothing";
}

std::string text(const Standing& p) {
  if (p.number == 0) return "none yet";
  std::string s = cat("exchange ", p.number, ", ", text(p.kind));
  if (p.name[0]) s += cat(" of ", std::string(p.name, strnlen(p.name, sizeof p.name)));
  if (p.bytes > 0) s += cat(", ", p.bytes, " bytes");
  return s;
}

Watch::Watch() : door_(listen_on("", 0)) { addresses_ = reachable_at(door_.port()); }

Watch::~Watch() { leave(-1, ""); }

void Watch::begin(int rank, const std::vector<std::string>& addresses, double silence) {
  rank_ = rank;
  silence_ = silence;
  lines_ = std::vector<Line>(addresses.size());
  meet(door_, addresses);
  door_.close();
  const double start = clock_seconds();
  for (Line& l : lines_) l.heard_at = start;
  thread_ = std::thread([this] { watch(); });
}

// Each connects to those before it, and is found by those behind it.
void Watch::meet(const Socket& door, const std::vector<std::string>& addresses) {
  const std::string here = words(addresses[static_cast<size_t>(rank_)])[0];
  const Message hello = message(kBeat);
  for (size_t i = 0; i < static_cast<size_t>(rank_); ++i) {
    std::vector<std::string> at = words(addresses[i]);
    const std::string host = at[0];
    const int port = std::stoi(at[1]);
    at.erase(at.begin(), at.begin() + 2);
    if (host == here) at.push_back("127.0.0.1");
    at.push_back(host);
    for (size_t k = 0; k < at.size() && !lines_[i].socket; ++k) {
      try {
        Socket s = connect_to({at[k], port}, kTry);
        if (s.write(&hello, sizeof hello, kPatience)) lines_[i].socket = std::move(s);
      } catch (const Error&) {
        if (k + 1 == at.size())
          throw runtime_error(
              cat("worker ", rank_, " cannot reach worker ", i, " over TCP, at ", addresses[i]))
              .remedy("let TCP through between the machines: the workers watch over each other with it");
      }
    }
  }
  for (size_t missing = lines_.size() - 1 - static_cast<size_t>(rank_); missing > 0;) {
    Socket s = accept_from(door, kPatience);
    if (!s)
      throw runtime_error(cat(missing, " of the workers behind worker ", rank_, " did not reach it over TCP"))
          .remedy("let TCP through between the machines: the workers watch over each other with it");
    Message m{};
    if (!s.read(&m, sizeof m, kPatience) || std::memcmp(m.mark, kMark, sizeof kMark) != 0 ||
        m.rank <= rank_ || m.rank >= static_cast<int>(lines_.size()) ||
        lines_[static_cast<size_t>(m.rank)].socket)
      continue;
    lines_[static_cast<size_t>(m.rank)].socket = std::move(s);
    --missing;
  }
}

Watch::Message Watch::message(int32_t type) const {
  Message m{};
  std::memcpy(m.mark, kMark, sizeof kMark);
  m.type = type;
  m.rank = rank_;
  m.about = -1;
  const std::lock_guard lock(mutex_);
  m.position = own_;
  return m;
}

void Watch::at(const Standing& p) {
  const std::lock_guard lock(mutex_);
  own_ = p;
}

Standing Watch::last(int rank) const {
  const std::lock_guard lock(mutex_);
  return lines_[static_cast<size_t>(rank)].last;
}

Watch::Loss Watch::lost(int64_t number) const {
  if (!someone_left_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  if (loss_.rank >= 0) return loss_;
  for (size_t i = 0; i < lines_.size(); ++i)
    if (lines_[i].left && lines_[i].last.number < number) return {static_cast<int>(i), true, ""};
  return {};
}

void Watch::tell(const Message& m) {
  for (Line& l : lines_)
    // A full buffer is a worker that does not read: it will be found silent.
    if (l.socket && !l.left) l.socket.send_some(&m, sizeof m);
}

void Watch::heard(Line& line, const Message& m) {
  line.last = m.position;
  if (m.type != kLeave) return;
  line.left = true;
  if (m.about >= 0 && m.about < static_cast<int>(lines_.size()) && loss_.rank < 0)
    loss_ = {m.about, m.about == m.rank, std::string(m.text, strnlen(m.text, sizeof m.text))};
  someone_left_.store(true, std::memory_order_release);
}

void Watch::watch() {
  double told = 0;
  std::vector<Wanted> list;
  std::vector<size_t> who;
  while (!ends_.load(std::memory_order_acquire)) {
    double t = clock_seconds();
    if (t - told >= kPeriod) {
      tell(message(kBeat));
      told = t;
    }
    list.clear();
    who.clear();
    for (size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i].socket && !lines_[i].left) {
        list.push_back({&lines_[i].socket, false, true});
        who.push_back(i);
      }
    wait_for_any(list, kBetweenLooks);
    t = clock_seconds();
    for (size_t k = 0; k < list.size(); ++k) {
      Line& line = lines_[who[k]];
      auto lose = [&](const std::string& why) {
        const std::lock_guard lock(mutex_);
        line.left = true;
        if (loss_.rank < 0) loss_ = {static_cast<int>(who[k]), false, why};
        someone_left_.store(true, std::memory_order_release);
      };
      char bytes[4096];
      Socket::Moved moved{.bytes = 1};
      while (moved.bytes > 0 && !line.left) {
        moved = line.socket.receive_some(bytes, sizeof bytes);
        if (moved.bytes == 0) break;
        line.heard_at = t;
        line.incoming.append(bytes, static_cast<size_t>(moved.bytes));
        while (line.incoming.size() >= sizeof(Message)) {
          Message m;
          std::memcpy(static_cast<void*>(&m), line.incoming.data(), sizeof m);
          line.incoming.erase(0, sizeof m);
          const std::lock_guard lock(mutex_);
          heard(line, m);
        }
      }
      if (line.left) continue;
      if (moved.is_lost)
        lose("its process ended or was killed");
      else if (t - line.heard_at > silence_)
        lose(cat("nothing was heard of it for ", silence_, " s: it is stopped, or cut off"));
    }
  }
}

void Watch::leave(int about, const std::string& why) {
  if (!thread_.joinable()) return;
  ends_.store(true, std::memory_order_release);
  thread_.join();
  Message m = message(kLeave);
  m.about = about;
  std::memcpy(m.text, why.data(), std::min(why.size(), sizeof m.text - 1));
  tell(m);
  for (Line& l : lines_) l.socket.close();
}

}  // namespace cantik::distributed
