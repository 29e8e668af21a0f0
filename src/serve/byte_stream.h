// Makes byte streams of sockets: plain, or with TLS where the server has a certificate.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>

#include "serve/connection.h"

namespace cantik::serve {

class StreamMaker {
 public:
  // Files in PEM, or two empty names. Files that cannot be used are an error.
  StreamMaker(const std::string& certificate, const std::string& private_key);
  ~StreamMaker();
  std::unique_ptr<ByteStream> make(asio::ip::tcp::socket socket);

 private:
  struct Tls;
  std::unique_ptr<Tls> tls_;
};

}  // namespace cantik::serve
