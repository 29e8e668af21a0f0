// A connection of HTTP/2 with calls of gRPC: nghttp2 reads and writes the frames.
#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "base/text.h"
#include "serve/connection.h"
#include "serve/infer_grpc.h"
#include "serve/json.h"

namespace cantik::serve {
namespace {

using boost::system::error_code;

constexpr double kEndTime = 2;  // seconds, for a client to end a call that has been refused
constexpr size_t kPrefix = 5;   // before a message: whether it is compressed, and its size
constexpr std::string_view kService = "/inference.GRPCInferenceService/";

// The status of gRPC for one of HTTP.
int grpc_status(int http) {
  switch (http) {
    case kBadRequest: return 3;   // INVALID_ARGUMENT
    case kNotFound: return 5;     // NOT_FOUND
    case kTooLarge: return 8;     // RESOURCE_EXHAUSTED
    case kOverloaded: return 14;  // UNAVAILABLE
    case kTooLate: return 4;      // DEADLINE_EXCEEDED
    case kNotAllowed: return 12;  // UNIMPLEMENTED
    case kUnsupportedMedia: return 12;
    default: return 13;  // INTERNAL
  }
}

// Texts in headers have printable characters only.
std::string percent_encoded(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string to;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte < 127 && c != '%') {
      to += c;
      continue;
    }
    to += '%';
    to += kDigits[byte >> 4];
    to += kDigits[byte & 15];
  }
  return to;
}

// Clients take 8 KiB of metadata at most, and in a header a byte may become three.
std::string shortened(std::string text) {
  constexpr size_t kMost = 1024;
  if (text.size() <= kMost) return text;
  const auto goes_on = [&](size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
  size_t end = kMost;
  while (end > 0 && goes_on(end)) --end;  // a character is not cut
  text.resize(end);
  return text + "...";
}

nghttp2_nv header(std::string_view name, std::string_view value) {
  return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NONE};
}

// The message behind its prefix; a Refusal where the prefix cannot say its size.
std::string framed(std::string_view message) {
  if (message.size() > UINT32_MAX)
    throw Refusal(kTooLarge, cat("the answer has ", message.size(), " bytes, and a message of gRPC at most ",
                                 UINT32_MAX, ": ask for fewer samples or outputs"));
  const auto n = static_cast<uint32_t>(message.size());
  std::string text;
  text.reserve(message.size() + kPrefix);
  text = {'\0', static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
          static_cast<char>(n)};
  text += message;
  return text;
}

// An answer with its prefix, or why there is none.
using GrpcResult = std::variant<std::string, Refusal>;

template <class Write>
GrpcResult result_of(Write write) {
  try {
    return framed(write());
  } catch (const Refusal& refusal) {
    return refusal;
  } catch (const std::exception& e) {
    return Refusal(kFailed, e.what());
  }
}

struct GrpcCall {
  std::string path, type;
  std::string message;  // with its prefix
  size_t held = 0;      // bytes that count as held by the server
  bool complete = false, refused = false, answered = false;
  std::string answer;  // with its prefix
  size_t sent = 0;
  Clock::time_point began = {};
  Clock::time_point since = {};  // it came, or its answer began to go
  ByteRate rate = {};
  std::shared_ptr<std::atomic<bool>> given_up = {};  // of a request to a model

  bool waits_for_client() const { return !complete || refused || answered; }
};

class GrpcConnection : public Connection {
 public:
  GrpcConnection(ConnectionLoop& loop, Peer peer) : Connection(loop, std::move(peer)) {
    nghttp2_session_callbacks* callbacks = nullptr;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    const int error = nghttp2_session_server_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    if (error != 0) throw std::bad_alloc();
  }

  ~GrpcConnection() override {
    release();
    nghttp2_session_del(session_);
  }

  bool is_idle() const override { return calls_.empty() && !writing_; }
  bool waits_for_client() const override {
    return std::all_of(calls_.begin(), calls_.end(),
                       [](const auto& c) { return c.second.waits_for_client(); });
  }
  size_t stopped_bytes() const override {
    size_t bytes = 0;
    for (const auto& [id, call] : calls_)
      if (!call.complete && call.rate.has_stopped()) bytes += call.held;
    return bytes;
  }

  // Calls that come too slowly are refused, and reset where their clients do not end them then; calls whose
  // answers are not taken are reset. The others of the connection go on.
  void tick(Clock::time_point now) override {
    for (auto& [id, call] : calls_) {
      if (!call.waits_for_client()) continue;
      const bool ends = call.refused || call.answered;
      const double most = call.refused ? kEndTime : host().options.read_time;
      if (!ends) call.rate.check_pace(call.message.size(), host().options.least_rate);
      if (in_seconds(now - call.since) < most && (ends || !call.rate.is_slow())) continue;
      if (ends) {
        nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
        continue;
      }
      host().metrics.count(Closing::slow);
      refuse(id, call, Refusal(kTooLate, "the request came too slowly"));
    }
    pump();
  }

  void start(std::string bytes) override {
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 256},
                                               {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 20},
                                               {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 16 << 10}};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, 4 << 20);
    feed(bytes);
  }

 private:
  std::shared_ptr<GrpcConnection> self() {
    return std::static_pointer_cast<GrpcConnection>(shared_from_this());
  }
  static GrpcConnection& of(void* user) { return *static_cast<GrpcConnection*>(user); }

  // ---- bytes

  void feed(std::string_view bytes) {
    const auto used =
        nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    if (used < 0) closing_ = true;  // what is to be said about it goes out first
    pump();
    if (ended_) return;
    if (closing_) {
      if (!writing_) end();
      return;
    }
    if (std::exchange(pauses_, false)) return pause();
    read();
  }

  void pause() {
    if (!pause_) pause_.emplace(loop_.context());
    pause_->expires_after(kPause);
    pause_->async_wait(handler([this](error_code) {
      if (!ended_) read();
    }));
  }

  void read() {
    in_.resize(64 << 10);
    stream_->read_some(asio::buffer(in_), handler([this](error_code error, size_t n) {
                         if (error || ended_) return end();
                         feed({in_.data(), n});
                       }));
  }

  // Writes what the session has to say.
  void pump() {
    if (writing_ || ended_) return;
    out_.clear();
    const uint8_t* bytes = nullptr;
    while (out_.size() < size_t{256} << 10) {
      const auto n = nghttp2_session_mem_send(session_, &bytes);
      if (n <= 0) break;
      out_.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(n));
    }
    look_at_time();
    if (out_.empty()) {
      const bool over = !nghttp2_session_want_read(session_) && !nghttp2_session_want_write(session_);
      if (over || closing_ || (host().closing && calls_.empty())) end();
      return;
    }
    writing_ = true;
    expire_after(host().options.read_time);
    const std::array<asio::const_buffer, 1> out = {asio::buffer(out_)};
    stream_->write(out, handler([this](error_code error, size_t) {
                     writing_ = false;
                     if (error || ended_) return end();
                     pump();
                   }));
  }

  void look_at_time() {
    if (calls_.empty())
      expire_after(host().options.idle_time);
    else
      deadline_ = Clock::time_point::max();
  }

  // ---- frames

  // nghttp2 is C: what a callback throws becomes an error of the session, which ends the connection.
  template <class Work>
  int in_callback(Work&& work) {
    return host().guarded(work) ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
  }

  static int on_begin(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    GrpcConnection& me = of(user);
    return me.in_callback([&] { me.calls_[frame->hd.stream_id].since = Clock::now(); });
  }

  GrpcCall* find(int32_t id) {
    const auto at = calls_.find(id);
    return at == calls_.end() ? nullptr : &at->second;
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                       const uint8_t* value, size_t value_size, uint8_t, void* user) {
    GrpcConnection& me = of(user);
    GrpcCall* call = me.find(frame->hd.stream_id);
    if (!call) return 0;
    const std::string_view n(reinterpret_cast<const char*>(name), name_size);
    const std::string_view v(reinterpret_cast<const char*>(value), value_size);
    return me.in_callback([&] {
      if (n == ":path") call->path = v;
      if (n == "content-type") call->type = v;
    });
  }

  static int on_data(nghttp2_session*, uint8_t, int32_t id, const uint8_t* bytes, size_t size, void* user) {
    GrpcConnection& me = of(user);
    GrpcCall* call = me.find(id);
    if (!call || call->refused) return 0;
    return me.in_callback([&] { me.add(id, *call, {reinterpret_cast<const char*>(bytes), size}); });
  }

  void add(int32_t id, GrpcCall& call, std::string_view bytes) {
    const size_t most = host().options.most_body;
    if (call.message.size() + bytes.size() > most + kPrefix)
      return refuse(id, call, Refusal(kTooLarge, cat("a request has at most ", most, " bytes")));
    if (!hold(bytes.size()))
      return refuse(
          id, call,
          Refusal(Shortage::bytes, "the server holds as many bytes of requests as it may: try again later"));
    call.held += bytes.size();
    call.message.append(bytes);
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    GrpcConnection& me = of(user);
    const bool carries = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (!carries || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    GrpcCall* call = me.find(frame->hd.stream_id);
    if (!call || std::exchange(call->complete, true)) return 0;
    if (call->refused) return 0;
    return me.in_callback([&] { me.handle(frame->hd.stream_id, *call); });
  }

  static int on_close(nghttp2_session*, int32_t id, uint32_t, void* user) {
    GrpcConnection& me = of(user);
    GrpcCall* call = me.find(id);
    if (!call) return 0;
    if (call->given_up) *call->given_up = true;
    me.release(*call);
    me.calls_.erase(id);
    if (me.calls_.empty()) me.since_ = Clock::now();  // pings change nothing
    return 0;
  }

  void release(GrpcCall& call) {
    if (call.held) host().release(*client_, std::exchange(call.held, 0));
  }

  void release() override {
    for (auto& [id, call] : calls_) {
      if (call.given_up) *call.given_up = true;
      release(call);
    }
  }

  // ---- calls

  void handle(int32_t id, GrpcCall& call) {
    call.began = Clock::now();
    host().metrics.requests.fetch_add(1, std::memory_order_relaxed);
    if (!call.type.starts_with("application/grpc")) return send_no_grpc(id, call);
    try {
      if (call.message.size() < kPrefix || call.message[0] != 0)
        throw Refusal(kNotAllowed, "a call has one message, which is not compressed");
      const auto* p = reinterpret_cast<const uint8_t*>(call.message.data()) + 1;
      const size_t size = size_t{p[0]} << 24 | size_t{p[1]} << 16 | size_t{p[2]} << 8 | size_t{p[3]};
      if (size != call.message.size() - kPrefix)
        throw Refusal(kBadRequest, cat("the message has ", call.message.size() - kPrefix,
                                       " bytes, and its prefix says ", size));
      if (!call.path.starts_with(kService))
        throw Refusal(kNotAllowed, cat("there is no service at ", call.path, ": it is ", kService));
      const std::string method = call.path.substr(kService.size());
      if (method == "ModelInfer") return infer(id, call);
      const bool reads_files = method.starts_with("Repository");
      if (!reads_files) return send(id, framed(answer(host(), method, call.message.substr(kPrefix))));
      host().aside([me = self(), id, method, message = call.message.substr(kPrefix)] {
        GrpcResult result = result_of([&] { return answer(me->host(), method, message); });
        asio::dispatch(me->loop_.context(), me->handler([&c = *me, id, result = std::move(result)]() mutable {
          c.send_result(id, std::move(result));
        }));
      });
    } catch (const Refusal& refusal) {
      refuse(id, call, refusal);
    } catch (const std::exception& e) {
      refuse(id, call, Refusal(kFailed, e.what()));
    }
  }

  static std::string answer(ServerHost& host, std::string_view method, std::string_view message) {
    if (method == "ServerLive") return write_truth(true);
    if (method == "ServerReady") return write_truth(host.ready && !host.closing);
    if (method == "ServerMetadata") return write_server_metadata();
    if (method == "ModelReady") {
      try {
        host.repository.find(text_field(message, 1), text_field(message, 2));
      } catch (const Refusal& refusal) {
        if (refusal.status() != kNotFound) throw;
        return write_truth(false);
      }
      return write_truth(true);
    }
    if (method == "ModelMetadata") {
      const auto loaded = host.repository.find(text_field(message, 1), text_field(message, 2));
      return write_model_metadata(loaded->model(), host.repository.versions(loaded->model().name()));
    }
    if (method == "RepositoryIndex") return write_index(host.repository.index(), wants_ready_only(message));
    if (method == "RepositoryModelLoad" || method == "RepositoryModelUnload") {
      const std::string name = text_field(message, 2);
      const bool load = method == "RepositoryModelLoad";
      if (load)
        host.repository.load(name);
      else
        host.repository.unload(name);
      host.log(load ? "load" : "unload", "\"model\":" + json_string(name));
      return {};
    }
    throw Refusal(kNotAllowed, cat("there is no call ", method, " here"));
  }

  void infer(int32_t id, GrpcCall& call) {
    GrpcInfer infer = read_model_infer(std::make_shared<const std::string>(std::move(call.message)), kPrefix);
    const bool typed = infer.typed;
    infer.request.client = client_;
    infer.request.given_up = call.given_up = std::make_shared<std::atomic<bool>>(false);
    host().infer(std::move(infer.request), [me = self(), id, typed](Outcome outcome) {
      asio::dispatch(me->loop_.context(), me->handler([&c = *me, id, typed, outcome = std::move(outcome)] {
        c.send_result(id, result_of([&] {
                        if (const auto* refusal = std::get_if<Refusal>(&outcome)) throw Refusal(*refusal);
                        return write_model_infer(std::get<InferAnswer>(outcome), typed);
                      }));
      }));
    });
  }

  // The call may have been given up by its client.
  void send_result(int32_t id, GrpcResult result) {
    if (ended_) return;
    GrpcCall* call = find(id);
    if (!call || call->refused) return;
    if (const auto* refusal = std::get_if<Refusal>(&result))
      refuse(id, *call, *refusal);
    else
      send(id, std::move(std::get<std::string>(result)));
    pump();
  }

  // `answer` has its prefix.
  void send(int32_t id, std::string answer) {
    GrpcCall& call = calls_[id];
    call.answered = has_answered_ = true;
    call.since = since_ = Clock::now();
    call.answer = std::move(answer);
    const nghttp2_nv fields[] = {header(":status", "200"), header("content-type", "application/grpc")};
    nghttp2_data_provider provider{};
    provider.source.ptr = this;
    provider.read_callback = on_read;
    nghttp2_submit_response(session_, id, fields, std::size(fields), &provider);
    host().metrics.request_time.add(in_seconds(call.since - call.began));
  }

  // HTTP/2 is here for gRPC alone; everything is there over HTTP/1.1.
  void send_no_grpc(int32_t id, GrpcCall& call) {
    call.refused = true;
    call.since = Clock::now();
    const nghttp2_nv status = header(":status", "415");
    nghttp2_submit_response(session_, id, &status, 1, nullptr);
  }

  static ssize_t on_read(nghttp2_session* session, int32_t id, uint8_t* to, size_t most, uint32_t* flags,
                         nghttp2_data_source* source, void*) {
    GrpcCall* call = static_cast<GrpcConnection*>(source->ptr)->find(id);
    if (!call) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const size_t n = std::min(most, call->answer.size() - call->sent);
    std::memcpy(to, call->answer.data() + call->sent, n);
    call->sent += n;
    if (call->sent == call->answer.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const nghttp2_nv trailer = header("grpc-status", "0");
      nghttp2_submit_trailer(session, id, &trailer, 1);
    }
    return static_cast<ssize_t>(n);
  }

  // What of the request is still to come is thrown away: a reset could overtake the answer.
  void refuse(int32_t id, GrpcCall& call, const Refusal& refusal) {
    call.refused = true;
    call.since = Clock::now();
    call.message = {};
    release(call);
    if (const auto shortage = refusal.shortage()) {
      host().metrics.count(*shortage);
      pauses_ = true;
    }
    if (refusal.status() == kFailed) host().log("failed", "\"answer\":" + json_string(refusal.text()));
    const std::string status = std::to_string(grpc_status(refusal.status()));
    const std::string text = percent_encoded(shortened(as_utf8(refusal.text())));
    const nghttp2_nv fields[] = {header(":status", "200"), header("content-type", "application/grpc"),
                                 header("grpc-status", status), header("grpc-message", text)};
    nghttp2_submit_response(session_, id, fields, std::size(fields), nullptr);
  }

  nghttp2_session* session_ = nullptr;
  std::map<int32_t, GrpcCall> calls_;
  std::string in_, out_;
  bool writing_ = false, closing_ = false, pauses_ = false;
  std::optional<asio::steady_timer> pause_;
};

}  // namespace

std::shared_ptr<Connection> make_grpc_connection(ConnectionLoop& loop, Peer peer) {
  return std::make_shared<GrpcConnection>(loop, std::move(peer));
}

}  // namespace cantik::serve
