#include "serve/http_head.h"

#include <boost/beast/core/string.hpp>
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "serve/request.h"

namespace cantik::serve {
namespace {

namespace beast = boost::beast;
using Header = beast::http::request_header<>;

constexpr std::string_view kDigits = "0123456789";
// Of host:port, as RFC 3986 has them.
constexpr std::string_view kHostCharacters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-._~%!$&'()*+,;=:[]";

[[noreturn]] void refuse_head(std::string text) { throw Refusal(kBadRequest, std::move(text)); }

bool is_word(std::string_view text, std::string_view word) {
  return beast::iequals({text.data(), text.size()}, {word.data(), word.size()});
}

bool has_only(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

// The values of all fields of the name, in their order.
std::vector<std::string_view> values_of(const Header& header, std::string_view name) {
  std::vector<std::string_view> values;
  const auto [first, last] = header.equal_range({name.data(), name.size()});
  for (auto at = first; at != last; ++at) values.emplace_back(at->value().data(), at->value().size());
  return values;
}

// The value of a field that stands once, or not at all.
std::optional<std::string_view> value_of(const Header& header, std::string_view name) {
  const std::vector<std::string_view> values = values_of(header, name);
  if (values.empty()) return {};
  if (values.size() > 1)
    refuse_head(cat("the field ", name, " stands ", values.size(), " times: once is right"));
  return values[0];
}

std::string_view without_spaces(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// What stands between the commas of all fields of the name. Fields on several lines are one list (RFC 9110,
// section 5.3).
std::vector<std::string_view> elements_of(const Header& header, std::string_view name) {
  std::vector<std::string_view> elements;
  for (std::string_view value : values_of(header, name)) {
    size_t comma = 0;
    do {
      comma = value.find(',');
      elements.push_back(without_spaces(value.substr(0, comma)));
      value.remove_prefix(std::min(value.size(), comma + 1));
    } while (comma != std::string_view::npos);
  }
  return elements;
}

bool has_element(const std::vector<std::string_view>& elements, std::string_view word) {
  return std::any_of(elements.begin(), elements.end(), [&](std::string_view e) { return is_word(e, word); });
}

std::string list_text(const std::vector<std::string_view>& elements) {
  return join(elements, ", ", [](std::string_view e) { return e; });
}

void check_host(const Header& header) {
  const std::optional<std::string_view> host = value_of(header, "Host");
  if (!host && header.version() >= 11) refuse_head("a request of HTTP/1.1 needs the field Host");
  if (host && !has_only(*host, kHostCharacters)) refuse_head(cat("the field Host names no host: ", *host));
}

// Where the body ends must be said once, and in words that mean the same to everyone (RFC 9112, section 6.3).
void check_body_end(const Header& header) {
  const std::optional<std::string_view> length = value_of(header, "Content-Length");
  if (length && (length->empty() || !has_only(*length, kDigits)))
    refuse_head(cat("the field Content-Length must be a number, and is '", *length, "'"));
  std::vector<std::string_view> codings = elements_of(header, "Transfer-Encoding");
  if (codings.empty()) return;
  if (length) refuse_head("a request has Content-Length or Transfer-Encoding, and this one both");
  if (header.version() < 11) refuse_head("a request of HTTP/1.0 has no Transfer-Encoding");
  const std::string list = list_text(codings);
  const bool ends_chunked = is_word(codings.back(), "chunked");
  codings.pop_back();
  if (!ends_chunked || has_element(codings, "chunked"))
    refuse_head(cat("the Transfer-Encoding must end in 'chunked' and have it once, and is '", list, "'"));
  if (!codings.empty())
    throw Refusal(kNotImplemented, cat("the Transfer-Encoding '", list,
                                       "' is not read: send the request as it is, or in chunks"));
}

// Of /path, or of http://host/path, which clients send to proxies (RFC 9112, section 3.2).
std::string_view path_of(std::string_view target) {
  if (target.starts_with('/')) return target;
  const size_t scheme = target.find("://");
  const std::string_view name = target.substr(0, scheme);
  if (scheme == std::string_view::npos || !(is_word(name, "http") || is_word(name, "https")))
    refuse_head(cat("the target of a request must be a path or an address of http, and is ", target));
  target.remove_prefix(scheme + 3);
  const size_t host = std::min(target.find_first_of("/?"), target.size());
  if (host == 0) refuse_head("the address that a request asks for has no host");
  return target.substr(host);
}

std::optional<size_t> json_size_of(const Header& header) {
  const std::optional<std::string_view> text = value_of(header, kJsonSizeField);
  if (!text) return {};
  size_t n = 0;
  const auto [rest, error] = std::from_chars(text->data(), text->data() + text->size(), n);
  if (error != std::errc() || rest != text->data() + text->size())
    refuse_head(cat("the field ", kJsonSizeField, " must be a number, and is '", *text, "'"));
  return n;
}

bool keeps_alive(const Header& header) {
  const std::vector<std::string_view> options = elements_of(header, "Connection");
  if (has_element(options, "close")) return false;
  return header.version() >= 11 || has_element(options, "keep-alive");
}

}  // namespace

HttpHead read_head(const Header& header) {
  check_body_end(header);
  check_host(header);
  const auto target = header.target();
  return {.path = path_of({target.data(), target.size()}),
          .keep_alive = keeps_alive(header),
          .expects_continue =
              header.version() >= 11 && has_element(elements_of(header, "Expect"), "100-continue"),
          .content_encoding = list_text(elements_of(header, "Content-Encoding")),
          .json_size = json_size_of(header)};
}

bool has_folded_line(std::string_view header) {
  return header.find("\n ") != std::string_view::npos || header.find("\n\t") != std::string_view::npos;
}

bool has_whole_line_ends(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') return false;
    if (text[i] == '\r' && ++i < text.size() && text[i] != '\n') return false;
  }
  return true;
}

bool has_controls(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return (c < 32 && c != '\t') || c == 127; });
}

}  // namespace cantik::serve
