#include "serve/fair_share.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

namespace cantik::serve {
namespace {

constexpr double kOfAddress = 0.75, kOfConnection = 0.25;

double decay(Clock::time_point from, Clock::time_point to, double half_life) {
  return std::exp2(-std::max(0.0, in_seconds(to - from)) / half_life);
}

Clock::duration delay(double of_address, double of_connection) {
  return of_seconds(kHalfLife * (kOfAddress * std::log2(1 + of_address / Client::kRequest) +
                                 kOfConnection * std::log2(1 + of_connection / Client::kRequest)));
}

}  // namespace

double RecentUse::add(double amount, Clock::time_point now) {
  const double before = at(now);
  sum_ = std::max(0.0, before + amount);
  when_ = std::max(when_, now);
  return before;
}

double RecentUse::at(Clock::time_point now) const {
  return sum_ == 0 ? 0 : sum_ * decay(when_, now, half_life_);
}

Client::Client(std::shared_ptr<AddressUse> address, Clock::time_point now) : address_(std::move(address)) {
  ++address_->connections;
  const std::lock_guard lock(address_->mutex);
  inherited_.add(address_->left.at(now), now);
}

Clock::time_point Client::line_up(double run_seconds, Clock::time_point now) {
  const double cost = kRequest + run_seconds;
  const std::lock_guard lock(address_->mutex);
  const double of_address = address_->use.add(cost, now);
  const double of_connection = use_.add(cost, now) + inherited_.at(now);
  // What others of the address are given back does not bring a request before an earlier one of its
  // connection.
  last_ = std::max(last_, now + delay(of_address, of_connection));
  return last_;
}

void Client::give_back(double run_seconds, Clock::time_point came, Clock::time_point now) {
  const double left = run_seconds * decay(came, now, kHalfLife);
  const std::lock_guard lock(address_->mutex);
  address_->use.add(-left, now);
  use_.add(-left, now);
}

void Client::leave(Clock::time_point now) {
  if (left_.exchange(true)) return;
  --address_->connections;
  const std::lock_guard lock(address_->mutex);
  address_->left.add(use_.at(now), now);
}

std::shared_ptr<Client> Clients::enter(const AddressKey& address, Clock::time_point now) {
  if (addresses_.size() >= most_) forget(now);
  std::shared_ptr<AddressUse>& use = addresses_[address];
  if (!use) use = std::make_shared<AddressUse>();
  return std::make_shared<Client>(use, now);
}

void Clients::forget(Clock::time_point now) {
  std::erase_if(addresses_, [&](const auto& entry) {
    AddressUse& a = *entry.second;
    const std::lock_guard lock(a.mutex);
    return a.connections == 0 && a.body_bytes == 0 && a.use.at(now) < Client::kRequest;
  });
  most_ = std::max(size_t{64}, 2 * addresses_.size());
}

}  // namespace cantik::serve
