#include "io/image/lines.h"

#include <charconv>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

template <class T>
bool parsed(std::string_view text, T& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

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
