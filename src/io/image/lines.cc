#include "io/image/lines.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";

// The whole number at the beginning of a text, as C's strtoull reads one: behind blanks and a sign, and in
// front of anything; a negative one counts from 2^64 down. None where there is no digit, or are too many.
std::optional<uint64_t> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  uint64_t n = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), n).ec != std::errc()) return std::nullopt;
  return negative ? 0 - n : n;
}

}  // namespace

ListLine::ListLine(std::string_view line, int64_t number, const std::string& file, size_t columns)
    : file_(file), number_(number) {
  while (!line.empty()) {  // nothing behind the last tab is no column
    const size_t end = std::min(line.find('\t'), line.size());
    columns_.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  has_key_ = columns_.size() > columns;
  if (columns_.size() < columns)
    throw runtime_error(cat("Invalid map file format, must contain ", columns, " or ", columns + 1,
                            " tab-delimited columns, line ", number, " in file ", file, "."))
        .line("expected", "[key TAB] and columns with a tab between them; lines count from 0");
}

uint64_t ListLine::key() const {
  if (!has_key_) return static_cast<uint64_t>(number_);
  if (const std::optional<uint64_t> k = leading_number(columns_[0])) return *k;
  throw runtime_error(
      cat("Invalid numeric sequence id '", columns_[0], "', line ", number_, " in file ", file_, "."));
}

int64_t ListLine::label(size_t i) const {
  if (const std::optional<uint64_t> n = leading_number(column(i))) return static_cast<int64_t>(*n);
  throw runtime_error(
      cat("Cannot parse label value '", column(i), "' on line ", number_, ", in file ", file_, "."));
}

}  // namespace cantik
