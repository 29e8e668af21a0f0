#include "serve/connection.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace cantik::serve {
namespace {

thread_local ConnectionLoop* current_loop = nullptr;

// The first bytes of HTTP/2, and so of gRPC.
constexpr std::string_view kPreface = "PRI * HTTP/2.0";

class NewConnection : public Connection {
 public:
  using Connection::Connection;

  bool is_idle() const override { return true; }
  bool waits_for_client() const override { return true; }

  void start(std::string) override {
    expire_after(host().options.read_time);
    stream_->open(handler([this](boost::system::error_code error) {
      if (error) return end();
      bytes_.resize(kPreface.size());
      read();
    }));
  }

 private:
  void read() {
    stream_->read_some(asio::buffer(bytes_.data() + size_, bytes_.size() - size_),
                       handler([this](boost::system::error_code error, size_t n) {
                         if (error || ended_) return end();
                         size_ += n;
                         read_first_bytes();
                       }));
  }

  void read_first_bytes() {
    const std::string_view came(bytes_.data(), size_);
    const bool may_be_http2 = came == kPreface.substr(0, size_);
    if (may_be_http2 && size_ < kPreface.size()) return read();
    Peer peer{std::move(stream_), client_, since_};
    auto next = may_be_http2 ? make_grpc_connection(loop_, std::move(peer))
                             : make_http_connection(loop_, std::move(peer));
    loop_.remove(this);
    ended_ = true;
    loop_.add(next, std::string(came));
  }

  std::string bytes_;
  size_t size_ = 0;
};

}  // namespace

void run_to_end(asio::io_context& context, const ServerHost& host) {
  while (!host.guarded([&] { context.run(); })) {
  }
}

ConnectionLoop::ConnectionLoop(ServerHost& host)
    : host_(host), work_(asio::make_work_guard(context_)), timer_(context_) {}

ConnectionLoop* ConnectionLoop::current() { return current_loop; }

void ConnectionLoop::run() {
  current_loop = this;
  tick();
  run_to_end(context_, host_);
  current_loop = nullptr;
}

void ConnectionLoop::add(const std::shared_ptr<Connection>& connection, std::string bytes) {
  connections_.insert(connection);
  host_.metrics.connections.fetch_add(1, std::memory_order_relaxed);
  connection->guarded([&] { connection->start(std::move(bytes)); });
}

void ConnectionLoop::remove(Connection* connection) {
  if (connections_.erase(connection->shared_from_this()))
    host_.metrics.connections.fetch_sub(1, std::memory_order_relaxed);
}

void ConnectionLoop::take(Peer peer) {
  const bool full = host_.metrics.connections.load() >= static_cast<int64_t>(host_.options.most_connections);
  if (full && !make_room(Scarce::connections)) {
    host_.metrics.count(Shortage::connections);
    return;
  }
  add(make_new_connection(*this, std::move(peer)));
}

bool ConnectionLoop::make_room(Scarce what, const Connection* asks) {
  const auto held = [what](const Connection& c) {
    const AddressUse& of_address = c.client().address();
    return (what == Scarce::bytes ? of_address.body_bytes : of_address.connections)
        .load(std::memory_order_relaxed);
  };
  const auto rank = [&held](const Connection& c) {
    return std::tuple(-held(c), c.has_answered(), c.since());
  };
  Connection* first = nullptr;
  for (const auto& c : connections_) {
    if (c.get() == asks || !c->waits_for_client()) continue;
    if (what == Scarce::bytes && c->stopped_bytes() == 0) continue;
    if (!first || rank(*c) < rank(*first)) first = c.get();
  }
  if (first) first->end(Closing::gave_way);
  return first;
}

void ConnectionLoop::close() {
  asio::post(context_, [this] {
    closed_ = Clock::now() + of_seconds(host_.options.grace);
    timer_.cancel();
  });
}

// Twice a second, and when the server closes: times are looked at here, which costs a request nothing.
void ConnectionLoop::tick() {
  const Clock::time_point now = Clock::now();
  const bool closing = closed_ != Clock::time_point::max();
  host_.guarded([&] { look_at_connections(now); });
  if (closing && (connections_.empty() || now >= closed_)) {
    work_.reset();
    return;
  }
  timer_.expires_after(closing ? std::chrono::milliseconds(20) : std::chrono::milliseconds(500));
  timer_.async_wait([this](boost::system::error_code) { tick(); });
}

void ConnectionLoop::look_at_connections(Clock::time_point now) {
  const bool closing = closed_ != Clock::time_point::max();
  const bool ticks = now - ticked_ >= std::chrono::seconds(1);
  if (ticks) ticked_ = now;
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& c : all) {
    if (ticks) c->guarded([&] { c->tick(now); });
    if (closing && (c->is_idle() || now >= closed_))
      c->end();
    else if (c->deadline() < now)
      c->end(c->is_idle() ? Closing::idle : Closing::slow);
  }
}

Clock::time_point Connection::expire_after(double seconds) {
  const Clock::time_point now = Clock::now();
  deadline_ = now + of_seconds(seconds);
  return now;
}

bool Connection::hold(size_t bytes) {
  if (host().hold(*client_, bytes)) return true;
  while (loop_.make_room(Scarce::bytes, this))
    if (host().hold(*client_, bytes)) return true;
  return false;
}

void Connection::end() {
  if (ended_) return;
  ended_ = true;
  const std::shared_ptr<Connection> me = shared_from_this();
  if (stream_) stream_->close();
  release();
  client_->leave(Clock::now());
  loop_.remove(this);
}

void Connection::end(Closing why) {
  if (!ended_) host().metrics.count(why);
  end();
}

std::shared_ptr<Connection> make_new_connection(ConnectionLoop& loop, Peer peer) {
  return std::make_shared<NewConnection>(loop, std::move(peer));
}

}  // namespace cantik::serve
