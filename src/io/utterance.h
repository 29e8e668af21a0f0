// Utterances by their names: what files of speech are joined by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/deserializer.h"

namespace cantik {

// a/b.mfc -> a/b
std::string_view without_extension(std::string_view name);
// A number is its own key, so that utterances join with numbered sequences of other files; other names have
// keys of their own above all numbers.
uint64_t key_of_utterance(std::string_view name);

// The names of the utterances that a deserializer has, to find those that come twice: they are left out, all
// of them, as in CNTK.
class UtteranceNames {
 public:
  // Whether it came before. Two names of one key are an error.
  bool is_repeated(const std::string& name);
  bool is_dropped(uint64_t key) const;
  // Says how many are left out, if any.
  void take_warnings(const std::string& file, std::vector<std::string>& into);

 private:
  struct Seen {
    std::string name;
    int64_t times = 0;
  };
  std::unordered_map<uint64_t, Seen> seen_;
  int64_t dropped_ = 0;
  std::string first_;
};

}  // namespace cantik
