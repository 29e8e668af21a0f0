// Master label files, text and binary: what their parsers give.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/input_file.h"

namespace cantik {

// A label, and how many frames have it.
struct LabelRun {
  int32_t label;
  int64_t frames;
};

struct LabelledUtterance {
  std::string name;
  std::vector<LabelRun> runs;
  int64_t frames = 0;
  int64_t begin = 0, end = 0;  // in the file
  // What is wrong with it, and where; empty if nothing is.
  std::string problem, place;
};

// More than a day of speech is damage.
inline constexpr int64_t kMostFrames = 10'000'000;

// The utterances of a part of a file, one after another.
class LabelParser {
 public:
  virtual ~LabelParser() = default;
  virtual bool next(LabelledUtterance& into) = 0;  // false at the end
};

using LabelNumbers = std::unordered_map<std::string, int32_t>;

// From the name of each label to its number: a name a line, from 0 on.
LabelNumbers read_label_names(const std::string& path, int64_t dim);
// Of a whole file, or of a part of it that begins and ends with an utterance.
std::unique_ptr<LabelParser> text_labels(const InputFile& file, int64_t begin, int64_t end,
                                         const LabelNumbers& numbers);
std::unique_ptr<LabelParser> binary_labels(const InputFile& file, int64_t begin, int64_t end, int64_t dim);

}  // namespace cantik
