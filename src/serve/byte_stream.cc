#include "serve/byte_stream.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <cantik/error.h>

#if CANTIK_SERVE_TLS
#include <boost/asio/ssl.hpp>
#endif

#include "base/text.h"

namespace cantik::serve {
namespace {

using boost::system::error_code;
using Socket = asio::ip::tcp::socket;

std::vector<asio::const_buffer> list_of(std::span<const asio::const_buffer> buffers) {
  return {buffers.begin(), buffers.end()};
}

void close_socket(Socket& socket) {
  error_code ignored;
  socket.shutdown(Socket::shutdown_both, ignored);
  socket.close(ignored);
}

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(Socket socket) : socket_(std::move(socket)) {}
  void open(std::function<void(error_code)> opened) override { opened({}); }
  void read_some(asio::mutable_buffer to, Transferred done) override {
    socket_.async_read_some(to, std::move(done));
  }
  void write(std::span<const asio::const_buffer> from, Transferred done) override {
    asio::async_write(socket_, list_of(from), std::move(done));
  }
  void shut_writing() override {
    error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
  }
  void close() override { close_socket(socket_); }

 private:
  Socket socket_;
};

#if CANTIK_SERVE_TLS
class TlsStream : public ByteStream {
 public:
  TlsStream(Socket socket, asio::ssl::context& context) : stream_(std::move(socket), context) {}
  void open(std::function<void(error_code)> opened) override {
    stream_.async_handshake(asio::ssl::stream_base::server, std::move(opened));
  }
  void read_some(asio::mutable_buffer to, Transferred done) override {
    stream_.async_read_some(to, std::move(done));
  }
  void write(std::span<const asio::const_buffer> from, Transferred done) override {
    asio::async_write(stream_, list_of(from), std::move(done));
  }
  void shut_writing() override {
    error_code ignored;
    stream_.next_layer().shutdown(Socket::shutdown_send, ignored);
  }
  void close() override { close_socket(stream_.next_layer()); }

 private:
  asio::ssl::stream<Socket> stream_;
};
#endif

}  // namespace

#if CANTIK_SERVE_TLS
struct StreamMaker::Tls {
  asio::ssl::context context{asio::ssl::context::tls_server};
};

namespace {

// HTTP/1.1 where the client offers it; clients of gRPC offer HTTP/2 alone.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  static constexpr unsigned char kKnown[] = "\x08http/1.1\x02h2";
  const int found = SSL_select_next_proto(const_cast<unsigned char**>(chosen), size, kKnown,
                                          sizeof kKnown - 1, offered, offered_size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace
#else
struct StreamMaker::Tls {};
#endif

StreamMaker::StreamMaker(const std::string& certificate, const std::string& private_key) {
  if (certificate.empty() && private_key.empty()) return;
  if (certificate.empty() || private_key.empty())
    throw value_error(
        "TLS needs a file with a certificate and one with its private key, and one of them is missing");
#if CANTIK_SERVE_TLS
  tls_ = std::make_unique<Tls>();
  asio::ssl::context& context = tls_->context;
  context.set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
  error_code error;
  context.use_certificate_chain_file(certificate, error);
  if (error) throw value_error(cat("the certificate ", certificate, " cannot be used: ", error.message()));
  context.use_private_key_file(private_key, asio::ssl::context::pem, error);
  if (error) throw value_error(cat("the private key ", private_key, " cannot be used: ", error.message()));
  SSL_CTX_set_alpn_select_cb(context.native_handle(), choose_protocol, nullptr);
#else
  throw unsupported("this server was built without TLS")
      .remedy("install OpenSSL's headers (Debian: libssl-dev) and build it again");
#endif
}

StreamMaker::~StreamMaker() = default;

std::unique_ptr<ByteStream> StreamMaker::make(asio::ip::tcp::socket socket) {
#if CANTIK_SERVE_TLS
  if (tls_) return std::make_unique<TlsStream>(std::move(socket), tls_->context);
#endif
  return std::make_unique<PlainStream>(std::move(socket));
}

}  // namespace cantik::serve
