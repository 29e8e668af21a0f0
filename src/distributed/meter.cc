#include "distributed/meter.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/socket.h"

namespace cantik::distributed {
namespace {

constexpr double kSlow = 1.2;  // times the seconds that the others take for a sample

class CountedEngine final : public Engine {
 public:
  CountedEngine(std::unique_ptr<Engine> engine, Meter& meter) : engine_(std::move(engine)), meter_(meter) {}

  const char* name() const override { return engine_->name(); }
  int rank() const override { return engine_->rank(); }
  int size() const override { return engine_->size(); }
  bool serves_threads() const override { return engine_->serves_threads(); }
  int dead() override { return engine_->dead(); }
  const char* failure() const override { return engine_->failure(); }
  bool ends_together() const override { return engine_->ends_together(); }
  void finish(bool together) override { engine_->finish(together); }
  // Counts for a meter of its own.
  int part(const std::vector<int>& ranks, std::unique_ptr<Engine>& made, const Waiting& waiting) override {
    return engine_->part(ranks, made, waiting);
  }

  int all_to_all(const char* send, const int64_t* send_offsets, char* receive, const int64_t* receive_offsets,
                 const Waiting& waiting) override {
    meter_.sent(send_offsets[size()] - send_offsets[0] - own(send_offsets));
    const Clock clock(meter_);
    return engine_->all_to_all(send, send_offsets, receive, receive_offsets, waiting);
  }
  int all_gather(char* all, const int64_t* offsets, const Waiting& waiting) override {
    meter_.sent(own(offsets) * (size() - 1));
    const Clock clock(meter_);
    return engine_->all_gather(all, offsets, waiting);
  }
  int broadcast(char* bytes, int64_t count, int root, const Waiting& waiting) override {
    if (root == rank()) meter_.sent(count * (size() - 1));
    const Clock clock(meter_);
    return engine_->broadcast(bytes, count, root, waiting);
  }

 private:
  struct Clock {
    explicit Clock(Meter& m) : meter(m), begun(clock_seconds()) {}
    ~Clock() { meter.exchanged(clock_seconds() - begun); }
    Meter& meter;
    double begun;
  };
  int64_t own(const int64_t* offsets) const { return offsets[rank() + 1] - offsets[rank()]; }

  std::unique_ptr<Engine> engine_;
  Meter& meter_;
};

std::string number(double x, int decimals) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", decimals, x);
  return text;
}

double for_a_sample(const Work& w) { return w.samples > 0 ? w.seconds / w.samples : 0; }

}  // namespace

void Meter::computed(double seconds, int64_t samples) {
  const std::lock_guard lock(mutex_);
  spent_.computing.seconds += seconds;
  spent_.computing.samples += static_cast<double>(samples);
}
void Meter::waited(double seconds) {
  const std::lock_guard lock(mutex_);
  spent_.waiting += seconds;
  spent_.exchanging -= seconds;
}
void Meter::exchanged(double seconds) {
  const std::lock_guard lock(mutex_);
  spent_.exchanging += seconds;
}
void Meter::sent(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  spent_.bytes += bytes;
}
Spent Meter::spent() const {
  const std::lock_guard lock(mutex_);
  return spent_;
}
void Meter::told(std::vector<Work> all) {
  const std::lock_guard lock(mutex_);
  workers_ = std::move(all);
}
std::vector<Work> Meter::workers() const {
  const std::lock_guard lock(mutex_);
  return workers_;
}

std::vector<std::string> WorkReport::lines(const Meter& meter, int64_t rank) {
  const Spent now = meter.spent();
  const std::vector<Work> all = meter.workers();
  std::vector<Work> since = all;
  Work sum;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i < last_workers_.size()) {
      since[i].seconds -= last_workers_[i].seconds;
      since[i].samples -= last_workers_[i].samples;
    }
    sum.seconds += since[i].seconds;
    sum.samples += since[i].samples;
  }
  std::vector<std::string> lines;
  if (sum.samples > 0) {
    const double share = since[rank].samples / sum.samples;
    lines.push_back(cat("Worker ", rank, " of ", all.size(), ": ", number(100 * share, 1),
                        " % of the samples, computing ",
                        number(now.computing.seconds - last_.computing.seconds, 3), " s, waiting ",
                        number(now.waiting - last_.waiting, 3), " s, exchanging ",
                        number(now.exchanging - last_.exchanging, 3), " s, ",
                        number(static_cast<double>(now.bytes - last_.bytes) / 1e6, 3), " MB sent"));
    for (size_t i = 0; i < since.size(); ++i) {
      const double own = for_a_sample(since[i]);
      const double others = for_a_sample({sum.seconds - since[i].seconds, sum.samples - since[i].samples});
      if (others > 0 && own > kSlow * others)
        lines.push_back(cat("Worker ", i, " is slow: it computes ", number(own / others, 2),
                            " times as long for a sample as the others"));
    }
  }
  last_ = now;
  last_workers_ = all;
  return lines;
}

std::unique_ptr<Engine> counted(std::unique_ptr<Engine> engine, Meter& meter) {
  return std::make_unique<CountedEngine>(std::move(engine), meter);
}

}  // namespace cantik::distributed
