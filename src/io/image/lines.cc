#include "io/image/lines.h"

#include <algorithm>
#include <charconv>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

constexpr int64_t kBlock = 1 << 20;
constexpr int64_t kLongestLine = int64_t{1} << 30;

template <class T>
bool parsed(std::string_view text, T& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

void for_each_line(const InputFile& file, const std::function<void(std::string_view, int64_t, int64_t)>& f) {
  std::string text;  // from the beginning of a line on
  int64_t begin = 0, number = 0;
  for (int64_t read = 0; read < file.size();) {
    const size_t old = text.size();
    const int64_t n = std::min(kBlock, file.size() - read);
    text.resize(old + static_cast<size_t>(n));
    file.read(read, n, text.data() + old);
    read += n;
    size_t at = 0;
    for (size_t end = old;
         (end = text.find('\n', end)) != std::string::npos || (read == file.size() && at < text.size());) {
      end = std::min(end, text.size());
      std::string_view line = std::string_view(text).substr(at, end - at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      f(line, number++, begin + static_cast<int64_t>(at));
      at = end + 1;
      end = std::min(at, text.size());
    }
    at = std::min(at, text.size());
    begin += static_cast<int64_t>(at);
    text.erase(0, at);
    if (static_cast<int64_t>(text.size()) > kLongestLine)
      throw runtime_error(
          cat("line ", number, " of ", file.path(), " is longer than ", kLongestLine, " bytes"));
  }
}

ListLine::ListLine(std::string_view line, int64_t number, const std::string& file, size_t columns)
    : file_(file), number_(number) {
  for (size_t at = 0;;) {
    const size_t tab = line.find('\t', at);
    columns_.push_back(line.substr(at, tab - at));
    if (tab == std::string_view::npos) break;
    at = tab + 1;
  }
  has_key_ = columns_.size() > columns;
  if (columns_.size() < columns)
    throw runtime_error(cat("Invalid map file format, must contain ", columns, " or ", columns + 1,
                            " tab-delimited columns, line ", number, " in file ", file, "."))
        .line("expected", "[key TAB] and columns with a tab between them; lines count from 0");
}

uint64_t ListLine::key() const {
  uint64_t k = 0;
  if (!has_key_) return static_cast<uint64_t>(number_);
  if (!parsed(columns_[0], k))
    throw runtime_error(
        cat("Invalid numeric sequence id '", columns_[0], "', line ", number_, " in file ", file_, "."));
  return k;
}

int64_t ListLine::label(size_t i) const {
  int64_t n = 0;
  if (!parsed(column(i), n))
    throw runtime_error(
        cat("Cannot parse label value '", column(i), "' on line ", number_, ", in file ", file_, "."));
  return n;
}

}  // namespace cantik
