// A connection of HTTP/1.1: Boost.Beast reads the requests, which are answered one after another.
#include <boost/asio/dispatch.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <simdjson.h>

#include "base/text.h"
#include "serve/connection.h"
#include "serve/http_head.h"
#include "serve/http_routes.h"
#include "serve/infer_json.h"
#include "serve/json.h"

namespace cantik::serve {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::string_view kJson = "application/json", kBytes = "application/octet-stream";
constexpr size_t kLeastHeld = size_t{64} << 10;
// Of a header, and of what stands between the chunks of a body or behind them.
constexpr size_t kLongestHead = size_t{16} << 10;

std::string_view view(beast::string_view s) { return {s.data(), s.size()}; }

// Nothing reads the extensions of chunks. Servers differ in where an extension with a control character ends.
struct ChunkCheck {
  void operator()(uint64_t, beast::string_view extensions, error_code& error) const {
    if (has_controls(view(extensions))) error = http::error::bad_chunk_extension;
  }
};

class HttpConnection : public Connection {
 public:
  using Connection::Connection;
  ~HttpConnection() override { release(); }

  bool is_idle() const override { return state_ == State::idle || state_ == State::paused; }
  bool waits_for_client() const override { return state_ != State::answering; }
  size_t stopped_bytes() const override {
    return state_ == State::reading && rate_.has_stopped() ? held_ : 0;
  }
  void tick(Clock::time_point) override {
    if (state_ != State::reading) return;
    rate_.check_pace(came_, host().options.least_rate);
    if (rate_.is_slow()) end(Closing::slow);
  }

  void start(std::string bytes) override {
    const auto to = buffer_.prepare(bytes.size());
    asio::buffer_copy(to, asio::buffer(bytes));
    buffer_.commit(bytes.size());
    begin();
  }

 private:
  enum class State { idle, reading, answering, sending, paused, discarding };
  using Parser = http::request_parser<http::string_body>;

  std::shared_ptr<HttpConnection> self() {
    return std::static_pointer_cast<HttpConnection>(shared_from_this());
  }

  // ---- reading

  void begin() {
    state_ = State::idle;
    header_seen_ = head_only_ = false;
    header_size_ = 0;
    release();
    parser_.emplace();
    parser_->header_limit(kLongestHead);
    parser_->body_limit(host().options.most_body);
    parser_->on_chunk_header(chunk_check_);
    if (buffer_.size() == 0 && buffer_.capacity() > size_t{64} << 10) buffer_.shrink_to_fit();
    since_ = expire_after(host().options.idle_time);
    parse();
  }

  std::string_view unread() const {
    return {static_cast<const char*>(buffer_.data().data()), buffer_.size()};
  }

  // Whether a request has begun. Empty lines before it are ignored (RFC 9112, section 2.2).
  bool has_begun() {
    while (unread().starts_with("\r\n")) buffer_.consume(2);
    return !unread().empty() && unread() != "\r";
  }

  void read(size_t most) {
    const auto to = buffer_.prepare(most);
    stream_->read_some(to, handler([this](error_code error, size_t n) {
                         if (error || ended_) return end();
                         buffer_.commit(n);
                         came_ += n;
                         if (state_ == State::discarding) return discard();
                         parse();
                       }));
  }

  void parse() try {
    if (state_ == State::idle) {
      if (!has_begun()) return wait();
      state_ = State::reading;
      since_ = expire_after(host().options.read_time);
      came_ = buffer_.size();
      rate_ = {};
    }
    while (buffer_.size() && !parser_->is_done()) {
      error_code error;
      hold_body();
      const size_t used = parser_->put(buffer_.data(), error);
      if (!header_seen_) check_header_part(unread().substr(0, used));
      buffer_.consume(used);
      if (error == http::error::need_more) break;
      if (error) throw refusal_of(error);
      if (parser_->is_header_done() && !header_seen_ && !see_header()) return;
      if (used == 0) break;
    }
    if (parser_->is_done()) return handle();
    check_unread();
    read(header_seen_ ? size_t{64} << 10 : size_t{4} << 10);
  } catch (const Refusal& refusal) {
    refuse(refusal);
  } catch (const std::exception& e) {  // there is not enough memory
    refuse({kFailed, e.what()});
  }

  // For a request.
  void wait() {
    if (host().closing) return end();
    read(4 << 10);
  }

  static Refusal too_long() {
    return {kLongHead, cat("the header of a request has at most ", kLongestHead,
                           " bytes, and so have the lines between the chunks of a body")};
  }

  Refusal refusal_of(error_code error) const {
    if (error == http::error::header_limit) return too_long();
    if (error == http::error::body_limit)
      return {kTooLarge, cat("a request has at most ", loop_.host().options.most_body, " bytes")};
    return {kBadRequest, "the request is no HTTP: " + error.message()};
  }

  // The parts of a long header are read one after the other.
  void check_header_part(std::string_view lines) {
    header_size_ += lines.size();
    if (header_size_ > kLongestHead) throw too_long();
    if (has_folded_line(lines))
      throw Refusal(kBadRequest, "a field of the header goes on in a second line, which is not read");
  }

  // Lines of a header, or from between the chunks of a body: the body itself has been taken.
  void check_unread() const {
    if (buffer_.size() > kLongestHead) throw too_long();
    if (!has_whole_line_ends(unread())) throw Refusal(kBadRequest, "lines of HTTP end in CR LF");
  }

  // What the header declares is compared with the limits before memory is taken for it. Whether the body is
  // to be read at once.
  bool see_header() {
    header_seen_ = true;
    head_only_ = parser_->get().method() == http::verb::head;
    header_ = read_head(parser_->get());
    parser_->eager(true);
    const auto length = parser_->content_length();
    const size_t declared = length ? static_cast<size_t>(*length) : 0;
    if (declared > host().options.most_body)
      throw Refusal(kTooLarge, cat("a request has at most ", host().options.most_body, " bytes, and ",
                                   declared, " are declared"));
    // Of a body in chunks the size is not known before its end.
    declared_ = parser_->chunked() ? host().options.most_body : declared;
    hold_body();
    if (declared) parser_->get().body().reserve(declared + simdjson::SIMDJSON_PADDING);
    if (header_.expects_continue) {
      static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
      const std::array<asio::const_buffer, 1> out = {asio::buffer(kGoOn)};
      // The body may have come with the header.
      stream_->write(out, handler([this](error_code error, size_t) {
                       if (error || ended_) return end();
                       parse();
                     }));
      return false;
    }
    return true;
  }

  // Bytes count as held before they are taken: in steps, so that a declared size alone holds next to nothing.
  void hold_body() {
    const size_t due =
        std::min(declared_, parser_->get().body().size() + std::max(buffer_.size(), size_t{1}));
    if (!header_seen_ || due <= held_) return;
    const size_t more = std::min(declared_, std::max({due, 2 * held_, kLeastHeld})) - held_;
    if (!hold(more))
      throw Refusal(Shortage::bytes, "the server holds as many bytes of requests as it may: try again later");
    held_ += more;
  }

  // ---- answering

  void handle() {
    state_ = State::answering;
    deadline_ = Clock::time_point::max();
    began_ = Clock::now();
    host().metrics.requests.fetch_add(1, std::memory_order_relaxed);
    keep_alive_ = header_.keep_alive;
    try {
      const std::vector<std::string> parts = path_parts(header_.path);
      if (auto target = infer_target(parts)) return infer(std::move(*target));
      const std::string method(view(parser_->get().method_string()));
      if (parts.size() > 1 && parts[1] == "repository") {  // reads files, which takes its time
        host().aside([me = self(), method, parts] {
          HttpReply reply = reply_to(me->host(), method, parts);
          asio::dispatch(me->loop_.context(), me->handler([&c = *me, reply = std::move(reply)]() mutable {
            c.send(std::move(reply));
          }));
        });
        return;
      }
      send(reply_to(host(), method, parts));
    } catch (const Refusal& refusal) {
      send_refusal(refusal);
    }
  }

  static HttpReply reply_to(ServerHost& host, std::string_view method,
                            const std::vector<std::string>& parts) {
    try {
      return answer(host, method, parts);
    } catch (const Refusal& refusal) {
      return {refusal.status(), error_body(refusal.text())};
    } catch (const std::exception& e) {
      return {kFailed, error_body(e.what())};
    }
  }

  void infer(InferTarget target) {
    auto& request = parser_->get();
    if (request.method() != http::verb::post) throw Refusal(kNotAllowed, "a model is asked by POST");
    if (const std::string& coding = header_.content_encoding;
        !coding.empty() && !beast::iequals(coding, "identity"))
      throw Refusal(kUnsupportedMedia,
                    cat("the content encoding '", coding, "' is not read: send the request as it is"));
    InferRequest infer =
        read_infer(std::make_shared<std::string>(std::move(request.body())), header_.json_size);
    infer.client = client_;
    infer.model = std::move(target.model);
    infer.version = std::move(target.version);
    asked_ = infer.outputs;
    binary_outputs_ = infer.binary_outputs;
    host().infer(std::move(infer), [me = self()](Outcome outcome) {
      asio::dispatch(me->loop_.context(),
                     me->handler([&c = *me, outcome = std::move(outcome)] { c.send_outcome(outcome); }));
    });
  }

  void send_outcome(const Outcome& outcome) {
    try {
      if (const auto* refusal = std::get_if<Refusal>(&outcome)) throw Refusal(*refusal);
      InferText text = write_infer(asked_, binary_outputs_, std::get<InferAnswer>(outcome));
      std::string more;
      if (text.has_bytes) more = cat(kJsonSizeField, ": ", text.json_size, "\r\n");
      send({200, std::move(text.body), text.has_bytes ? kBytes : kJson}, more);
    } catch (const Refusal& refusal) {
      send_refusal(refusal);
    } catch (const std::exception& e) {
      send({kFailed, error_body(e.what())});
    }
  }

  void send_refusal(const Refusal& refusal) {
    if (const auto shortage = refusal.shortage()) {
      host().metrics.count(*shortage);
      pauses_ = true;
    }
    send({refusal.status(), error_body(refusal.text())});
  }

  void send(HttpReply reply, std::string_view more_fields = {}) {
    if (ended_) return;
    if (host().closing) keep_alive_ = false;
    if (reply.status == kFailed) host().log("failed", "\"answer\":" + reply.body);
    body_ = std::move(reply.body);
    head_ = "HTTP/1.1 ";
    append_number(head_, int64_t{reply.status});
    head_ += ' ';
    const auto reason = http::obsolete_reason(static_cast<http::status>(reply.status));
    head_.append(reason.data(), reason.size());
    head_ += "\r\nContent-Type: ";
    head_ += reply.type;
    head_ += "\r\nContent-Length: ";
    append_number(head_, static_cast<int64_t>(body_.size()));
    head_ += "\r\n";
    head_ += more_fields;
    if (reply.status == kOverloaded) head_ += "Retry-After: 1\r\n";
    if (!keep_alive_)
      head_ += "Connection: close\r\n";
    else if (parser_->get().version() == 10)
      head_ += "Connection: keep-alive\r\n";
    head_ += "\r\n";
    const std::array<asio::const_buffer, 2> out = {asio::buffer(head_),
                                                   asio::buffer(head_only_ ? std::string_view() : body_)};
    state_ = State::sending;
    has_answered_ = true;
    since_ = expire_after(host().options.read_time);
    stream_->write(out, handler([this](error_code error, size_t) { sent(error); }));
  }

  void sent(error_code error) {
    if (error || ended_) return end();
    host().metrics.request_time.add(in_seconds(Clock::now() - began_));
    body_.clear();
    if (body_.capacity() > size_t{64} << 10) body_.shrink_to_fit();
    if (keep_alive_) return std::exchange(pauses_, false) ? pause() : begin();
    // A client that still sends would lose the answer if the connection ended now.
    state_ = State::discarding;
    parser_.reset();
    release();
    stream_->shut_writing();
    expire_after(2);
    discard();
  }

  void pause() {
    state_ = State::paused;
    release();
    since_ = expire_after(host().options.idle_time);
    if (!pause_) pause_.emplace(loop_.context());
    pause_->expires_after(kPause);
    pause_->async_wait(handler([this](error_code) {
      if (!ended_) begin();
    }));
  }

  void discard() {
    buffer_.consume(buffer_.size());
    read(16 << 10);
  }

  // Of a request that has not come as a whole: the rest of it is not read.
  void refuse(const Refusal& refusal) {
    state_ = State::answering;
    began_ = Clock::now();
    host().metrics.requests.fetch_add(1, std::memory_order_relaxed);
    keep_alive_ = false;
    send_refusal(refusal);
  }

  void release() override {
    if (held_) host().release(*client_, std::exchange(held_, 0));
  }

  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  State state_ = State::idle;
  HttpHead header_;
  ChunkCheck chunk_check_;
  bool header_seen_ = false, keep_alive_ = true, head_only_ = false, binary_outputs_ = false;
  std::vector<AskedOutput> asked_;
  size_t declared_ = 0, held_ = 0;  // bytes of the body
  size_t came_ = 0;                 // bytes of the request
  size_t header_size_ = 0;
  ByteRate rate_;
  bool pauses_ = false;
  std::optional<asio::steady_timer> pause_;
  std::string head_, body_;
  Clock::time_point began_ = {};
};

}  // namespace

std::shared_ptr<Connection> make_http_connection(ConnectionLoop& loop, Peer peer) {
  return std::make_shared<HttpConnection>(loop, std::move(peer));
}

}  // namespace cantik::serve
