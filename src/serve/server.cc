// Listens, and gives each connection to the thread that has waited longest for one.
#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/serve.h>

#include "base/text.h"
#include "serve/byte_stream.h"
#include "serve/connection.h"
#include "serve/json.h"

namespace cantik {
namespace serve {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

unsigned cores() { return std::max(1u, std::thread::hardware_concurrency()); }

int thread_count(const ServerOptions& o) {
  return o.threads > 0 ? o.threads : static_cast<int>(std::min(cores(), 4u));
}

// An owner of IPv6 has the second half of an address to himself.
AddressKey key_of(const tcp::endpoint& peer) {
  AddressKey key{};
  const auto address = peer.address();
  const auto v6 = address.is_v4()
                      ? boost::asio::ip::make_address_v6(boost::asio::ip::v4_mapped, address.to_v4())
                      : address.to_v6();
  const auto bytes = v6.to_bytes();
  std::copy_n(bytes.begin(), v6.is_v4_mapped() ? 16 : 8, key.begin());
  return key;
}

void check(const ServerOptions& o) {
  const auto positive = [](std::string_view name, double v) {
    if (!(v > 0)) throw value_error(cat("the option ", name, " of a server must be above 0, and is ", v));
  };
  positive("most_connections", static_cast<double>(o.most_connections));
  positive("most_waiting", static_cast<double>(o.most_waiting));
  positive("most_body", static_cast<double>(o.most_body));
  positive("most_bodies", static_cast<double>(o.most_bodies));
  positive("most_rows", static_cast<double>(o.most_rows));
  positive("most_streams", static_cast<double>(o.most_streams));
  positive("batch_time", o.batch_time);
  positive("request_time", o.request_time);
  positive("read_time", o.read_time);
  positive("idle_time", o.idle_time);
  if (!(o.least_rate >= 0))
    throw value_error(cat("the option least_rate of a server must not be negative, and is ", o.least_rate));
  positive("stream_idle_time", o.stream_idle_time);
  if (!(o.grace >= 0))
    throw value_error(cat("the option grace of a server must not be negative, and is ", o.grace));
  if (o.threads < 0)
    throw value_error(cat("the option threads of a server must not be negative, and is ", o.threads));
}

}  // namespace
}  // namespace serve

class Server::Work {
 public:
  explicit Work(const ServerOptions& options)
      : options_((serve::check(options), options)),
        streams_(options.certificate, options.private_key),
        pool_(std::max(2u, serve::cores())),
        repository_(repository_options(), metrics_),
        host_{.options = options_, .metrics = metrics_, .repository = repository_, .aside = aside()},
        acceptor_(accepting_) {
    listen();
    for (int i = 0; i < serve::thread_count(options_); ++i)
      loops_.push_back(std::make_unique<serve::ConnectionLoop>(host_));
    repository_.load_all();
    host_.ready = true;
    for (const serve::IndexEntry& e : repository_.index())
      host_.log(e.ready ? "load" : "not loaded", "\"model\":" + serve::json_string(e.name) +
                                                     ",\"version\":" + serve::json_string(e.version) +
                                                     ",\"reason\":" + serve::json_string(e.reason));
    host_.log("listen",
              "\"address\":" + serve::json_string(options_.address) + ",\"port\":" + std::to_string(port_));
  }

  uint16_t port() const { return port_; }

  void run() {
    accept();
    std::vector<std::thread> threads;
    threads.reserve(loops_.size());
    for (const auto& loop : loops_) threads.emplace_back([&loop] { loop->run(); });
    serve::run_to_end(accepting_, host_);
    for (const auto& loop : loops_) loop->close();
    for (std::thread& t : threads) t.join();
    pool_.join();
    host_.log("end", "");
  }

  void stop() {
    boost::asio::post(accepting_, [this] {
      host_.log("stop", "");
      host_.closing = true;
      boost::system::error_code ignored;
      acceptor_.close(ignored);
    });
  }

 private:
  std::function<void(std::function<void()>)> aside() {
    return [this](std::function<void()> work) {
      boost::asio::post(pool_, [this, work = std::move(work)] { host_.guarded(work); });
    };
  }

  serve::RepositoryOptions repository_options() {
    // Short runs go behind the requests that this thread has read already, so that they run side by side.
    const auto soon = [aside = aside()](std::function<void()> work) {
      if (serve::ConnectionLoop* loop = serve::ConnectionLoop::current())
        boost::asio::post(loop->context(), std::move(work));
      else
        aside(std::move(work));
    };
    return {.folder = options_.models,
            .limits = {.waiting = options_.most_waiting,
                       .run_time = serve::of_seconds<std::chrono::milliseconds>(options_.batch_time),
                       .request_time = serve::of_seconds<std::chrono::milliseconds>(options_.request_time)},
            .most_rows = options_.most_rows,
            .most_streams = options_.most_streams,
            .stream_idle = serve::of_seconds(options_.stream_idle_time),
            .executors = {.soon = soon, .aside = aside()}};
  }

  void listen() {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(options_.address, error);
    if (error)
      throw value_error(cat("'", options_.address, "' is no address of a network interface"))
          .remedy("give numbers, as in 127.0.0.1 or 0.0.0.0");
    const serve::tcp::endpoint endpoint(address, options_.port);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(boost::asio::socket_base::reuse_address(true));
    acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error)
      throw runtime_error(
          cat("the server cannot listen on ", options_.address, ":", options_.port, ": ", error.message()))
          .remedy("give another port; 0 takes any that is free");
    port_ = acceptor_.local_endpoint().port();
  }

  void accept() {
    serve::ConnectionLoop& loop = *loops_[next_++ % loops_.size()];
    acceptor_.async_accept(loop.context(), peer_,
                           [this, &loop](boost::system::error_code error, serve::tcp::socket socket) {
                             if (error == boost::asio::error::operation_aborted || !acceptor_.is_open())
                               return;
                             host_.guarded([&] {
                               if (error) return wait_for_room(loop);
                               take(loop, std::move(socket));
                             });
                             accept();
                           });
  }

  void take(serve::ConnectionLoop& loop, serve::tcp::socket socket) {
    boost::system::error_code ignored;
    socket.set_option(serve::tcp::no_delay(true), ignored);
    const serve::Clock::time_point now = serve::Clock::now();
    boost::asio::post(loop.context(), [this, &loop, now, s = std::move(socket),
                                       client = clients_.enter(serve::key_of(peer_), now)]() mutable {
      loop.take({streams_.make(std::move(s)), std::move(client), now});
    });
  }

  // Without a free file descriptor the next connection waits until one has ended.
  void wait_for_room(serve::ConnectionLoop& loop) {
    boost::asio::post(loop.context(), [&loop] { loop.make_room(serve::Scarce::connections); });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

  const ServerOptions options_;
  serve::StreamMaker streams_;
  boost::asio::thread_pool pool_;  // long runs, and loads
  serve::ServerMetrics metrics_;
  serve::Repository repository_;
  serve::ServerHost host_;
  boost::asio::io_context accepting_{1};
  serve::tcp::acceptor acceptor_;
  serve::tcp::endpoint peer_;  // of the connection that has come last
  serve::Clients clients_;
  std::vector<std::unique_ptr<serve::ConnectionLoop>> loops_;
  size_t next_ = 0;
  uint16_t port_ = 0;
};

Server::Server(const ServerOptions& options) : work_(std::make_unique<Work>(options)) {}
Server::~Server() = default;
uint16_t Server::port() const { return work_->port(); }
void Server::run() { work_->run(); }
void Server::stop() { work_->stop(); }

}  // namespace cantik
