// Master label files in text.
#include <charconv>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/htk_labels.h"
#include "io/line_reader.h"
#include "io/utterance.h"

namespace cantik {
namespace {

constexpr std::string_view kMasterLabels = "#!MLF!#";
constexpr double kTimesInFrame = 100000;  // of 100 ns: a frame is 10 ms

std::string_view trimmed_label(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

std::string_view take_word(std::string_view& text) {
  text = trimmed_label(text);
  const size_t end = text.find_first_of(" \t");
  const std::string_view word = text.substr(0, end);
  text = end == text.npos ? std::string_view() : text.substr(end);
  return word;
}

bool take_number(std::string_view& text, double& number) {
  const std::string_view word = take_word(text);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && number >= 0 &&
         number < static_cast<double>(kMostFrames) * kTimesInFrame;
}

class TextLabels final : public LabelParser {
 public:
  TextLabels(const InputFile& file, int64_t begin, int64_t end, const LabelNumbers& numbers)
      : file_(file), lines_(file, begin, end), numbers_(numbers) {
    std::string_view line;
    if (begin == 0 && !(lines_.next(line) && trimmed_label(line) == kMasterLabels))
      throw runtime_error(
          cat("Expected MLF header was not found. ", file.path(), " is not a master label file"))
          .line("file", cat(file.path(), ", line 1"))
          .remedy("the first line is #!MLF!#");
  }

  bool next(LabelledUtterance& u) override {
    u = {};
    std::string_view line;
    bool is_begun = false;
    while (lines_.next(line)) {
      may_end(static_cast<int64_t>(line.size()));
      line = trimmed_label(line);
      if (line.empty() || (!is_begun && line == kMasterLabels)) continue;
      if (line == ".") {
        if (!is_begun) {
          u.begin = lines_.position();
          wrong(u, "an utterance ends that has no name");
        }
        if (u.frames == 0) wrong(u, "the utterance has no frames");
        u.end = lines_.next_position();
        return true;
      }
      if (!is_begun) {
        is_begun = true;
        u.begin = lines_.position();
        name(u, line);
      } else {
        run(u, line);
      }
    }
    if (!is_begun) return false;
    u.end = lines_.next_position();
    wrong(u, "the file ends within the utterance, without a line of a single dot");
    return true;
  }

 private:
  // The first problem of an utterance is told.
  void wrong(LabelledUtterance& u, const std::string& what) const {
    if (!u.problem.empty()) return;
    u.problem = what;
    u.place = cat(file_.path(), ", line ", lines_.line());
  }

  // "*/name.lab": any folder.
  void name(LabelledUtterance& u, std::string_view line) const {
    if (line.size() < 3 || line.front() != '"' || line.back() != '"') {
      u.name = line;
      return wrong(u, "a name in quotation marks is expected");
    }
    line = line.substr(1, line.size() - 2);
    if (line.starts_with("*/")) line.remove_prefix(2);
    u.name = without_extension(line);
    if (u.name.empty()) wrong(u, "the utterance has no name");
  }

  // begin end label: times of 100 ns, or frames already.
  void run(LabelledUtterance& u, std::string_view line) const {
    double begin, end;
    if (!take_number(line, begin) || !take_number(line, end))
      return wrong(u, "a line begins with two times, the begin and the end of its label");
    if (end - begin >= kTimesInFrame - 1) {
      begin = std::floor(begin / kTimesInFrame + 0.5);
      end = std::floor(end / kTimesInFrame + 0.5);
    }
    const int64_t first = static_cast<int64_t>(begin), frames = static_cast<int64_t>(end) - first;
    if (first != u.frames || frames < 1)
      return wrong(u, cat("labels follow one another without gaps: frame ", u.frames, " is next, and ", first,
                          " to ", static_cast<int64_t>(end), " come"));
    if (u.frames + frames > kMostFrames)
      return wrong(u, cat("an utterance of more than ", kMostFrames, " frames"));
    const std::string label(take_word(line));
    const auto found = numbers_.find(label);
    if (found == numbers_.end())
      return wrong(u, cat("the label ", label, " is not among the names of labels"));
    u.frames += frames;
    u.runs.push_back({found->second, frames});
  }

  const InputFile& file_;
  LineReader lines_;
  const LabelNumbers& numbers_;
};

}  // namespace

LabelNumbers read_label_names(const std::string& path, int64_t dim) {
  if (path.empty())
    throw value_error("no file says which labels there are")
        .remedy("name a file with the name of a label in each line");
  InputFile file(path);
  LineReader lines(file, 0, file.size());
  LabelNumbers numbers;
  std::string_view line;
  for (int32_t number = 0; lines.next(line); ++number) {
    line = trimmed_label(line);
    if (line.empty()) continue;  // a number without a name
    if (number >= dim) break;    // no label of the stream; a label file that has it is told
    if (!numbers.try_emplace(std::string(line), number).second)
      throw runtime_error(cat("the label ", line, " comes twice"))
          .line("file", cat(path, ", line ", lines.line()));
  }
  return numbers;
}

std::unique_ptr<LabelParser> text_labels(const InputFile& file, int64_t begin, int64_t end,
                                         const LabelNumbers& numbers) {
  return std::make_unique<TextLabels>(file, begin, end, numbers);
}

}  // namespace cantik
