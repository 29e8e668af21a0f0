// Attributes as texts: an operator of MXNet's takes keywords it need not have declared, so they cross as one
// text, a line each.
#pragma once

#include <string>
#include <unordered_map>

namespace nnvm::detail {

using Texts = std::unordered_map<std::string, std::string>;

// key=value lines; a backslash stands before a backslash, and for a new line stands \n.
inline std::string joined(const Texts& texts) {
  std::string all;
  for (const auto& [key, value] : texts) {
    all += key + "=";
    for (char c : value)
      all += c == '\\' ? std::string("\\\\") : c == '\n' ? std::string("\\n") : std::string(1, c);
    all += '\n';
  }
  return all;
}

inline void split(const std::string& all, Texts& texts) {
  for (size_t at = 0; at < all.size();) {
    size_t equals = all.find('=', at), end = all.find('\n', at);
    if (end == std::string::npos) end = all.size();
    if (equals >= end) {
      at = end + 1;
      continue;
    }
    std::string value;
    for (size_t i = equals + 1; i < end; ++i) {
      bool escaped = all[i] == '\\' && i + 1 < end;
      value += !escaped ? all[i] : all[i + 1] == 'n' ? '\n' : all[i + 1];
      i += escaped;
    }
    texts[all.substr(at, equals - at)] = value;
    at = end + 1;
  }
}

}  // namespace nnvm::detail
