// TCP: sockets that never block for longer than their user is willing to wait.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cantik {

// Where somebody listens.
struct Address {
  std::string host;
  int port = 0;
};

// Owns a file descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { close(); }

  explicit operator bool() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  void close();
  int release();

  // Of the other end, in numbers.
  std::string peer() const;
  // The port of this end.
  int port() const;

  // All of it, within so many seconds; false where the other end is gone or the time is over.
  bool write(const void* bytes, int64_t count, double seconds) const;
  bool read(void* bytes, int64_t count, double seconds) const;

  // What one call moved without waiting. Nothing at all is no loss: the other end was not ready.
  struct Moved {
    int64_t bytes = 0;
    bool is_lost = false;
    std::string why = {};
  };
  Moved send_some(const void* bytes, int64_t count) const;
  Moved receive_some(void* bytes, int64_t count) const;

 private:
  int fd_ = -1;
};

// Until one of them is ready for what it is wanted for, or so many seconds are over.
struct Wanted {
  const Socket* socket;
  bool to_send, to_receive;
};
void wait_for_any(std::span<const Wanted> sockets, double seconds);

// The numbers of the machine's interfaces, without those that only it can reach.
std::vector<std::string> addresses_of_machine();

// Seconds of a clock that never goes back.
double clock_seconds();
void sleep_for(double seconds);

// Listens on a port; 0: on one that is free. All addresses of the machine, or the given one only.
Socket listen_on(const std::string& host, int port);
// A listening socket that a launcher has opened.
Socket listen_on_descriptor(int fd);
// The next connection within so many seconds; an empty socket when they are over.
Socket accept_from(const Socket& listener, double seconds);
// The next one that is waiting; an empty socket where there is none.
Socket accept_waiting(const Socket& listener);
// Tries again until the other end listens or the seconds are over; then an error of what was tried.
Socket connect_to(const Address& address, double seconds, const std::string& who = "worker 0");

}  // namespace cantik
