// A server for models: the Open Inference Protocol v2 over HTTP and gRPC, on one port. It is a library of its
// own, cantik_serve; the program cantik-serve is made of it.
//
//   Server server({.models = "models", .port = 8000});  // models/NAME/VERSION/FILE
//   server.run();                                       // until server.stop() in another thread
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <cantik/api.h>

namespace cantik {

// What a server serves, where, and within which limits. Times are in seconds.
struct ServerOptions {
  std::string models = {};            // the folder of models: NAME/VERSION/FILE
  std::string address = "127.0.0.1";  // of the network interface; 0.0.0.0: of all
  uint16_t port = 8000;               // 0: any that is free
  int threads = 0;                    // that read requests and write answers; 0: one for each core, at most 4
  size_t most_connections = 4096;     // at a time; for more, connections that wait for their clients give way
  size_t most_waiting = 1024;  // requests of a model that wait; those behind them are answered with 503
  size_t most_body = size_t{64} << 20;     // bytes of a request
  size_t most_bodies = size_t{512} << 20;  // bytes of all requests that are held; more are answered with 503
  int64_t most_rows = 65536;               // samples, or steps of sequences, of a request
  int64_t most_streams = 256;              // sequences of a model that are carried from request to request
  double batch_time = 0.02;                // expected of a run; it bounds how many requests run side by side
  double request_time = 60;                // of a request, until its run begins
  double read_time = 30;                   // of a request, from its first byte to its last; of an answer too
  double least_rate = 500;                 // of a request, in bytes a second; slow ones are ended after 5 s
  double idle_time = 75;                   // of a connection without a request
  double stream_idle_time = 300;           // of a sequence without a request
  double grace = 30;                       // of requests that are not finished when the server is stopped
  std::string certificate = {};            // file with a chain of certificates in PEM: TLS
  std::string private_key = {};            // its key in PEM
  std::function<void(std::string_view)> log = {};  // takes events, each a line of JSON, from any thread
};

// Serves the models of a folder. What is wrong in the options is an error of the constructor, which listens
// and loads.
class CANTIK_API Server {
 public:
  // A server that has loaded its models and listens; run() answers.
  explicit Server(const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;

  // The port that it listens on.
  uint16_t port() const;
  // Answers requests until stop() has been called and those that came before are finished. Called once.
  void run();
  // Ends run(): requests that came are finished. From any thread, any number of times.
  void stop();

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace cantik
