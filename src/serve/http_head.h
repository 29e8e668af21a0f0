// What the header of a request of HTTP/1.1 says, read as strictly as RFC 9112 asks.
#pragma once

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cantik::serve {

inline constexpr std::string_view kJsonSizeField = "Inference-Header-Content-Length";

// The views lie in the header.
struct HttpHead {
  std::string_view path;  // without the host of an absolute target, with what follows a question mark
  bool keep_alive = true, expects_continue = false;
  std::string content_encoding;
  std::optional<size_t> json_size;  // bytes of the JSON that begins the body
};

// Boost.Beast takes some headers that RFC 9112 refuses. They are a Refusal, and the connection has to end: a
// proxy on the way may have seen another end of such a request.
HttpHead read_head(const boost::beast::http::request_header<>& header);

// Whether a line of the header goes on in the next one. Beast joins such lines.
bool has_folded_line(std::string_view header);

// Whether CR and LF stand together only. Beast waits for an end in CR LF, which may never come. The last LF
// may come later.
bool has_whole_line_ends(std::string_view text);

// Whether a text has control characters other than tabs.
bool has_controls(std::string_view text);

}  // namespace cantik::serve
