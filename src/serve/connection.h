// Connections, and the threads that they belong to.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

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

// Who is at the other end of a connection, and the way there.
struct Peer {
  std::unique_ptr<ByteStream> stream;
  std::shared_ptr<Client> client;
  Clock::time_point since;  // when the connection came
};

// What a connection can give way for.
enum class Scarce { connections, bytes };

// Runs until nothing is left to do. A handler that throws is logged, and the others go on.
void run_to_end(asio::io_context& context, const ServerHost& host);

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
  // Takes a connection that has come, or closes it where there are as many as may and none gives way.
  void take(Peer peer);
  // Ends a connection, other than `asks`, that holds what is short and waits for its client: one from the
  // address that holds most; of those, one without an answer so far before others; of those, the one that has
  // waited longest. False where there is none.
  bool make_room(Scarce what, const Connection* asks = nullptr);
  // Begins a connection with bytes that have been read already.
  void add(const std::shared_ptr<Connection>& connection, std::string bytes = {});
  void remove(Connection* connection);
  // The loop that runs on this thread; null: none.
  static ConnectionLoop* current();

 private:
  void tick();
  // Ends connections whose time is over, and all once the server closes.
  void look_at_connections(Clock::time_point now);

  ServerHost& host_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::steady_timer timer_;
  Clock::time_point ticked_ = Clock::now();  // all connections
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  Clock::time_point closed_ = Clock::time_point::max();  // when connections that are left are ended
};

// Whether bytes keep coming. A request that has fallen behind the least rate for kPatience seconds, one after
// the other, is slow.
class ByteRate {
 public:
  static constexpr int kPatience = 5;
  // Each second, with the bytes that have come in all.
  void check_pace(size_t bytes, double least) {
    behind_ = static_cast<double>(bytes - seen_) < least ? behind_ + 1 : 0;
    seen_ = bytes;
  }
  bool is_slow() const { return behind_ >= kPatience; }
  // For a whole second at least.
  bool has_stopped() const { return behind_ >= 2; }

 private:
  size_t seen_ = 0;
  int behind_ = 0;
};

// A connection of one protocol. It lives while something of it is under way.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // After a refusal because of load, nothing is read for so long: a client that asks again at once is not
  // worth more of the processor.
  static constexpr std::chrono::milliseconds kPause{100};

  Connection(ConnectionLoop& loop, Peer peer)
      : loop_(loop), stream_(std::move(peer.stream)), client_(std::move(peer.client)), since_(peer.since) {}
  virtual ~Connection() = default;
  // Begins with bytes that have been read already.
  virtual void start(std::string bytes) = 0;
  // Whether no request is under way.
  virtual bool is_idle() const = 0;
  // Whether the client has to do something: to send a request or its rest, or to take an answer.
  virtual bool waits_for_client() const = 0;
  // Bytes of requests that it holds although the client has stopped sending them.
  virtual size_t stopped_bytes() const { return 0; }
  // Each second.
  virtual void tick(Clock::time_point) {}
  // When it is ended unless something comes or goes.
  Clock::time_point deadline() const { return deadline_; }
  // Since when it waits for its client, where it does.
  Clock::time_point since() const { return since_; }
  bool has_answered() const { return has_answered_; }
  Client& client() const { return *client_; }
  void end();
  void end(Closing why);
  // Does the work; the connection is ended where that throws.
  template <class Work>
  void guarded(Work&& work) noexcept {
    if (!loop_.host().guarded(std::forward<Work>(work))) end();
  }

 protected:
  // What is to be done once something of the connection is over: it lives until then, and ends where it
  // throws.
  template <class Handle>
  auto handler(Handle handle) {
    return [me = shared_from_this(), handle = std::move(handle)](auto&&... results) mutable {
      me->guarded([&] { handle(std::forward<decltype(results)>(results)...); });
    };
  }
  ServerHost& host() { return loop_.host(); }
  Clock::time_point expire_after(double seconds);
  // Bytes of a request may be held, or there would be too many; others that have stopped give way.
  bool hold(size_t bytes);
  // Bytes that are held are free again.
  virtual void release() {}

  ConnectionLoop& loop_;
  std::unique_ptr<ByteStream> stream_;
  const std::shared_ptr<Client> client_;
  Clock::time_point since_, deadline_ = Clock::time_point::max();
  bool ended_ = false, has_answered_ = false;
};

std::shared_ptr<Connection> make_http_connection(ConnectionLoop& loop, Peer peer);
std::shared_ptr<Connection> make_grpc_connection(ConnectionLoop& loop, Peer peer);
// Finds out by its first bytes which protocol the client speaks.
std::shared_ptr<Connection> make_new_connection(ConnectionLoop& loop, Peer peer);

}  // namespace cantik::serve
