#include <algorithm>
#include <string>
#include <string_view>

#include <cantik/error.h>

namespace cantik {

Error&& Error::line(std::string_view label, std::string_view text) && {
  if (text.empty()) return std::move(*this);
  std::string added = "\n  " + std::string(label);
  added.append(label.size() < 9 ? 9 - label.size() : 1, ' ');
  added += text;
  text_.insert(std::min(text_.find("\n  remedy "), text_.size()), added);  // what to do stands last
  return std::move(*this);
}

bool Error::has(std::string_view label) const {
  return text_.find("\n  " + std::string(label) + " ") != std::string::npos;
}

}  // namespace cantik
