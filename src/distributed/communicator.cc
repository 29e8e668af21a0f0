#include "distributed/communicator.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <cantik/error.h>
#include <cantik/function.h>

#include "base/interrupt.h"
#include "base/launch.h"
#include "base/process.h"
#include "base/socket.h"
#include "base/text.h"
#include "base/thread_pool.h"

namespace cantik {

using distributed::Collective;
using distributed::Engine;
using distributed::Standing;
using distributed::Waiting;
using distributed::Watch;

namespace {

constexpr int64_t kBucket = 25 << 20;   // bytes that are summed at a time
constexpr double kBetweenLooks = 0.01;  // seconds

// What an engine asks while it waits.
struct Asking {
  const Watch* watch;  // null while the workers meet
  const std::atomic<bool>* computes;
  int64_t number;
  double until;
  Watch::Loss loss;
  bool stalled = false;
  std::exception_ptr thrown;

  bool go_on() {
    try {
      may_end_now();
    } catch (...) {  // crosses no engine
      thrown = std::current_exception();
      return false;
    }
    if (watch && (loss = watch->lost(number)).rank >= 0) return false;
    stalled = clock_seconds() > until;
    return !stalled;
  }
  Waiting waiting() {
    return {[](void* self) { return static_cast<Asking*>(self)->go_on(); }, this, computes};
  }
};

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

// The parts between offsets.
std::vector<std::string> cut(const std::string& all, std::span<const int64_t> offsets) {
  std::vector<std::string> parts;
  for (size_t i = 0; i + 1 < offsets.size(); ++i)
    parts.push_back(
        all.substr(static_cast<size_t>(offsets[i]), static_cast<size_t>(offsets[i + 1] - offsets[i])));
  return parts;
}

// The bytes of a worker's host and addresses, while they meet: one exchange of sizes, one of bytes.
std::vector<std::string> gathered(Engine& engine, const std::string& own, const Waiting& waiting) {
  const auto n = static_cast<size_t>(engine.size());
  const auto rank = static_cast<size_t>(engine.rank());
  std::vector<int64_t> sizes(n), offsets(n + 1);
  sizes[rank] = static_cast<int64_t>(own.size());
  for (size_t i = 0; i <= n; ++i) offsets[i] = static_cast<int64_t>(i * sizeof(int64_t));
  auto check = [&](int status) {
    if (status)
      throw runtime_error(cat("the workers could not meet: ", engine.failure()))
          .remedy("look at the output of the other workers");
  };
  check(engine.all_gather(reinterpret_cast<char*>(sizes.data()), offsets.data(), waiting));
  for (size_t i = 0; i < n; ++i) offsets[i + 1] = offsets[i] + sizes[i];
  std::string all(static_cast<size_t>(offsets[n]), '\0');
  std::memcpy(all.data() + offsets[rank], own.data(), own.size());
  check(engine.all_gather(all.data(), offsets.data(), waiting));
  return cut(all, offsets);
}

}  // namespace

Communicator::Impl::Impl() : workers{{0, host_name()}} {}

Communicator::Impl::Impl(std::unique_ptr<Engine> e, const Patience& p)
    : engine(distributed::counted(std::move(e), meter)), watch(std::make_unique<Watch>()), patience(p) {
  rank = engine->rank();
  summing.emplace(*engine);
  Asking meeting{nullptr, &computes, 0, clock_seconds() + 60, {}, false, nullptr};
  const std::vector<std::string> addresses = gathered(*engine, watch->addresses(), meeting.waiting());
  for (size_t i = 0; i < addresses.size(); ++i)
    workers.push_back({static_cast<int64_t>(i), addresses[i].substr(0, addresses[i].find(' '))});
  const std::vector<std::string> threads =
      gathered(*engine, engine->serves_threads() ? "yes" : "no", meeting.waiting());
  serves_threads =
      std::all_of(threads.begin(), threads.end(), [](const std::string& s) { return s == "yes"; });
  watch->begin(static_cast<int>(rank), addresses, patience.silence);
}

Communicator::Impl::~Impl() { end(broken.empty() ? "" : broken); }

void Communicator::Impl::end(const std::string& why) {
  if (ended || !engine) return;
  ended = true;
  const bool together = why.empty() && broken.empty();
  watch->leave(why.empty() ? -1 : static_cast<int>(rank), why);
  engine->finish(together);
}

void Communicator::Impl::give_up(const std::string& why) {
  const std::lock_guard lock(mutex);
  if (broken.empty()) broken = cat("this worker has failed: ", why);
  watch->leave(static_cast<int>(rank), why);
}

template <class F>
void Communicator::Impl::move(F&& part) {
  Asking question{watch.get(), &computes, position.number, clock_seconds() + patience.stall,
                  {},          false,     nullptr};
  const int status = part(question.waiting());
  if (status == distributed::kDone) return;
  if (question.thrown) {
    broken = cat("this worker was interrupted in ", distributed::text(position));
    watch->leave(static_cast<int>(rank), cat("it was interrupted in ", distributed::text(position)));
    std::rethrow_exception(question.thrown);
  }
  // A connection that breaks is seen by the engine at once; what is known of its end comes a little later.
  Watch::Loss loss = question.loss;
  for (const double until = clock_seconds() + 1;
       loss.rank < 0 && !question.stalled && clock_seconds() < until; sleep_for(kBetweenLooks))
    loss = watch->lost(position.number);
  std::string what, who;
  if (question.stalled) {
    for (const WorkerDescriptor& w : workers)
      if (w.rank != rank && watch->last(static_cast<int>(w.rank)).number < position.number)
        who += cat(who.empty() ? "" : ", ", w.rank);
    what =
        cat("these workers have not joined the exchange for ", patience.stall, " s, though they live: ", who);
  } else if (loss.rank < 0 && engine->dead() < 0) {
    what = cat("the exchange between the workers failed: ", engine->failure());
  } else {
    const int gone = loss.rank >= 0 ? loss.rank : engine->dead();
    const WorkerDescriptor& w = workers[static_cast<size_t>(gone)];
    const std::string why = loss.rank >= 0 ? loss.why : std::string(engine->failure());
    what = cat("worker ", gone, " of ", workers.size(), ", on ", w.host, ", ",
               loss.has_left ? "has left" : "is lost", why.empty() ? "" : ": ", why);
    who = cat(gone);
    if (!loss.has_left || !why.empty()) watch->leave(gone, why);
  }
  const std::string here = distributed::text(position);
  std::string there;
  if (loss.rank >= 0 && loss.rank != rank) {
    const Standing last = watch->last(loss.rank);
    there = distributed::text(last.number > met.number ? last : met);
  }
  broken = what;
  throw runtime_error(what)
      .line("waiting", here)
      .line("its last", there)
      .remedy(
          "look at the output of that worker; a new start goes on from the last checkpoint. Workers that "
          "run out of data go on with empty minibatches until all are done");
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
  Notice& own = all[static_cast<size_t>(rank)];
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

Communicator::Communicator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Communicator::~Communicator() = default;

int64_t Communicator::rank() const { return impl_->rank; }
int64_t Communicator::size() const { return static_cast<int64_t>(impl_->workers.size()); }
const std::vector<WorkerDescriptor>& Communicator::workers() const { return impl_->workers; }
const WorkerDescriptor& Communicator::current_worker() const {
  return impl_->workers[static_cast<size_t>(impl_->rank)];
}
std::string Communicator::engine() const { return impl_->engine ? impl_->engine->name() : "none"; }
distributed::Meter& Communicator::meter() const { return impl_->meter; }
int64_t Communicator::exchanges() const { return impl_->position.number; }

void Communicator::barrier() {
  if (!impl_->engine) return;
  const std::lock_guard lock(impl_->mutex);
  impl_->announce(Collective::barrier, "", 0);
}

void Communicator::sum(std::span<double> numbers, const std::string& name) {
  Impl& m = *impl_;
  if (!m.engine) return;
  if (numbers.size_bytes() > sizeof(Impl::Notice::bytes)) {
    const Tensor all =
        Tensor::borrow(DType::float64, {static_cast<int64_t>(numbers.size())}, numbers.data(), nullptr);
    return sum(std::span(&all, 1), name);
  }
  const std::lock_guard lock(m.mutex);
  const std::vector<Impl::Notice> all =
      m.announce(Collective::sum, name, static_cast<int64_t>(numbers.size_bytes()), numbers.data(),
                 numbers.size_bytes());
  for (size_t w = 0; w < all.size(); ++w)
    for (size_t i = 0; i < numbers.size(); ++i) {
      double x;
      std::memcpy(&x, all[w].bytes + i * sizeof x, sizeof x);
      numbers[i] = w == 0 ? x : numbers[i] + x;
    }
}

namespace {

void check_numbers(std::span<const Tensor> tensors, const std::string& name) {
  for (const Tensor& t : tensors)
    if (!t.defined() || t.is_sparse() || (t.dtype() != DType::float32 && t.dtype() != DType::float64))
      throw unsupported(cat("the ", name,
                            " to be exchanged must be dense tensors of float32 or float64, and one is ",
                            t.defined() ? name_of(t.dtype()) : "undefined"))
          .remedy("give the parameters one of these types");
}

int64_t bytes_of(std::span<const Tensor> tensors) {
  int64_t bytes = 0;
  for (const Tensor& t : tensors) bytes += static_cast<int64_t>(t.bytes());
  return bytes;
}

}  // namespace

void Communicator::sum(std::span<const Tensor> tensors, const std::string& name) {
  Impl& m = *impl_;
  if (!m.engine) return;
  check_numbers(tensors, name);
  const std::lock_guard lock(m.mutex);
  m.announce(Collective::sum, name, bytes_of(tensors));
  for (DType type : {DType::float32, DType::float64}) {
    // Tensors side by side, cut into buckets.
    struct Piece {
      char* at;
      int64_t bytes;
    };
    std::vector<Piece> pieces;
    std::vector<char>& bucket = m.packed;
    int64_t filled = 0;
    const auto size = static_cast<int64_t>(size_of(type));
    auto flush = [&] {
      if (filled == 0) return;
      if (pieces.size() == 1) {  // in its place
        m.move([&](const Waiting& w) { return m.summing->run(pieces[0].at, filled / size, type, w); });
      } else {
        if (bucket.size() < static_cast<size_t>(filled)) bucket.resize(static_cast<size_t>(filled));
        char* to = bucket.data();
        for (const Piece& p : pieces) {
          std::memcpy(to, p.at, static_cast<size_t>(p.bytes));
          to += p.bytes;
        }
        m.move([&](const Waiting& w) { return m.summing->run(bucket.data(), filled / size, type, w); });
        const char* from = bucket.data();
        for (const Piece& p : pieces) {
          std::memcpy(p.at, from, static_cast<size_t>(p.bytes));
          from += p.bytes;
        }
      }
      pieces.clear();
      filled = 0;
    };
    for (const Tensor& t : tensors) {
      if (t.dtype() != type) continue;
      char* at = static_cast<char*>(t.raw());
      for (auto left = static_cast<int64_t>(t.bytes()); left > 0;) {
        const int64_t n = std::min(left, kBucket - filled);
        pieces.push_back({at, n});
        at += n;
        left -= n;
        filled += n;
        if (filled == kBucket) flush();
      }
    }
    flush();
  }
}

std::vector<std::string> Communicator::gather(const std::string& bytes, const std::string& name) {
  Impl& m = *impl_;
  if (!m.engine) return {bytes};
  const std::lock_guard lock(m.mutex);
  const std::vector<Impl::Notice> notices =
      m.announce(Collective::gather, name, static_cast<int64_t>(bytes.size()));
  const size_t n = notices.size();
  std::vector<int64_t> offsets(n + 1);
  for (size_t i = 0; i < n; ++i) offsets[i + 1] = offsets[i] + notices[i].position.bytes;
  std::string all(static_cast<size_t>(offsets[n]), '\0');
  std::memcpy(all.data() + offsets[static_cast<size_t>(m.rank)], bytes.data(), bytes.size());
  m.move([&](const Waiting& w) { return m.engine->all_gather(all.data(), offsets.data(), w); });
  return cut(all, offsets);
}

std::vector<std::string> Communicator::all_to_all(const std::vector<std::string>& bytes,
                                                  const std::string& name) {
  Impl& m = *impl_;
  const size_t n = workers().size();
  if (bytes.size() != n)
    throw value_error(
        cat("all_to_all needs bytes for each of ", n, " workers, and was given ", bytes.size()));
  if (!m.engine) return bytes;
  const std::lock_guard lock(m.mutex);
  m.announce(Collective::all_to_all, name, 0);
  // sizes[i * n + j]: of what worker i has for worker j
  std::vector<int64_t> sizes(n * n), offsets(n + 1), out(n + 1), in(n + 1);
  const auto rank = static_cast<size_t>(m.rank);
  for (size_t j = 0; j < n; ++j) sizes[rank * n + j] = static_cast<int64_t>(bytes[j].size());
  for (size_t i = 0; i <= n; ++i) offsets[i] = static_cast<int64_t>(i * n * sizeof(int64_t));
  m.move([&](const Waiting& w) {
    return m.engine->all_gather(reinterpret_cast<char*>(sizes.data()), offsets.data(), w);
  });
  std::string send;
  for (size_t i = 0; i < n; ++i) {
    send += bytes[i];
    out[i + 1] = out[i] + sizes[rank * n + i];
    in[i + 1] = in[i] + sizes[i * n + rank];
  }
  std::string received(static_cast<size_t>(in[n]), '\0');
  m.move([&](const Waiting& w) {
    return m.engine->all_to_all(send.data(), out.data(), received.data(), in.data(), w);
  });
  return cut(received, in);
}

void Communicator::broadcast(std::span<const Tensor> tensors, int64_t from, const std::string& name) {
  Impl& m = *impl_;
  if (from < 0 || from >= size())
    throw value_error(cat("there is no worker ", from, " among ", size(), " workers"));
  if (!m.engine) return;
  for (const Tensor& t : tensors)
    if (!t.defined() || t.is_sparse())
      throw value_error(cat("the ", name, " to be sent must be dense tensors"));
  const std::lock_guard lock(m.mutex);
  m.announce(Collective::broadcast, name, bytes_of(tensors));
  for (const Tensor& t : tensors)
    for (int64_t at = 0, all = static_cast<int64_t>(t.bytes()); at < all; at += kBucket)
      m.move([&](const Waiting& w) {
        return m.engine->broadcast(static_cast<char*>(t.raw()) + at, std::min(kBucket, all - at),
                                   static_cast<int>(from), w);
      });
}

// ---- the process's own

namespace {

struct World {
  std::mutex mutex;
  std::shared_ptr<Communicator> communicator;
};

World& the_world() {
  static World world;
  return world;
}

// Workers on one machine share its processors, unless the program or its user has set a limit.
void share_processors(const Communicator& c) {
  const auto& all = c.workers();
  const auto here = std::count_if(
      all.begin(), all.end(), [&](const WorkerDescriptor& w) { return w.host == c.current_worker().host; });
  if (here > 1 && thread_limit() == hardware_threads() && environment_number("OMP_NUM_THREADS") < 1)
    set_thread_limit(std::max(1, hardware_threads() / static_cast<int>(here)));
}

double seconds_of(const char* variable, double otherwise) {
  const char* given = std::getenv(variable);
  if (!given || !*given) return otherwise;
  char* end = nullptr;
  const double n = std::strtod(given, &end);
  if (*end || !(n > 0))
    throw value_error(cat(variable, " must be a number of seconds above 0, and is ", given));
  return n;
}

}  // namespace

std::shared_ptr<Communicator> Communicator::world() {
  World& w = the_world();
  const std::lock_guard lock(w.mutex);
  if (w.communicator) return w.communicator;
  const Impl::Patience patience{.silence = seconds_of("CANTIK_SILENCE", Impl::Patience().silence),
                                .stall = seconds_of("CANTIK_STALL", Impl::Patience().stall)};
  std::unique_ptr<Engine> engine = distributed::find_engine();
  auto impl = engine && engine->size() > 1 ? std::make_unique<Impl>(std::move(engine), patience)
                                           : std::make_unique<Impl>();
  w.communicator = std::make_shared<Communicator>(std::move(impl));
  share_processors(*w.communicator);
  return w.communicator;
}

bool Communicator::has_joined() {
  World& w = the_world();
  const std::lock_guard lock(w.mutex);
  return w.communicator && w.communicator->size() > 1;
}

void Communicator::finalize(const std::string& why) {
  World& w = the_world();
  const std::lock_guard lock(w.mutex);
  if (w.communicator) w.communicator->impl_->end(why);
}

}  // namespace cantik
