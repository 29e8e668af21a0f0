// The program cantik-serve.
#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <cantik/api.h>
#include <cantik/error.h>
#include <cantik/function.h>
#include <cantik/serve.h>

#include "base/process.h"

namespace {

using cantik::ServerOptions;

struct ProgramOption {
  std::string name, argument, help;
  std::function<void(std::string_view)> set;
};

template <class Number>
std::function<void(std::string_view)> number(Number& to, std::string name) {
  return [&to, name](std::string_view text) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    if (error != std::errc() || end != text.data() + text.size())
      throw cantik::value_error(name + " takes a number that fits, and '" + std::string(text) + "' came");
  };
}

std::function<void(std::string_view)> text(std::string& to) {
  return [&to](std::string_view t) { to = t; };
}

std::vector<ProgramOption> options_of(ServerOptions& o, int& run_threads) {
  std::vector<ProgramOption> list;
  const auto add = [&](std::string name, std::string argument, std::string help, auto set) {
    list.push_back({std::move(name), std::move(argument), std::move(help), std::move(set)});
  };
  const auto count = [&](std::string name, auto& to, std::string help) {
    add(name, "N", std::move(help), number(to, name));
  };
  const auto seconds = [&](std::string name, double& to, std::string help) {
    add(name, "SECONDS", std::move(help), number(to, name));
  };
  add("--models", "FOLDER",
      "models: FOLDER/NAME/VERSION/FILE, a file that ends in .cntk, .model, .dnn or .onnx", text(o.models));
  add("--library", "FILE", "a library of operators that models use; once for each",
      [](std::string_view path) { cantik::load_operators(std::string(path)); });
  add("--address", "ADDRESS", "of the network interface (127.0.0.1; 0.0.0.0: all)", text(o.address));
  count("--port", o.port, "for HTTP and gRPC (8000; 0: any that is free)");
  count("--threads", o.threads, "threads that read and write (one for each core, at most 4)");
  count("--run-threads", run_threads, "threads of a run, at most (one for each core)");
  count("--most-connections", o.most_connections, "connections at a time (4096)");
  count("--most-waiting", o.most_waiting, "requests that wait for a model (1024)");
  count("--most-body", o.most_body, "bytes of a request (64 MiB)");
  count("--most-bodies", o.most_bodies, "bytes of all requests together (512 MiB)");
  count("--most-rows", o.most_rows, "samples or steps of a request (65536)");
  count("--most-streams", o.most_streams, "sequences that a model carries (256)");
  seconds("--batch-time", o.batch_time, "expected of a run of several requests, at most (0.02)");
  seconds("--request-time", o.request_time, "until a request's run begins, at most (60)");
  seconds("--read-time", o.read_time, "until a request has come as a whole, at most (30)");
  add("--least-rate", "RATE", "bytes a second while a request comes; after 5 s below it is ended (500)",
      number(o.least_rate, "--least-rate"));
  seconds("--idle-time", o.idle_time, "until a connection without requests is closed (75)");
  seconds("--stream-idle-time", o.stream_idle_time, "until a sequence without requests may be dropped (300)");
  seconds("--grace", o.grace, "for what is not finished when the server is told to end (30)");
  add("--certificate", "FILE", "chain of certificates in PEM: TLS", text(o.certificate));
  add("--private-key", "FILE", "its key in PEM", text(o.private_key));
  return list;
}

std::string usage(const std::vector<ProgramOption>& options) {
  std::string to =
      "usage: cantik-serve --models FOLDER [options]\n\n"
      "Serves models by the Open Inference Protocol v2, over HTTP and gRPC. SIGTERM and SIGINT end it\n"
      "after the requests that came. Events go to stderr, a line of JSON each.\n\n";
  for (const ProgramOption& o : options) {
    const std::string head = "  " + o.name + " " + o.argument;
    to += head + std::string(head.size() < 30 ? 30 - head.size() : 1, ' ') + o.help + "\n";
  }
  return to + "  --help, --version\n\nexample: cantik-serve --models models --port 8000\n";
}

// Whether the server is to run.
bool read_arguments(int count, char** words, const std::vector<ProgramOption>& options) {
  for (int i = 1; i < count; ++i) {
    std::string_view word = words[i];
    if (word == "--help" || word == "-h") {
      std::fputs(usage(options).c_str(), stdout);
      return false;
    }
    if (word == "--version") {
      std::printf("%d.%d.%d\n", CANTIK_VERSION_MAJOR, CANTIK_VERSION_MINOR, CANTIK_VERSION_PATCH);
      return false;
    }
    const size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto at =
        std::find_if(options.begin(), options.end(), [&](const ProgramOption& o) { return o.name == name; });
    if (at == options.end())
      throw cantik::value_error("there is no option " + std::string(name))
          .remedy("cantik-serve --help lists them");
    if (equals == std::string_view::npos && i + 1 == count)
      throw cantik::value_error(at->name + " takes a value: " + at->argument);
    at->set(equals == std::string_view::npos ? std::string_view(words[++i]) : word.substr(equals + 1));
  }
  return true;
}

}  // namespace

int main(int count, char** words) try {
  ServerOptions options;
  int run_threads = 0;
  const std::vector<ProgramOption> known = options_of(options, run_threads);
  if (!read_arguments(count, words, known)) return 0;
  if (options.models.empty()) {
    std::fputs(usage(known).c_str(), stderr);
    return 2;
  }
  std::mutex one_line;
  options.log = [&](std::string_view line) {
    const std::lock_guard lock(one_line);
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fputc('\n', stderr);
  };
  // The threads that follow leave the signals to one that waits for them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  cantik::allow_most_files();
  cantik::set_thread_limit(run_threads);
  cantik::Server server(options);
  std::thread([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    server.stop();
  }).detach();
  server.run();
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "cantik-serve: %s\n", e.what());
  return 2;
}
