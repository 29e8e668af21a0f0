#include "io/utterance.h"

#include <algorithm>
#include <charconv>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {

std::string_view without_extension(std::string_view name) {
  const size_t dot = name.rfind('.'), slash = name.find_last_of("/\\");
  return dot == name.npos || (slash != name.npos && dot < slash) ? name : name.substr(0, dot);
}

uint64_t key_of_utterance(std::string_view name) {
  constexpr uint64_t kNamed = uint64_t{1} << 63;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc() && end == name.data() + name.size() && number < kNamed &&
                         (name[0] != '0' || name.size() == 1);
  if (is_number) return number;
  // FNV-1a, its bits mixed.
  uint64_t h = 0xcbf29ce484222325;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93;
  return (h ^ (h >> 32)) | kNamed;
}

bool UtteranceNames::is_repeated(const std::string& name) {
  Seen& seen = seen_[key_of_utterance(name)];
  if (seen.times == 0) seen.name = name;
  if (seen.name != name)
    throw runtime_error(cat("the utterances ", seen.name, " and ", name, " have one key"))
        .remedy("rename one of them");
  if (++seen.times == 2) {
    if (dropped_ == 0) first_ = name;
    ++dropped_;
  }
  return seen.times > 1;
}

bool UtteranceNames::is_dropped(uint64_t key) const {
  const auto found = seen_.find(key);
  return found != seen_.end() && found->second.times > 1;
}

void UtteranceNames::take_warnings(const std::string& file, std::vector<std::string>& into) {
  if (dropped_ > 0)
    into.push_back(
        cat(file, ": ", dropped_, " utterances come twice and are left out, ", first_, " among them"));
  dropped_ = 0;
}

}  // namespace cantik
