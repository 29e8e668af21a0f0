// TCP between workers: sockets that never block for longer than a worker is willing to wait.
#pragma once

#include <cstdint>
#include <string>

namespace cantik::distributed {

// Where a worker can be reached.
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

 private:
  int fd_ = -1;
};

// Seconds of a clock that never goes back.
double now();

// Listens on a port; 0: on one that is free. All addresses of the machine, or the given one only.
Socket listen_on(const std::string& host, int port);
// A listening socket that a launcher has opened.
Socket listen_on_descriptor(int fd);
// The next connection within so many seconds; an empty socket when they are over.
Socket accept_from(const Socket& listener, double seconds);
// Tries again until the other end listens or the seconds are over; then an error of what was tried.
Socket connect_to(const Address& address, double seconds);

}  // namespace cantik::distributed
