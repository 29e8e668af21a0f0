#include <string>
#include <string_view>

#include <cantik/error.h>

namespace cantik {

Error&& Error::line(std::string_view label, std::string_view text) && {
  if (text.empty()) return std::move(*this);
  text_ += "\n  ";
  text_ += label;
  text_.append(label.size() < 9 ? 9 - label.size() : 1, ' ');
  text_ += text;
  return std::move(*this);
}

bool Error::has(std::string_view label) const {
  return text_.find("\n  " + std::string(label) + " ") != std::string::npos;
}

}  // namespace cantik
