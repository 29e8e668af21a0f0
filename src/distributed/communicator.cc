#include "distributed/communicator.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "base/socket.h"
#include "base/text.h"
#include "distributed/asking.h"

namespace cantik {

using distributed::Asking;
using distributed::Collective;
using distributed::Engine;
using distributed::kMeeting;
using distributed::Standing;
using distributed::Useless;
using distributed::Waiting;
using distributed::Watch;

namespace {

constexpr double kBetweenLooksAtTransfer = 0.01;  // seconds
constexpr double kForEver = std::numeric_limits<double>::infinity();

Standing standing_of(Collective kind, const std::string& name, int64_t bytes, int64_t number) {
  Standing p;
  p.kind = kind;
  p.bytes = bytes;
  p.number = number;
  std::memcpy(p.name, name.data(), std::min(name.size(), sizeof p.name - 1));
  return p;
}

bool agree(const Standing& a, const Standing& b) {
  return a.kind == b.kind && a.number == b.number && std::strncmp(a.name, b.name, sizeof a.name) == 0 &&
         (a.bytes == b.bytes || a.kind == Collective::gather);
}

// The bytes of a worker's host and addresses, while they meet: one exchange of sizes, one of bytes.
std::vector<std::string> gathered(Engine& engine, const std::string& own, Asking& meeting) {
  const auto n = static_cast<size_t>(engine.size());
  const auto rank = static_cast<size_t>(engine.rank());
  std::vector<int64_t> sizes(n), offsets(n + 1);
  sizes[rank] = static_cast<int64_t>(own.size());
  for (size_t i = 0; i <= n; ++i) offsets[i] = static_cast<int64_t>(i * sizeof(int64_t));
  const Waiting waiting = meeting.waiting();
  auto check = [&](int status) {
    if (status == distributed::kDone) return;
    if (meeting.interrupted) std::rethrow_exception(meeting.interrupted);
    const int dead = engine.dead();
    const std::string why = meeting.stalled ? cat("not all have come within ", kMeeting, " s")
                            : dead >= 0     ? cat("worker ", dead, " of ", n, " is lost")
                                            : std::string(engine.failure());
    throw runtime_error(cat("the workers could not meet: ", why))
        .remedy("look at the output of the other workers");
  };
  check(engine.all_gather(reinterpret_cast<char*>(sizes.data()), offsets.data(), waiting));
  for (size_t i = 0; i < n; ++i) offsets[i + 1] = offsets[i] + sizes[i];
  std::string all(static_cast<size_t>(offsets[n]), '\0');
  std::memcpy(all.data() + offsets[rank], own.data(), own.size());
  check(engine.all_gather(all.data(), offsets.data(), waiting));
  std::vector<std::string> parts;
  for (size_t i = 0; i < n; ++i)
    parts.push_back(all.substr(static_cast<size_t>(offsets[i]), static_cast<size_t>(sizes[i])));
  return parts;
}

}  // namespace

Communicator::Impl::Impl() : workers{{0, host_name()}}, numbers{0} {}

Communicator::Impl::Impl(std::unique_ptr<Engine> e, const Patience& p, std::string j)
    : engine(distributed::counted(std::move(e), meter)),
      watch(std::make_unique<Watch>()),
      patience(p),
      job(std::move(j)) {
  rank = engine->rank();
  summing.emplace(*engine);
  Asking meeting{.watch = nullptr, .computes = &computes, .number = 0, .until = clock_seconds() + kMeeting};
  const std::vector<std::string> addresses = gathered(*engine, watch->addresses(), meeting);
  for (size_t i = 0; i < addresses.size(); ++i) {
    workers.push_back({static_cast<int64_t>(i), addresses[i].substr(0, addresses[i].find(' '))});
    numbers.push_back(static_cast<int>(i));
  }
  const std::vector<std::string> threads =
      gathered(*engine, engine->serves_threads() ? "yes" : "no", meeting);
  serves_threads =
      std::all_of(threads.begin(), threads.end(), [](const std::string& s) { return s == "yes"; });
  watch->begin(static_cast<int>(rank), addresses, patience.silence);
}

Communicator::Impl::~Impl() {
  try {
    end("");
  } catch (...) {  // finalize() tells of a worker that is lost only now
  }
}

void Communicator::Impl::end(const std::string& why) {
  if (ended) return;
  ended = true;
  door.close();
  main.close();
  if (!watch) return;
  const std::string reason = why.empty() ? broken : why;
  std::exception_ptr failure;
  try {
    if (reason.empty() && engine && engine->ends_together()) wait_for_their_end();
  } catch (...) {
    failure = std::current_exception();
  }
  watch->leave(reason.empty() ? -1 : watch->own(), reason);
  if (engine) engine->finish(reason.empty() && !failure);
  if (failure && !has_lost) std::rethrow_exception(failure);  // else the training goes on without that worker
}

// The engine's own end would wait for ever for a worker that is lost.
void Communicator::Impl::wait_for_their_end() {
  position = standing_of(Collective::leave, "", 0, position.number);
  watch->take_leave();
  move([&](const Waiting&) {
    auto has_left = [&](int n) { return n == watch->own() || watch->has_left(n); };
    for (; !std::all_of(numbers.begin(), numbers.end(), has_left); sleep_for(kBetweenLooksAtTransfer))
      may_end_now();
    return distributed::kDone;
  });
}

void Communicator::Impl::give_up(const std::string& why) {
  const std::lock_guard lock(mutex);
  if (broken.empty()) broken = cat("this worker has failed: ", why);
  has_lost = false;
  watch->leave(watch->own(), why);
}

void Communicator::Impl::move(const std::function<int(const Waiting&)>& part) {
  Asking question{.watch = watch.get(),
                  .computes = &computes,
                  .number = position.number,
                  .until = clock_seconds() + patience.stall};
  if (position.kind == Collective::leave) question.until = kForEver;  // others may have work of their own
  std::exception_ptr failure;
  try {
    auto ask = [&] { question.ask(); };
    const Interruption scope(ask);
    if (part(question.waiting()) == distributed::kDone) return;
  } catch (const Useless&) {  // `question` knows
  } catch (...) {
    failure = std::current_exception();
  }
  if (question.interrupted) {
    broken = cat("this worker was interrupted in ", distributed::text(position));
    watch->leave(watch->own(), cat("it was interrupted in ", distributed::text(position)));
    std::rethrow_exception(question.interrupted);
  }
  // A connection that breaks is seen by the engine at once; what is known of its end comes a little later.
  Watch::Loss loss = question.loss;
  for (const double until = clock_seconds() + 1;
       loss.number < 0 && !question.stalled && !watch->is_called() && clock_seconds() < until;
       sleep_for(kBetweenLooksAtTransfer))
    loss = watch->lost(position.number);
  if (failure && loss.number < 0 && !question.stalled && !watch->is_called()) {
    broken = cat("this worker has failed in ", distributed::text(position));
    watch->leave(watch->own(), cat("it has failed in ", distributed::text(position)));
    std::rethrow_exception(failure);
  }
  fail(loss, question.stalled);
}

void Communicator::Impl::fail(const Watch::Loss& loss, bool stalled) {
  auto rank_of = [&](int number) {
    return static_cast<size_t>(std::find(numbers.begin(), numbers.end(), number) - numbers.begin());
  };
  const int dead = engine->dead();
  const size_t gone = loss.number >= 0 ? rank_of(loss.number)
                      : dead >= 0      ? static_cast<size_t>(dead)
                                       : workers.size();
  std::string what, there;
  if (stalled) {
    std::string who;
    for (size_t i = 0; i < workers.size(); ++i)
      if (static_cast<int64_t>(i) != rank && watch->last(numbers[i]).number < position.number)
        who += cat(who.empty() ? "" : ", ", workers[i].rank);
    what =
        cat("these workers have not joined the exchange for ", patience.stall, " s, though they live: ", who);
  } else if (gone >= workers.size()) {
    what = watch->is_called() ? "the other workers meet anew"
                              : cat("the exchange between the workers failed: ", engine->failure());
  } else {
    const WorkerDescriptor& w = workers[gone];
    const std::string why = loss.number >= 0 ? loss.why : std::string(engine->failure());
    what = cat("worker ", w.rank, " of ", workers.size(), ", on ", w.host, ", ",
               loss.has_left ? "has left" : "is lost", why.empty() ? "" : ": ", why);
    // The others hear of that worker, not that this one has ended because of it.
    if (!keeps_going) watch->leave(numbers[gone], why, loss.has_left);
  }
  if (loss.number >= 0 && gone < workers.size()) {
    const Standing last = watch->last(loss.number);
    there = distributed::text(last.number > met.number ? last : met);
  }
  broken = what;
  has_lost = keeps_going && !stalled;
  throw runtime_error(what)
      .line("waiting", distributed::text(position))
      .line("its last", there)
      .remedy(
          "look at the output of that worker; a new start goes on from the last checkpoint. Workers that "
          "run out of data go on with empty minibatches until all are done");
}

bool Communicator::Impl::is_alone(Collective kind, const std::string& name) const {
  if (main)
    throw runtime_error(cat("this worker has not been taken in yet: ", distributed::text(kind),
                            name.empty() ? "" : " of ", name))
        .remedy(
            "a new worker exchanges nothing but barriers before its training: let it begin with a "
            "training_session, or with restore_from_checkpoint");
  return !engine;
}

std::vector<Communicator::Impl::Notice> Communicator::Impl::announce(Collective kind, const std::string& name,
                                                                     int64_t bytes, const void* few,
                                                                     size_t count) {
  if (!broken.empty())
    throw runtime_error(cat("the workers cannot exchange anything any more: ", broken))
        .remedy("end this worker, and start all of them again");
  if (ended)
    throw runtime_error(cat("the workers have parted: ", text(kind), " of ", name, " after finalize()"))
        .remedy("call Communicator.finalize() at the end of the program");
  position = standing_of(kind, name, bytes, position.number + 1);
  watch->at(position);
  const size_t n = workers.size();
  std::vector<Notice> all(n);
  Notice& own = all[rank];
  own.position = position;
  own.computed = meter.spent().computing;
  if (count > 0) std::memcpy(own.bytes, few, count);
  std::vector<int64_t> offsets(n + 1);
  for (size_t i = 0; i <= n; ++i) offsets[i] = static_cast<int64_t>(i * sizeof(Notice));
  const double begun = clock_seconds();
  move([&](const Waiting& w) {
    return engine->all_gather(reinterpret_cast<char*>(all.data()), offsets.data(), w);
  });
  meter.waited(clock_seconds() - begun);
  std::vector<distributed::Work> computed;
  for (const Notice& x : all) computed.push_back(x.computed);
  meter.told(std::move(computed));
  if (std::all_of(all.begin(), all.end(), [&](const Notice& x) { return agree(x.position, position); })) {
    met = position;
    return all;
  }
  broken = "the workers made different exchanges";
  Error e = runtime_error(broken);
  for (size_t i = 0; i < n; ++i) std::move(e).line(cat("worker ", i), text(all[i].position));
  throw std::move(e).remedy(
      "let all workers make the same calls in the same order: the same learners and parameters, minibatches "
      "until all workers are done, checkpoints and tests by all of them");
}

}  // namespace cantik
