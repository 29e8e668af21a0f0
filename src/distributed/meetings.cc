// Workers that go on without those that were lost, and take in new ones. The engine of those that meet again
// is TCP, whichever they began with: after a death no two MPI libraries answer alike, and a new process is
// known to none of them.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/function.h>

#include "base/crc64.h"
#include "base/interrupt.h"
#include "base/launch.h"
#include "base/process.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "distributed/communicator.h"
#include "distributed/tcp_engine.h"

namespace cantik {

using distributed::Watch;

namespace {

constexpr double kBetweenLooksAtMeeting = 0.01;  // seconds
constexpr double kPatience = 2;                  // seconds for a visitor's word
constexpr int64_t kMostBytes = 64 << 20;
constexpr char kMark[8] = "cantikJ";

// What a new worker says at the main one's door, before its addresses.
struct JoinRequest {
  char mark[8], job[40];
  int64_t bytes;
};

void put_text(char* to, size_t most, const std::string& text) {
  std::memcpy(to, text.data(), std::min(text.size(), most - 1));
}

// The others have come to mean other workers, or another meeting, than the one at hand.
struct Changed {};

// Runs `f`, which waits for others, until the watch says that they will not come as they are expected.
template <class F>
auto unless_changed(const Watch& watch, const std::vector<int>& numbers, F&& f) {
  Interruption* outer = Attention::current();
  auto ask = [&] {
    if (outer) Attention::ask_now(*outer);
    if (watch.is_called() || watch.alive() != numbers) throw Changed();
  };
  const Interruption scope(ask);
  return f();
}

// Which port of the main worker is known to new ones: that of the launcher, if it is free again.
int port_of_door() {
  if (const int port = environment_number("CANTIK_DOOR"); port >= 0) return port;
  return std::max(0, environment_number("MASTER_PORT")) +
         (environment("TORCHELASTIC_USE_AGENT_STORE") == "True");
}

}  // namespace

// Several workers on one machine share its processors, unless the program or its user has set a limit.
void Communicator::Impl::share_processors() {
  const std::string& own = workers[rank].host;
  const auto here =
      std::count_if(workers.begin(), workers.end(), [&](const WorkerDescriptor& w) { return w.host == own; });
  const int limit = std::max(1, hardware_threads() / static_cast<int>(here));
  const bool is_free = thread_limit() == (own_limit > 0 ? own_limit : hardware_threads());
  if (!is_free || environment_number("OMP_NUM_THREADS") >= 1 || limit == thread_limit()) return;
  set_thread_limit(limit);
  own_limit = limit;
}

Communicator::Impl::Impl(const Address& at, const Patience& p, std::string j)
    : watch(std::make_unique<Watch>()), patience(p), job(std::move(j)), main(connect_to(at, 60)) {
  JoinRequest r{};
  std::memcpy(r.mark, kMark, sizeof kMark);
  put_text(r.job, sizeof r.job, job);
  const std::string addresses = watch->addresses();
  r.bytes = static_cast<int64_t>(addresses.size());
  if (!main.write(&r, sizeof r, kPatience) || !main.write(addresses.data(), r.bytes, kPatience))
    throw runtime_error(
        cat("the training at ", at.host, ", port ", at.port, ", turned this new worker away"));
  // Who it will be is not known yet: for the time being, one behind all that the launcher has started.
  const int others = std::max(1, environment_number("WORLD_SIZE"));
  for (int i = 0; i < others; ++i) workers.push_back({i, ""});
  workers.push_back({others, host_name()});
  rank = others;
}

void Communicator::Impl::meet(const std::vector<int>& alive, int64_t meeting) {
  const auto own = std::find(alive.begin(), alive.end(), watch->own());
  distributed::Meeting m;
  m.rank = static_cast<int>(own - alive.begin());
  m.size = static_cast<int>(alive.size());
  m.seconds = patience.stall;
  Crc64 who;
  who.add(job.data(), job.size());
  who.add(alive.data(), alive.size() * sizeof(int));
  m.job = cat(meeting, " ", who.value());
  engine.reset();
  if (m.rank == 0) {
    Socket listener = listen_on("", 0);
    watch->come(meeting, listener.port());
    m.descriptor = listener.release();
  } else {
    watch->come(meeting, 0);
    const double until = clock_seconds() + patience.stall;
    std::optional<Address> place;
    while (!(place = watch->place_of(alive[0], meeting))) {
      if (clock_seconds() > until)
        throw runtime_error(cat("the main worker has not come to a meeting for ", patience.stall, " s"));
      may_end_now();
      sleep_for(kBetweenLooksAtMeeting);
    }
    m.main = *place;
  }
  if (m.size > 1) engine = distributed::counted(distributed::tcp_engine(m), meter);
  rank = m.rank;
  numbers = alive;
  workers.clear();
  const std::vector<std::string> addresses = watch->all_addresses();
  for (int number : alive) {
    const std::string& a = addresses[number];
    workers.push_back({static_cast<int64_t>(workers.size()), a.substr(0, a.find(' '))});
  }
  if (engine)
    summing.emplace(*engine);
  else
    summing.reset();
  serves_threads = true;
  position = met = {};
  watch->at(position);
  watch->met(alive, meeting);
  broken.clear();
  has_lost = false;
  share_processors();
}

void Communicator::Impl::meet_again(int64_t first) {
  if (engine) engine->finish(false);
  computes.store(false);
  has_lost = false;
  for (const double until = clock_seconds() + patience.stall;; first = 0) {
    const std::vector<int> alive = watch->alive();
    const int64_t meeting = first > 0 ? first : watch->next_meeting(true);
    try {
      return unless_changed(*watch, alive, [&] { meet(alive, meeting); });
    } catch (const Changed&) {
      continue;
    } catch (const Error&) {  // somebody was lost on the way: the watch will say so
      if (clock_seconds() > until) throw;
      sleep_for(kBetweenLooksAtMeeting);
    }
  }
}

void Communicator::keep_going() {
  Impl& m = *impl_;
  if (!m.watch || m.keeps_going) return;
  m.keeps_going = true;
  m.watch->keep_going();
  if (m.rank == 0 && !m.main) m.open_door();
}

void Communicator::Impl::open_door() {
  const int port = port_of_door();
  try {
    door = listen_on("", port);
  } catch (const Error&) {
    if (environment_number("CANTIK_DOOR") >= 0) throw;
    door = listen_on("", 0);  // the launcher has the port still
  }
}

bool Communicator::has_lost() const { return impl_->has_lost; }
bool Communicator::is_new() const { return static_cast<bool>(impl_->main); }

std::string Communicator::door() const {
  const Impl& m = *impl_;
  if (!m.door) return "";
  const std::vector<std::string> addresses = addresses_of_machine();
  return cat(addresses.empty() ? "127.0.0.1" : addresses[0], ":", m.door.port());
}

void Communicator::meet_again() {
  Impl& m = *impl_;
  const std::lock_guard lock(m.mutex);
  if (!m.watch)
    throw runtime_error("this process has no other workers to meet")
        .remedy("start it by cantik launch -n, which starts them");
  m.meet_again(0);
  if (m.rank == 0 && !m.door) m.open_door();
}

namespace {

// A new worker at the door, with its addresses.
struct Newcomer {
  Socket socket;
  std::string addresses;
};

// A host and a port, and more: "build7 41233 10.0.0.7".
bool are_addresses(const std::string& text) {
  const size_t space = text.find(' ');
  if (space == std::string::npos || space == 0) return false;
  int port = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data() + space + 1, end, port);
  return problem == std::errc() && port >= 1 && port <= 65535 && (rest == end || *rest == ' ');
}

std::vector<Newcomer> newcomers_at(const Socket& door, const std::string& job) {
  std::vector<Newcomer> all;
  while (Socket s = accept_waiting(door)) {
    JoinRequest r{};
    if (!s.read(&r, sizeof r, kPatience) || std::memcmp(r.mark, kMark, sizeof kMark) != 0 ||
        job.compare(0, sizeof r.job - 1, std::string(r.job, strnlen(r.job, sizeof r.job))) != 0 ||
        r.bytes < 1 || r.bytes > 4096)
      continue;  // somebody else's program
    std::string addresses(static_cast<size_t>(r.bytes), '\0');
    char more;
    if (!s.read(addresses.data(), r.bytes, kPatience) || s.receive_some(&more, 1).is_lost) continue;
    if (!are_addresses(addresses)) continue;
    all.push_back({std::move(s), std::move(addresses)});
  }
  return all;
}

DictionaryVector list_of(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }
std::vector<std::string> texts_in(const DictionaryValue& list) {
  std::vector<std::string> all;
  for (const DictionaryValue& v : list.as<DictionaryVector>()) all.push_back(v.as<std::string>());
  return all;
}

}  // namespace

bool Communicator::take_in() {
  Impl& m = *impl_;
  if (!m.keeps_going) return false;
  std::vector<Newcomer> come;
  if (m.door) come = newcomers_at(m.door, m.job);
  std::vector<std::string> addresses;
  for (const Newcomer& n : come) addresses.push_back(n.addresses);
  addresses = texts_in(
      DictionaryValue::from_bytes(gather(DictionaryValue(list_of(addresses)).to_bytes(), "new workers")[0]));
  if (addresses.empty()) return false;
  const std::lock_guard lock(m.mutex);
  const int64_t meeting = m.watch->next_meeting(true);
  const size_t known = m.watch->all_addresses().size();
  m.watch->expect(addresses);
  for (size_t i = 0; i < come.size(); ++i) {
    const std::string bytes = Dictionary{{"number", static_cast<uint64_t>(known + i)},
                                         {"meeting", static_cast<uint64_t>(meeting)},
                                         {"addresses", list_of(m.watch->all_addresses())}}
                                  .to_bytes();
    const auto size = static_cast<int64_t>(bytes.size());
    // One that does not read is found missing at the meeting.
    if (come[i].socket.write(&size, sizeof size, kPatience))
      come[i].socket.write(bytes.data(), size, kPatience);
  }
  m.meet_again(meeting);
  return true;
}

void Communicator::wait_to_be_taken_in() {
  Impl& m = *impl_;
  int64_t size = 0;
  auto ended = [] {
    return runtime_error(
               "the training has ended, or its main worker was lost, before this new worker was taken in")
        .remedy("new workers are taken in at checkpoints: let the training write one from time to time");
  };
  constexpr double kForEver = 1e9;
  if (!m.main.read(&size, sizeof size, kForEver) || size < 1 || size > kMostBytes) throw ended();
  std::string bytes(static_cast<size_t>(size), '\0');
  if (!m.main.read(bytes.data(), size, kPatience)) throw ended();
  const Dictionary d = Dictionary::from_bytes(bytes);
  const std::lock_guard lock(m.mutex);
  m.watch->keep_going();
  m.keeps_going = true;
  m.watch->begin(static_cast<int>(d.at("number").as<uint64_t>()), texts_in(d.at("addresses")),
                 m.patience.silence);
  m.main.close();
  m.meet_again(static_cast<int64_t>(d.at("meeting").as<uint64_t>()));
}

}  // namespace cantik
