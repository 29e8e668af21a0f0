// Rows of a text with columns (RFC 4180).
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace cantik {

// The end of the row that begins here: its '\n', the first one outside of quotes. Null where there is none.
inline const char* end_of_csv_row(const char* begin, const char* end) {
  const auto find = [end](const char* from, char c) {
    return static_cast<const char*>(std::memchr(from, c, static_cast<size_t>(end - from)));
  };
  for (const char* p = begin;;) {
    const char* line = find(p, '\n');
    const char* quote =
        line ? static_cast<const char*>(std::memchr(p, '"', static_cast<size_t>(line - p))) : find(p, '"');
    if (!quote) return line;
    const char* closed = find(quote + 1, '"');  // "" is the end of one and the begin of the next
    if (!closed) return nullptr;
    p = closed + 1;
  }
}

// Without what ends the line.
inline std::string_view without_return(std::string_view row) {
  if (!row.empty() && row.back() == '\r') row.remove_suffix(1);
  return row;
}

// Calls use(number, field) for the fields of a row, from 0 on; quotes around a field are taken off, those in
// it are undone. Returns how many there are.
template <class F>
int64_t each_csv_field(std::string_view row, char separator, std::string& scratch, F&& use) {
  int64_t count = 0;
  for (size_t at = 0;; ++count) {
    if (at < row.size() && row[at] == '"') {
      scratch.clear();
      for (++at; at < row.size(); ++at) {
        if (row[at] == '"' && (at + 1 == row.size() || row[at + 1] != '"')) break;
        at += row[at] == '"';
        scratch += row[at];
      }
      const size_t end = row.find(separator, at);
      use(count, std::string_view(scratch));
      at = end;
    } else {
      const size_t end = row.find(separator, at);
      use(count, row.substr(at, end == row.npos ? end : end - at));
      at = end;
    }
    if (at == row.npos) return count + 1;
    ++at;
  }
}

}  // namespace cantik
