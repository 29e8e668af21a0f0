#include <algorithm>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/ctf.h"

namespace cantik {

// Line and column are counted only here, where somebody is to read them.
std::string CtfProblems::where(int64_t offset) const {
  int64_t line = 1, line_begin = 0;
  std::vector<char> block(static_cast<size_t>(std::min<int64_t>(file_.size(), 1 << 20)));
  int64_t end = std::min(offset, file_.size());
  for (int64_t at = 0; at < end; at += static_cast<int64_t>(block.size())) {
    int64_t n = std::min<int64_t>(end - at, static_cast<int64_t>(block.size()));
    file_.read(at, n, block.data());
    may_end(n);
    for (int64_t i = 0; i < n; ++i)
      if (block[i] == '\n') ++line, line_begin = at + i + 1;
  }
  return cat(file_.path(), ", line ", line, ", column ", offset - line_begin + 1);
}

void CtfProblems::fatal(const Place& at, const std::string& what, const std::string& remedy) {
  throw runtime_error(cat(file_.path(), " is not in CNTK's text format: ", what))
      .line("file", where(at.offset))
      .line("stream", at.stream ? cat(at.stream->name, ", written |", at.stream->field) : "")
      .line("sequence", at.key ? std::to_string(*at.key) : "")
      .remedy(remedy);
}

void CtfProblems::error(const Place& at, const std::string& what, const std::string& remedy) {
  if (errors_.contains(at.offset)) return;
  if (static_cast<int64_t>(errors_.size()) >= most_) {
    if (most_ > 0) fatal(at, cat(what, "; ", most_, " errors before this one have been passed over"), remedy);
    fatal(at, what, remedy);
  }
  errors_.insert(at.offset);
  warnings_.push_back(
      cat(where(at.offset), ": ", what, "; it is left out (", errors_.size(), " of at most ", most_, ")"));
}

void CtfProblems::warn(int kind, const Place& at, const std::string& what) {
  if (warned_.insert(kind).second)
    warnings_.push_back(
        cat(where(at.offset), at.stream ? cat(", stream ", at.stream->name) : "", ": ", what));
}

void CtfProblems::take_warnings(std::vector<std::string>& into) {
  into.insert(into.end(), std::make_move_iterator(warnings_.begin()),
              std::make_move_iterator(warnings_.end()));
  warnings_.clear();
}

}  // namespace cantik
