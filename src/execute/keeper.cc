#include "execute/keeper.h"

#include <algorithm>
#include <numeric>

namespace cantik::runtime {

namespace {

// A number is which call of the run it was, and which row of it: rows come back in another order where a
// gradient is no recurrence.
constexpr double kRows = 1 << 26;

const double* numbers_of(const cantik_operand& o) { return static_cast<const double*>(o.data); }

// The hold on a run's memory that a library has.
using Hold = std::shared_ptr<Lease>;

}  // namespace

RunKeeper::RunKeeper(bool once) : once_(once) {
  c_.size = sizeof c_;
  c_.self = static_cast<UserRun*>(this);
  c_.save = [](void* self, void* object, void (*release)(void*)) {
    of(self).pending_ = Object(object, release);
  };
  c_.saved = [](void* self) -> void* {
    RunKeeper& k = of(self);
    return k.reads_ < 0 ? nullptr : k.saved_.at(static_cast<size_t>(k.reads_)).get();
  };
  c_.let_go = [](void* self) {
    RunKeeper& k = of(self);
    if (k.once_ && k.reads_ >= 0) k.saved_.at(static_cast<size_t>(k.reads_)).reset();
  };
  c_.keep = [](void* self, void* object, void (*release)(void*)) {
    RunKeeper& k = of(self);
    if (Object* known = k.kept())
      *known = Object(object, release);
    else
      k.kept_.emplace_back(k.function_, Object(object, release));
  };
  c_.kept = [](void* self) -> void* {
    Object* known = of(self).kept();
    return known ? known->get() : nullptr;
  };
  c_.borrow = [](void* self, const void* data) -> void* {
    Hold lease = of(self).borrow(data);
    return lease ? new Hold(std::move(lease)) : nullptr;
  };
  c_.give_back = [](void* hold) { delete static_cast<Hold*>(hold); };
}

RunKeeper::RunKeeper(const RunKeeper& forward) : RunKeeper(false) {
  saved_ = forward.saved_;
  kept_ = forward.kept_;
  sizes = forward.sizes;
}

RunKeeper::Object* RunKeeper::kept() {
  if (!function_) return nullptr;
  auto at = std::find_if(kept_.begin(), kept_.end(), [&](const auto& k) { return k.first == function_; });
  return at == kept_.end() ? nullptr : &at->second;
}

void RunKeeper::number(const cantik_operand& rows) {
  const double call = kRows * static_cast<double>(saved_.size());
  saved_.push_back(std::move(pending_));
  for (int64_t i = 0; i < rows.rows; ++i) static_cast<double*>(rows.data)[i] = call + static_cast<double>(i);
}

int64_t RunKeeper::call_of(double number) { return static_cast<int64_t>(number / kRows); }

bool RunKeeper::are_of_one_call(const cantik_operand& numbers) {
  const double* of = numbers_of(numbers);
  for (int64_t i = 1; i < numbers.rows; ++i)
    if (of[i] != *of + static_cast<double>(i)) return false;
  return true;
}

std::vector<std::vector<int64_t>> RunKeeper::by_calls(const cantik_operand& numbers) {
  const double* of = numbers_of(numbers);
  std::vector<int64_t> order(static_cast<size_t>(numbers.rows));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int64_t of_a = call_of(of[a]), of_b = call_of(of[b]);
    return of_a != of_b ? of_a > of_b : of[a] < of[b];
  });
  std::vector<std::vector<int64_t>> calls;
  for (int64_t row : order) {
    if (calls.empty() || call_of(of[calls.back().front()]) != call_of(of[row])) calls.emplace_back();
    calls.back().push_back(row);
  }
  return calls;
}

void RunKeeper::lend(const void* begin, size_t bytes) {
  lent_.push_back({static_cast<const char*>(begin), static_cast<const char*>(begin) + bytes});
}

std::shared_ptr<Lease> RunKeeper::let_go_of_memory() {
  lent_.clear();
  shared.reset();
  std::shared_ptr<Lease> lease = std::move(lease_);
  return lease && lease.use_count() > 1 ? lease : nullptr;
}

void RunKeeper::end() {
  if (!once_) return;
  saved_.clear();
  kept_.clear();
  sizes.clear();
}

}  // namespace cantik::runtime
