// Who is alive: a second network between the workers, beside the engine's, on which each tells the others a
// few times a second that it lives and at which exchange it is. A worker that is killed, stopped or cut off
// is known to all others within seconds, with every engine, and a worker that leaves says why.
//
// Where those that are left go on without it, all of them have to mean the same workers: each tells the
// others whom it takes for lost, and for the how many-eth time it meets them. Workers have numbers, which
// stay theirs; ranks are given anew at every meeting.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/socket.h"

namespace cantik::distributed {

// The kinds of exchanges.
enum class Collective : int32_t { none, barrier, sum, gather, all_to_all, broadcast, part, leave };
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

  // Connects to the others. Addresses are by number, empty where there is nobody any more. `silence`: so many
  // seconds without a word are a death.
  void begin(int own, const std::vector<std::string>& addresses, double silence);
  int own() const { return own_; }
  // The addresses by number.
  std::vector<std::string> all_addresses() const;

  // This worker has come to an exchange.
  void at(const Standing& p);
  Standing last(int number) const;

  // The end of another worker.
  struct Loss {
    int number = -1;        // -1: there is none
    bool has_left = false;  // it ended by itself, and said so; `why` is empty where nothing was wrong
    std::string why;
  };
  // The first worker that has been lost; those that left in peace count if they have not come to exchange
  // `number`.
  Loss lost(int64_t number) const;

  // Tells the others that this worker ends in peace, and watches over them until it does.
  void take_leave() { takes_leave_.store(true); }
  // Whether a worker has ended in peace.
  bool has_left(int number) const;
  // Tells the others that this worker ends, because of `about` (its own number, another's, or -1: in peace),
  // and stops.
  // `has_left`: that other one ended by itself.
  void leave(int about, const std::string& why, bool has_left = false);

  // From now on the others hear whom this worker takes for lost.
  void keep_going() { keeps_going_.store(true); }
  // Whether some of the workers meet again, and wait for this one.
  bool is_called() const { return called_.load(std::memory_order_acquire); }
  // Those that live, this worker among them. An error where it may be this one that is cut off.
  std::vector<int> alive() const;
  // The time for which workers meet: the latest that anybody has told of; a new one where `anew`.
  int64_t next_meeting(bool anew);
  // This worker has come to a meeting; the first of those that live listens there.
  void come(int64_t meeting, int port);
  // Where a worker listens for a meeting; none where it has not come.
  std::optional<Address> place_of(int number, int64_t meeting) const;
  // These have met: whoever else is lost, does not matter any more.
  void met(const std::vector<int>& numbers, int64_t meeting);
  // New workers with these addresses, whose numbers follow the last one. Each comes within seconds, or is
  // lost.
  void expect(const std::vector<std::string>& addresses);

 private:
  struct Message;
  struct Line;
  struct Visitor;
  // What is known of a worker.
  enum class Fate : uint8_t { expected, alive, silent, ended };
  void watch();
  void connect(int number, const std::string& addresses);
  void receive(Line& line, int number);
  void receive(Visitor& visitor);
  void look_for_silence(Line& line, int number, double now);
  void heard(Line& line, const Message& m);
  void cast_out(const std::string& why);
  void lose(Line& line, int number, Fate fate, const std::string& why);
  Message message(int32_t type) const;
  void tell(const Message& m);

  int own_ = 0;
  double silence_ = 4;
  Socket door_;
  std::string addresses_;
  std::vector<Visitor> visitors_;
  std::vector<Line> lines_;             // by number; changed by the thread alone, once it runs
  std::vector<std::string> newcomers_;  // addresses of lines that are to be added
  Standing standing_;
  int64_t meeting_ = 0, latest_meeting_ = 0;
  int port_ = 0;
  std::string outcast_;  // why this worker is none of the others any more
  Loss loss_;
  mutable std::mutex mutex_;
  std::atomic<bool> ends_{false}, someone_left_{false}, called_{false}, keeps_going_{false}, has_news_{false},
      takes_leave_{false};
  std::thread thread_;
};

}  // namespace cantik::distributed
