#include "base/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"

namespace cantik {
namespace {

constexpr double kSlice = 0.05;         // seconds between two questions whether to go on
constexpr double kBetweenTries = 0.02;  // to connect

// Waits for an event of a socket.
bool ready(int fd, short events, double until) {
  for (;;) {
    may_end_now();
    const double left = until - clock_seconds();
    if (left <= 0) return false;
    pollfd p{fd, events, 0};
    const int n = poll(&p, 1, static_cast<int>(std::min(left, kSlice) * 1000) + 1);
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return false;
  }
}

void prepare(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string& host, int port, int flags, std::string& why) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  const int e =
      getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (e) why = gai_strerror(e);
  return {e ? nullptr : found, freeaddrinfo};
}

}  // namespace

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.release();
  }
  return *this;
}

void Socket::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

int Socket::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

std::string Socket::peer() const {
  sockaddr_storage a{};
  socklen_t n = sizeof a;
  char host[NI_MAXHOST] = "";
  if (getpeername(fd_, reinterpret_cast<sockaddr*>(&a), &n) == 0)
    getnameinfo(reinterpret_cast<sockaddr*>(&a), n, host, sizeof host, nullptr, 0, NI_NUMERICHOST);
  return host;
}

int Socket::port() const {
  sockaddr_storage a{};
  socklen_t n = sizeof a;
  if (getsockname(fd_, reinterpret_cast<sockaddr*>(&a), &n) != 0) return 0;
  return ntohs(a.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&a)->sin6_port
                                       : reinterpret_cast<sockaddr_in*>(&a)->sin_port);
}

bool Socket::write(const void* bytes, int64_t count, double seconds) const {
  const double until = clock_seconds() + seconds;
  const char* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t n = send(fd_, at, static_cast<size_t>(count), MSG_NOSIGNAL);
    if (n > 0) {
      at += n;
      count -= n;
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR) || !ready(fd_, POLLOUT, until)) {
      return false;
    }
  }
  return true;
}

bool Socket::read(void* bytes, int64_t count, double seconds) const {
  const double until = clock_seconds() + seconds;
  char* at = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t n = recv(fd_, at, static_cast<size_t>(count), 0);
    if (n > 0) {
      at += n;
      count -= n;
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR) || !ready(fd_, POLLIN, until)) {
      return false;
    }
  }
  return true;
}

namespace {

Socket::Moved moved(ssize_t n) {
  if (n > 0) return {.bytes = n};
  if (n == 0) return {.is_lost = true, .why = "its connection was closed"};
  if (errno == EAGAIN || errno == EINTR) return {};
  return {.is_lost = true, .why = std::strerror(errno)};
}

}  // namespace

Socket::Moved Socket::send_some(const void* bytes, int64_t count) const {
  return moved(send(fd_, bytes, static_cast<size_t>(count), MSG_NOSIGNAL | MSG_DONTWAIT));
}

Socket::Moved Socket::receive_some(void* bytes, int64_t count) const {
  return moved(recv(fd_, bytes, static_cast<size_t>(count), MSG_DONTWAIT));
}

void wait_for_any(std::span<const Wanted> sockets, double seconds) {
  std::vector<pollfd> list;
  list.reserve(sockets.size());
  for (const Wanted& w : sockets)
    list.push_back(
        {w.socket->fd(), static_cast<short>((w.to_send ? POLLOUT : 0) | (w.to_receive ? POLLIN : 0)), 0});
  poll(list.data(), list.size(), static_cast<int>(seconds * 1000));
}

std::vector<std::string> addresses_of_machine() {
  std::vector<std::string> all;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return all;
  for (const ifaddrs* a = list; a; a = a->ifa_next) {
    if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET || (a->ifa_flags & IFF_LOOPBACK)) continue;
    char number[NI_MAXHOST] = "";
    if (getnameinfo(a->ifa_addr, sizeof(sockaddr_in), number, sizeof number, nullptr, 0, NI_NUMERICHOST) == 0)
      all.emplace_back(number);
  }
  freeifaddrs(list);
  return all;
}

Socket listen_on(const std::string& host, int port) {
  std::string why;
  const Addresses found = resolve(host, port, AI_PASSIVE, why);
  for (const addrinfo* a = found.get(); a; a = a->ai_next) {
    Socket s(socket(a->ai_family, a->ai_socktype, a->ai_protocol));
    const int on = 1;
    if (!s) continue;
    setsockopt(s.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    prepare(s.fd());
    if (bind(s.fd(), a->ai_addr, a->ai_addrlen) == 0 && listen(s.fd(), 1024) == 0) return s;
    why = std::strerror(errno);
  }
  throw runtime_error(cat("no other worker can connect: listening on port ", port, " failed, ", why))
      .remedy(
          "give another MASTER_PORT to all workers; a training that ended a moment ago may still have this "
          "one");
}

Socket listen_on_descriptor(int fd) {
  Socket s(fd);
  if (s.port() == 0)
    throw runtime_error(cat("the launcher's socket, descriptor ", fd, ", is not there"))
        .remedy("start the program itself with `cantik launch`, no shell around it that closes descriptors");
  prepare(fd);
  return s;
}

Socket accept_from(const Socket& listener, double seconds) {
  const double until = clock_seconds() + seconds;
  while (ready(listener.fd(), POLLIN, until)) {
    Socket s(accept(listener.fd(), nullptr, nullptr));
    if (!s) {  // the system may be out of descriptors for a while
      sleep_for(kBetweenTries);
      continue;
    }
    prepare(s.fd());
    return s;
  }
  return Socket();
}

Socket accept_waiting(const Socket& listener) {
  Socket s(accept(listener.fd(), nullptr, nullptr));
  if (s) prepare(s.fd());
  return s;
}

Socket connect_to(const Address& address, double seconds, const std::string& who) {
  const double until = clock_seconds() + seconds;
  std::string why = "nobody listens there";
  for (;;) {
    const Addresses found = resolve(address.host, address.port, 0, why);
    for (const addrinfo* a = found.get(); a; a = a->ai_next) {
      Socket s(socket(a->ai_family, a->ai_socktype, a->ai_protocol));
      if (!s) continue;
      prepare(s.fd());
      int e = connect(s.fd(), a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
      if (e == EINPROGRESS) {
        socklen_t n = sizeof e;
        if (!ready(s.fd(), POLLOUT, std::min(until, clock_seconds() + 5)))
          e = ETIMEDOUT;
        else
          getsockopt(s.fd(), SOL_SOCKET, SO_ERROR, &e, &n);
      }
      if (e == 0) return s;
      why = std::strerror(e);
    }
    if (clock_seconds() > until)
      throw runtime_error(
          cat(who, " cannot be reached at ", address.host, ", port ", address.port, ": ", why))
          .remedy(
              "start all workers, with the same MASTER_ADDR and MASTER_PORT, and let the port through the "
              "network");
    may_end_now();
    sleep_for(kBetweenTries);
  }
}

}  // namespace cantik
