#include "distributed/watch.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "base/text.h"

namespace cantik::distributed {
namespace {

constexpr double kPeriod = 0.25;  // seconds between two words
constexpr double kBetweenLooks = 0.05;
constexpr double kWatchPatience = 20;     // seconds until all have connected
constexpr double kTry = 2;                // seconds for one of several addresses of a worker
constexpr double kNewcomers = 5;          // seconds until a new worker has connected
constexpr size_t kMostUnsent = 64 << 10;  // bytes for a worker that does not read
constexpr size_t kMostVisitors = 1024;
constexpr char kWatchMark[8] = "cantikW";
enum : int32_t { kBeat = 1, kLeave = 2, kOut = 3 };

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
  int32_t type, number;     // the worker that says it
  int32_t about, is_ended;  // whom; whether that one has ended for certain, of one that leaves: by itself
  Standing standing;
  int64_t meeting;  // the latest that it has come to, and where it listens
  int32_t port, unused;
  char text[192];
};

// The connection to one worker.
struct Watch::Line {
  Socket socket;
  std::string addresses;
  std::string host;  // under which it is reached
  double heard_at = 0;
  Fate fate = Fate::expected;
  bool is_member = true;  // it takes part in the exchanges
  bool has_left = false;  // in peace
  Standing last;
  int64_t meeting = 0;
  int port = 0;
  std::string incoming, unsent;  // parts of messages
};

// Somebody at the door who has not said yet which worker it is.
struct Watch::Visitor {
  Socket socket;
  double since = 0;
  std::string incoming;
};

const char* text(Collective kind) {
  switch (kind) {
    case Collective::barrier: return "barrier";
    case Collective::sum: return "sum";
    case Collective::gather: return "gather";
    case Collective::all_to_all: return "all-to-all";
    case Collective::broadcast: return "broadcast";
    case Collective::part: return "forming of a group";
    case Collective::leave: return "end of training";
    case Collective::none: break;
  }
  return "nothing";
}

std::string text(const Standing& p) {
  if (p.kind == Collective::leave) return text(p.kind);
  if (p.number == 0) return "none yet";
  std::string s = cat("exchange ", p.number, ", ", text(p.kind));
  if (p.name[0]) s += cat(" of ", std::string(p.name, strnlen(p.name, sizeof p.name)));
  if (p.bytes > 0) s += cat(", ", p.bytes, " bytes");
  return s;
}

Watch::Watch() : door_(listen_on("", 0)) { addresses_ = reachable_at(door_.port()); }

Watch::~Watch() { leave(-1, ""); }

// Each connects to those before it, and is found by those behind it.
void Watch::begin(int own, const std::vector<std::string>& addresses, double silence) {
  own_ = own;
  silence_ = silence;
  lines_ = std::vector<Line>(addresses.size());
  const double start = clock_seconds();
  for (size_t i = 0; i < addresses.size(); ++i) {
    lines_[i].addresses = addresses[i];
    lines_[i].heard_at = start;
    if (addresses[i].empty()) lines_[i].fate = Fate::ended;
  }
  for (int i = 0; i < own; ++i)
    if (!addresses[i].empty()) connect(i, addresses[i]);
  thread_ = std::thread([this] { watch(); });
  while (!keeps_going_) {
    std::string missing;
    {
      const std::lock_guard lock(mutex_);
      for (size_t i = static_cast<size_t>(own) + 1; i < lines_.size(); ++i)
        if (lines_[i].fate == Fate::expected) missing += cat(missing.empty() ? "" : ", ", i);
    }
    if (missing.empty()) return;
    if (clock_seconds() > start + kWatchPatience)
      throw runtime_error(cat("these workers did not reach worker ", own, " over TCP: ", missing))
          .remedy("let TCP through between the machines: the workers watch over each other with it");
    may_end_now();
    sleep_for(0.001);
  }
}

// Before the thread runs.
void Watch::connect(int number, const std::string& addresses) {
  std::vector<std::string> at = words(addresses);
  const std::string host = at[0];
  const int port = std::stoi(at[1]);
  at.erase(at.begin(), at.begin() + 2);
  if (host == words(addresses_)[0]) at.push_back("127.0.0.1");
  at.push_back(host);
  const Message hello = message(kBeat);
  Line& line = lines_[number];
  for (size_t k = 0; k < at.size() && !line.socket; ++k) {
    try {
      Socket s = connect_to({at[k], port}, kTry);
      if (s.write(&hello, sizeof hello, kWatchPatience)) line.socket = std::move(s);
    } catch (const Error&) {
      if (k + 1 == at.size())
        throw runtime_error(
            cat("worker ", own_, " cannot reach worker ", number, " over TCP, at ", addresses))
            .remedy("let TCP through between the machines: the workers watch over each other with it");
    }
  }
  line.host = line.socket.peer();
  line.fate = Fate::alive;
}

std::vector<std::string> Watch::all_addresses() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (size_t i = 0; i < lines_.size(); ++i) {
    const bool is_here = lines_[i].fate == Fate::alive || lines_[i].fate == Fate::expected;
    all.push_back(is_here ? lines_[i].addresses : "");
  }
  return all;
}

Watch::Message Watch::message(int32_t type) const {
  Message m{};
  std::memcpy(m.mark, kWatchMark, sizeof kWatchMark);
  m.type = type;
  m.number = own_;
  m.about = -1;
  const std::lock_guard lock(mutex_);
  m.standing = standing_;
  m.meeting = meeting_;
  m.port = port_;
  return m;
}

void Watch::at(const Standing& p) {
  const std::lock_guard lock(mutex_);
  standing_ = p;
}

Standing Watch::last(int number) const {
  const std::lock_guard lock(mutex_);
  return lines_[number].last;
}

bool Watch::has_left(int number) const {
  const std::lock_guard lock(mutex_);
  return lines_[number].has_left;
}

Watch::Loss Watch::lost(int64_t number) const {
  if (!someone_left_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  if (loss_.number >= 0) return loss_;
  for (size_t i = 0; i < lines_.size(); ++i)
    if (lines_[i].is_member && lines_[i].has_left && lines_[i].last.number < number)
      return {static_cast<int>(i), true, ""};
  return {};
}

// A worker that does not read will be found silent.
void Watch::tell(const Message& m) {
  for (Line& l : lines_) {
    if (!l.socket) continue;
    if (l.unsent.size() < kMostUnsent) l.unsent.append(reinterpret_cast<const char*>(&m), sizeof m);
    const Socket::Moved moved = l.socket.send_some(l.unsent.data(), static_cast<int64_t>(l.unsent.size()));
    l.unsent.erase(0, static_cast<size_t>(moved.bytes));
  }
}

// Under the lock.
void Watch::heard(Line& line, const Message& m) {
  line.last = m.standing;
  line.meeting = m.meeting;
  line.port = m.port;
  latest_meeting_ = std::max(latest_meeting_, m.meeting);
  if (latest_meeting_ > meeting_) called_.store(true, std::memory_order_release);
  const std::string said(m.text, strnlen(m.text, sizeof m.text));
  if (m.type == kOut) {
    if (m.about == own_) cast_out(said);
    if (m.about < 0 || m.about >= static_cast<int>(lines_.size()) || m.about == own_) return;
    Line& other = lines_[m.about];
    if (other.fate == Fate::alive || other.fate == Fate::expected)
      lose(other, m.about, m.is_ended ? Fate::ended : Fate::silent, said);
  } else if (m.type == kLeave) {
    line.fate = Fate::ended;
    line.has_left = m.about < 0;
    if (m.about >= 0 && m.about < static_cast<int>(lines_.size()) && loss_.number < 0 && line.is_member)
      loss_ = {keeps_going_ ? m.number : m.about, m.about == m.number || m.is_ended, said};
    someone_left_.store(true, std::memory_order_release);
  }
}

// Under the lock. The connection of a silent worker stays: if it can hear anything, it hears that it is out.
void Watch::lose(Line& line, int number, Fate fate, const std::string& why) {
  line.fate = fate;
  if (loss_.number < 0 && line.is_member) loss_ = {number, false, why};
  someone_left_.store(true, std::memory_order_release);
}

// Under the lock.
void Watch::cast_out(const std::string& why) {
  if (outcast_.empty()) outcast_ = why;
  called_.store(true, std::memory_order_release);
}

void Watch::receive(Line& line, int number) {
  char bytes[4096];
  Socket::Moved moved{.bytes = 1};
  while (moved.bytes > 0 && line.socket) {
    moved = line.socket.receive_some(bytes, sizeof bytes);
    if (moved.bytes > 0) {
      line.heard_at = clock_seconds();
      line.incoming.append(bytes, static_cast<size_t>(moved.bytes));
    }
    while (line.incoming.size() >= sizeof(Message)) {
      Message m;
      std::memcpy(static_cast<void*>(&m), line.incoming.data(), sizeof m);
      line.incoming.erase(0, sizeof m);
      const std::lock_guard lock(mutex_);
      if (line.fate == Fate::alive) heard(line, m);
    }
  }
  if (!moved.is_lost) return;  // one that takes leave still listens
  line.socket.close();
  if (line.fate != Fate::alive) return;
  const std::string why = "its process ended or was killed";
  {
    const std::lock_guard lock(mutex_);
    lose(line, number, Fate::ended, why);
  }
  if (!keeps_going_) return;
  Message m = message(kOut);
  m.about = number;
  m.is_ended = 1;
  std::memcpy(m.text, why.data(), why.size());
  tell(m);
}

void Watch::look_for_silence(Line& line, int number, double now) {
  const bool is_late = line.fate == Fate::expected && number != own_ &&
                       now - line.heard_at > (line.is_member ? kWatchPatience : kNewcomers);
  if (!is_late && (line.fate != Fate::alive || now - line.heard_at <= silence_)) return;
  const std::string why =
      is_late ? "it did not connect to the others"
              : cat("nothing was heard of it for ", silence_, " s: it is stopped, or cut off");
  {
    const std::lock_guard lock(mutex_);
    lose(line, number, Fate::silent, why);
  }
  if (!keeps_going_) return;
  Message m = message(kOut);
  m.about = number;
  std::memcpy(m.text, why.data(), std::min(why.size(), sizeof m.text - 1));
  tell(m);
}

// The first message of a worker says which it is.
void Watch::receive(Visitor& v) {
  char bytes[sizeof(Message)];
  const auto wanted = static_cast<int64_t>(sizeof(Message) - v.incoming.size());
  const Socket::Moved moved = v.socket.receive_some(bytes, wanted);
  v.incoming.append(bytes, static_cast<size_t>(moved.bytes));
  if (moved.is_lost) v.socket.close();
  if (v.incoming.size() < sizeof(Message)) return;
  Message m;
  std::memcpy(static_cast<void*>(&m), v.incoming.data(), sizeof m);
  const bool is_known = std::memcmp(m.mark, kWatchMark, sizeof kWatchMark) == 0 && m.number > own_ &&
                        m.number < static_cast<int>(lines_.size());
  if (is_known && lines_[m.number].fate == Fate::expected) {
    const std::lock_guard lock(mutex_);
    Line& line = lines_[m.number];
    line.socket = std::move(v.socket);
    line.host = line.socket.peer();
    line.heard_at = clock_seconds();
    line.fate = Fate::alive;
  }
  v.socket.close();
}

void Watch::watch() {
  double told = 0, turn = clock_seconds();
  bool has_taken_leave = false;
  std::vector<Wanted> list;
  while (!ends_.load(std::memory_order_acquire)) {
    const double now = clock_seconds();
    {
      const std::lock_guard lock(mutex_);
      if (keeps_going_ && now - turn > silence_)
        cast_out(cat("it was stopped for ", static_cast<int>(now - turn), " s"));
      for (std::string& addresses : newcomers_) {
        Line& line = lines_.emplace_back();
        line.addresses = std::move(addresses);
        line.heard_at = now;
        line.is_member = false;
      }
      newcomers_.clear();
    }
    turn = now;
    if (now - told >= kPeriod || has_news_.exchange(false)) {
      tell(message(kBeat));
      told = now;
    }
    if (takes_leave_.load() && !has_taken_leave) {
      tell(message(kLeave));
      has_taken_leave = true;
    }
    while (Socket s = visitors_.size() < kMostVisitors ? accept_waiting(door_) : Socket())
      visitors_.push_back({std::move(s), now, ""});
    for (Visitor& v : visitors_) receive(v);
    std::erase_if(visitors_, [&](const Visitor& v) { return !v.socket || now - v.since > kNewcomers; });
    list.assign(1, {&door_, false, true});
    for (const Visitor& v : visitors_) list.push_back({&v.socket, false, true});
    for (const Line& l : lines_)
      if (l.socket) list.push_back({&l.socket, false, true});
    wait_for_any(list, kBetweenLooks);
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].socket) receive(lines_[i], static_cast<int>(i));
      look_for_silence(lines_[i], static_cast<int>(i), clock_seconds());
    }
  }
}

void Watch::leave(int about, const std::string& why, bool has_left) {
  if (!thread_.joinable()) return;
  ends_.store(true, std::memory_order_release);
  thread_.join();
  Message m = message(kLeave);
  m.about = about;
  m.is_ended = has_left;
  std::memcpy(m.text, why.data(), std::min(why.size(), sizeof m.text - 1));
  tell(m);
  for (Line& l : lines_) l.socket.close();
  door_.close();
}

// Of those that are silent nobody knows whether they go on together, too: only the greater part may.
std::vector<int> Watch::alive() const {
  const std::lock_guard lock(mutex_);
  std::vector<int> alive, silent;
  for (size_t i = 0; i < lines_.size(); ++i) {
    const Line& l = lines_[i];
    const int number = static_cast<int>(i);
    if (number == own_ || l.fate == Fate::alive || l.fate == Fate::expected)
      alive.push_back(number);
    else if (l.fate == Fate::silent && l.is_member)
      silent.push_back(number);
  }
  const bool is_minority =
      alive.size() < silent.size() || (alive.size() == silent.size() && silent.front() < alive.front());
  if (!outcast_.empty() || is_minority)
    throw runtime_error(
        cat("the others go on without this worker: ",
            !outcast_.empty() ? outcast_ : cat("it is cut off from ", silent.size(), " of them")))
        .remedy("start it again: a new worker is taken at the next checkpoint");
  return alive;
}

int64_t Watch::next_meeting(bool anew) {
  const std::lock_guard lock(mutex_);
  const int64_t meeting = std::max(latest_meeting_, meeting_);
  return anew && meeting == meeting_ ? meeting + 1 : meeting;
}

void Watch::come(int64_t meeting, int port) {
  const std::lock_guard lock(mutex_);
  meeting_ = meeting;
  port_ = port;
  has_news_.store(true);
  called_.store(latest_meeting_ > meeting_, std::memory_order_release);
}

std::optional<Address> Watch::place_of(int number, int64_t meeting) const {
  const std::lock_guard lock(mutex_);
  const Line& l = lines_[number];
  if (l.meeting != meeting || l.port == 0 || l.fate != Fate::alive) return std::nullopt;
  return Address{l.host, l.port};
}

void Watch::met(const std::vector<int>& numbers, int64_t meeting) {
  const std::lock_guard lock(mutex_);
  loss_ = {};
  bool someone_left = false;
  for (size_t i = 0; i < lines_.size(); ++i) {
    Line& l = lines_[i];
    l.is_member = std::find(numbers.begin(), numbers.end(), static_cast<int>(i)) != numbers.end();
    if (!l.is_member || (l.fate != Fate::silent && l.fate != Fate::ended)) continue;
    someone_left = true;  // again, in the meantime
    if (loss_.number < 0 && !l.has_left)
      loss_ = {static_cast<int>(i), false, "it was lost while the workers met"};
  }
  someone_left_.store(someone_left, std::memory_order_release);
  called_.store(latest_meeting_ > meeting, std::memory_order_release);
}

void Watch::expect(const std::vector<std::string>& addresses) {
  {
    const std::lock_guard lock(mutex_);
    newcomers_.insert(newcomers_.end(), addresses.begin(), addresses.end());
  }
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (newcomers_.empty()) return;
    }
    sleep_for(0.001);
  }
}

}  // namespace cantik::distributed
