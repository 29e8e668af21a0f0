// What each client has used of the server lately, and where its next request stands in line.
//
// A client is a connection from an address. A request stands as if it had come later than it did: by two
// seconds for each doubling of what its client has used, three quarters of that by the address, one quarter
// by the connection. So a request of a client that asks for little overtakes those of clients that ask for
// much, by a time that is bounded, and the requests of one connection keep their order.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "serve/clock.h"

namespace cantik::serve {

// A sum that loses half of itself in each half-life.
class RecentUse {
 public:
  explicit RecentUse(double half_life) : half_life_(half_life) {}
  // Returns the sum before.
  double add(double amount, Clock::time_point now);
  double at(Clock::time_point now) const;

 private:
  double half_life_, sum_ = 0;  // seconds
  Clock::time_point when_ = {};
};

inline constexpr double kHalfLife = 2;  // seconds

// The first bytes of an address that one owner has: all of IPv4's, half of IPv6's.
using AddressKey = std::array<unsigned char, 16>;

// All that has come from one address.
struct AddressUse {
  std::atomic<int64_t> connections{0}, body_bytes{0};
  std::mutex mutex;  // of the sums here and in its clients
  RecentUse use{kHalfLife};
  RecentUse left{kHalfLife};  // by connections that have ended: new ones begin with it
};

class Client {
 public:
  // What reading and refusing a request costs, in seconds: the unit of use.
  static constexpr double kRequest = 20e-6;

  Client(std::shared_ptr<AddressUse> address, Clock::time_point now);
  ~Client() { leave(Clock::now()); }

  // Where a request stands that comes now and whose run is expected to take so many seconds. It is charged.
  Clock::time_point line_up(double run_seconds, Clock::time_point now);
  // The request that came then has been refused: its run costs nothing.
  void give_back(double run_seconds, Clock::time_point came, Clock::time_point now);
  // The connection has ended.
  void leave(Clock::time_point now);
  AddressUse& address() { return *address_; }

 private:
  const std::shared_ptr<AddressUse> address_;
  // What was inherited soon counts no more: it is for clients that connect anew for each request.
  RecentUse use_{kHalfLife}, inherited_{kHalfLife / 8};
  Clock::time_point last_ = {};  // where the last request stood
  std::atomic<bool> left_{false};
};

// The clients of a server. Used by one thread; clients are used by any.
class Clients {
 public:
  std::shared_ptr<Client> enter(const AddressKey& address, Clock::time_point now);
  size_t addresses() const { return addresses_.size(); }

 private:
  void forget(Clock::time_point now);

  std::map<AddressKey, std::shared_ptr<AddressUse>> addresses_;
  size_t most_ = 64;  // addresses, until those are forgotten that no longer count
};

}  // namespace cantik::serve
