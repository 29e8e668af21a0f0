// Who is alive: a second network between the workers, beside the engine's, on which each tells the others a
// few times a second that it lives and at which exchange it is. A worker that is killed, stopped or cut off
// is known to all others within seconds, with every engine, and a worker that leaves says why.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/socket.h"

namespace cantik::distributed {

// The kinds of exchanges.
enum class Collective : int32_t { none, barrier, sum, gather, all_to_all, broadcast, leave };
const char* text(Collective kind);

// Which exchange a worker has come to: its number, counted from 1, and what it is.
struct Standing {
  int64_t number = 0, bytes = 0;
  Collective kind = Collective::none;
  char name[28] = "";
};
std::string text(const Standing& p);

class Watch {
 public:
  // How others reach this worker: listens, and has the addresses in text, to be given to all others.
  Watch();
  ~Watch();
  const std::string& addresses() const { return addresses_; }

  // Connects to all others. `silence`: so many seconds without a word are a death.
  void begin(int rank, const std::vector<std::string>& addresses, double silence);

  // This worker has come to an exchange.
  void at(const Standing& p);
  Standing last(int rank) const;

  // The end of another worker.
  struct Loss {
    int rank = -1;          // -1: there is none
    bool has_left = false;  // it ended by itself, and said so; `why` is empty where nothing was wrong
    std::string why;
  };
  // The first worker that has been lost; those that left in peace count if they have not come to exchange
  // `number`.
  Loss lost(int64_t number) const;

  // Tells the others that this worker ends, because of `about` (its own rank, another's, or -1: in peace),
  // and stops.
  void leave(int about, const std::string& why);

 private:
  struct Message;
  struct Line;
  void watch();
  void meet(const Socket& door, const std::vector<std::string>& addresses);
  Message message(int32_t type) const;
  void tell(const Message& m);
  void heard(Line& line, const Message& m);

  int rank_ = 0;
  double silence_ = 4;
  Socket door_;
  std::string addresses_;
  std::vector<Line> lines_;  // by rank
  Standing own_;
  Loss loss_;
  mutable std::mutex mutex_;
  std::atomic<bool> ends_{false}, someone_left_{false};
  std::thread thread_;
};

}  // namespace cantik::distributed
