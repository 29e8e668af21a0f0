// Files in CNTK's text format, written.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <cantik/error.h>
#include <cantik/io.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/ctf.h"
#include "io/written.h"

namespace cantik {
namespace {

// The shortest text that is read as the same number.
template <class T>
void append_text(std::string& line, T x) {
  char text[40];
  line.append(text, std::to_chars(text, text + sizeof text, x).ptr);
}

template <class T>
void append_number(std::string& line, T x) {
  if (!std::isfinite(x))
    throw runtime_error(cat("CNTK's text format has no number ", x)).remedy("write CNTK's binary format");
  append_text(line, x);
}

template <class T>
void append_row(std::string& line, const Tensor& rows, int64_t row) {
  if (!rows.is_sparse()) {
    const int64_t dim = rows.elements() / rows.shape()[0];
    for (const T *x = rows.data<T>() + row * dim, *end = x + dim; x != end; ++x) {
      line += ' ';
      append_number(line, *x);
    }
    return;
  }
  for (int64_t k = rows.starts()[row]; k < rows.starts()[row + 1]; ++k) {
    line += ' ';
    append_text(line, rows.columns()[k]);
    line += ':';
    append_number(line, rows.raw() ? rows.data<T>()[k] : T(1));
  }
}

std::string lines_of(const std::vector<Stream>& streams, const WrittenSequence& s) {
  std::vector<Tensor> rows;
  int64_t longest = 0;
  for (size_t i = 0; i < streams.size(); ++i) {
    rows.push_back(written_rows(streams[i], s.chunk[i], s.in_chunk));
    longest = std::max(longest, rows.back().shape()[0]);
  }
  std::string text;
  for (int64_t row = 0; row < longest; ++row) {
    append_text(text, s.key);
    for (size_t i = 0; i < streams.size(); ++i) {
      if (row >= rows[i].shape()[0]) continue;
      text += " |" + streams[i].name;
      if (streams[i].dtype == DType::float64)
        append_row<double>(text, rows[i], row);
      else
        append_row<float>(text, rows[i], row);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

void write_ctf(const std::string& path, std::vector<DeserializerPtr> data) {
  const DeserializerPtr all = data_to_write(std::move(data), "CNTK's text format");
  const std::vector<Stream>& streams = all->streams();
  for (const Stream& s : streams)
    if (s.name.empty() || s.name[0] == '#' || std::any_of(s.name.begin(), s.name.end(), ends_name))
      throw value_error(cat("the stream ", s.name, " cannot be written |", s.name, " in a text file"))
          .remedy("a field's name has no blank, | and control character, and does not begin with #");
  needed_for([&] { return "the file " + path; },
             [&] {
               FileWriter file(path);
               std::optional<uint64_t> last;
               each_sequence(*all, [&](const WrittenSequence& s) {
                 if (s.key == last)
                   throw runtime_error(cat("two sequences, one behind the other, have the number ", s.key));
                 last = s.key;
                 const std::string lines = lines_of(streams, s);
                 file.write(lines.data(), lines.size());
               });
               file.commit();
             });
}

}  // namespace cantik
