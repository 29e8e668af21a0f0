// Connections, and the threads that they belong to.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>

#include "serve/host.h"

namespace cantik::serve {

namespace asio = boost::asio;
using Transferred = std::function<void(boost::system::error_code, size_t)>;

// Bytes in both directions, plain or with TLS. One read and one write may be under way.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Makes ready for the first byte.
  virtual void open(std::function<void(boost::system::error_code)> opened) = 0;
  virtual void read_some(asio::mutable_buffer to, Transferred done) = 0;
  virtual void write(std::span<const asio::const_buffer> from, Transferred done) = 0;
  // No more bytes go out; those that come may still be read.
  virtual void shut_writing() = 0;
  // Ends reads and writes that are under way.
  virtual void close() = 0;
};

class Connection;

// A thread that reads requests and writes answers, with its connections.
class ConnectionLoop {
 public:
  explicit ConnectionLoop(ServerHost& host);

  asio::io_context& context() { return context_; }
  ServerHost& host() { return host_; }
  // Runs until close() has been called and all connections have ended.
  void run();
  // From any thread: idle connections are closed, the others after their answers.
  void close();
  void add(const std::shared_ptr<Connection>& connection);
  void remove(Connection* connection);
  // The loop that runs on this thread; null: none.
  static ConnectionLoop* current();

 private:
  void tick();

  ServerHost& host_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::steady_timer timer_;
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  Clock::time_point closed_ = Clock::time_point::max();  // when connections that are left are ended
};

// A connection of one protocol. It lives while something of it is under way.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ConnectionLoop& loop, std::unique_ptr<ByteStream> stream)
      : loop_(loop), stream_(std::move(stream)) {}
  virtual ~Connection() = default;
  // Begins with bytes that have been read already.
  virtual void start(std::string bytes) = 0;
  // Whether no request is under way.
  virtual bool is_idle() const = 0;
  // When it is ended unless something comes or goes.
  Clock::time_point deadline() const { return deadline_; }
  void end();

 protected:
  ServerHost& host() { return loop_.host(); }
  void expire_after(double seconds);

  ConnectionLoop& loop_;
  std::unique_ptr<ByteStream> stream_;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool ended_ = false;
};

std::shared_ptr<Connection> make_http_connection(ConnectionLoop& loop, std::unique_ptr<ByteStream> stream);
std::shared_ptr<Connection> make_grpc_connection(ConnectionLoop& loop, std::unique_ptr<ByteStream> stream);
// Finds out by its first bytes which protocol the client speaks.
std::shared_ptr<Connection> make_new_connection(ConnectionLoop& loop, std::unique_ptr<ByteStream> stream);

}  // namespace cantik::serve
