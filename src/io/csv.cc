// Texts with columns as a deserializer: where chunks of rows begin, and what is in the fields.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/table.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/class_rows.h"
#include "io/csv_rows.h"
#include "io/deserializer.h"
#include "io/input_file.h"
#include "io/left_out.h"
#include "io/opened.h"
#include "io/row_index.h"

namespace cantik {
namespace {

constexpr int64_t kBlock = 1 << 20;  // of text, looked at a time for the borders of rows
constexpr int64_t kMostRow = 256 << 20;
constexpr int64_t kWorkPerCharacter = 4;
constexpr std::string_view kMark = "\xef\xbb\xbf";  // UTF-8's, at the beginning of a file

struct TextPart {  // of the text: a chunk
  int64_t begin, end;
  int64_t first, rows;
};

std::string_view trimmed(std::string_view s) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

// A field as a number. False where it is none.
template <class T>
bool number_in_field(std::string_view field, T& x) {
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  const auto [p, ec] = std::from_chars(field.data(), field.data() + field.size(), x);
  return ec == std::errc() && p == field.data() + field.size();
}

class Csv final : public Deserializer {
 public:
  Csv(const std::string& path, std::vector<CsvStream> given, const CsvOptions& options)
      : given_(std::move(given)),
        options_(options),
        file_(path, InputFile::Form::maybe_packed),
        left_out_(options.max_errors) {
    if (given_.empty())
      throw value_error(cat("no stream is to be read from ", path)).remedy("name at least one");
    if (options.chunk_bytes < 1)
      throw value_error(cat("chunk_bytes must be at least 1, and is ", options.chunk_bytes));
    if (options.separator == '"' || options.separator == '\n')
      throw value_error("quotes and ends of lines cannot separate columns");
    find_rows();
    find_columns();
    for (size_t s = 0; s < given_.size(); ++s) streams_.push_back(stream(given_[s]));
    counted_stream(streams_);  // for names that come twice
  }

  const std::vector<Stream>& streams() const override { return streams_; }
  const SequenceIndex* index() const override { return &index_; }
  int64_t chunks() const override { return static_cast<int64_t>(parts_.size()); }
  bool is_concurrent() const override { return true; }
  bool may_be_left() const override { return true; }
  bool may_leave_out() const override { return left_out_.is_allowed(); }
  std::vector<std::string> take_warnings() override {
    std::vector<std::string> told;
    left_out_.take_warnings(told);
    return told;
  }
  std::string name() const override { return file_.path(); }

  Chunk load(int64_t number) override {
    const TextPart& part = parts_[number];
    const MemoryBlock block = allocate_block(static_cast<size_t>(part.end - part.begin));
    const char* text = static_cast<char*>(block.get());
    file_.read(part.begin, part.end - part.begin, static_cast<char*>(block.get()));
    file_.expect_unchanged();
    std::vector<Rows> rows;
    for (size_t s = 0; s < streams_.size(); ++s) rows.emplace_back(given_[s], streams_[s], part.rows);
    std::string scratch;
    int64_t row = 0, kept = 0;
    std::vector<int64_t> lengths(static_cast<size_t>(part.rows), 1);
    for (const char *p = text, *end = text + (part.end - part.begin); p < end;) {
      const char* stop = end_of_csv_row(p, end);
      if (!stop) stop = end;
      const std::string_view line = without_return({p, static_cast<size_t>(stop - p)});
      p = stop + 1;
      if (line.empty()) continue;
      may_end(kWorkPerCharacter * static_cast<int64_t>(line.size()));
      if (row == part.rows) file_.refuse("it has changed since it was opened");
      try {
        read_row(line, part.first + row, kept, rows, scratch);
        ++kept;
      } catch (const Error& e) {
        left_out_.add(part.first + row, cat("row ", part.first + row + 1, " of ", file_.path()), e);
        lengths[row] = 0;
      }
      ++row;
    }
    if (row != part.rows) file_.refuse("it has changed since it was opened");
    const auto layout = kept == row ? Layout::batch(row) : Layout::of_lengths(lengths);
    Chunk chunk;
    for (const Rows& r : rows) chunk.emplace_back(r.tensor(kept), layout);
    return chunk;
  }

 private:
  // The rows of a stream while they are read.
  struct Rows {
    Rows(const CsvStream& given, const Stream& stream, int64_t count) : shape(Shape{count} + stream.shape) {
      if (stream.storage == Storage::csr)
        classes.emplace(count, stream.shape[0]);
      else
        numbers = allocate(bytes_of(shape.elements(), sizeof(float)));
      width = std::max<int64_t>(1, static_cast<int64_t>(given.columns.size()));
    }
    // The first rows, which have been read.
    Tensor tensor(int64_t count) const {
      return classes ? classes->tensor(count)
                     : Tensor::borrow(DType::float32, shape, numbers.get(), numbers, true).rows(0, count);
    }
    Shape shape;
    std::shared_ptr<void> numbers;
    std::optional<ClassRows> classes;
    int64_t width;
  };
  // Where a column goes.
  struct Place {
    size_t stream;
    int64_t at;  // in the stream's row
  };

  // The header and the borders of the chunks, in one pass.
  void find_rows() {
    std::vector<char> block(static_cast<size_t>(kBlock));
    int64_t base = 0, filled = 0, rows = 0;
    bool is_header = options_.header, is_first = true;
    std::vector<int64_t> counts;
    auto row_at = [&](int64_t begin, int64_t end, std::string_view line) {
      if (is_first && line.starts_with(kMark)) line.remove_prefix(kMark.size());
      is_first = false;
      line = without_return(line);
      if (line.empty()) return;
      if (is_header || column_count_ == 0) {
        std::string scratch;
        column_count_ =
            each_csv_field(line, options_.separator, scratch, [&](int64_t i, std::string_view field) {
              names_.push_back(is_header ? std::string(trimmed(field)) : std::to_string(i));
            });
        if (std::exchange(is_header, false)) return;
        if (begin == 0 && file_begins_with_mark()) begin = static_cast<int64_t>(kMark.size());
      }
      if (parts_.empty() || end - parts_.back().begin > options_.chunk_bytes ||
          parts_.back().rows == std::numeric_limits<int32_t>::max())
        parts_.push_back({begin, end, rows, 0});
      parts_.back().end = end;
      ++parts_.back().rows;
      ++rows;
    };
    for (;;) {
      const int64_t n = std::min(static_cast<int64_t>(block.size()) - filled, file_.size() - base - filled);
      file_.read(base + filled, n, block.data() + filled);
      may_end(n);
      filled += n;
      const bool is_end = base + filled == file_.size();
      const char *p = block.data(), *end = p + filled;
      while (p < end) {
        const char* stop = end_of_csv_row(p, end);
        if (!stop && !is_end) break;
        if (!stop) stop = end;
        const int64_t at = base + (p - block.data()),
                      behind = std::min(base + (stop - block.data()) + 1, file_.size());
        row_at(at, behind, {p, static_cast<size_t>(stop - p)});
        p = stop + 1;
      }
      if (is_end) break;
      const int64_t left = end - p;
      std::memmove(block.data(), p, static_cast<size_t>(left));
      base += filled - left;
      filled = left;
      if (filled == static_cast<int64_t>(block.size())) {
        if (filled >= kMostRow)
          throw runtime_error(cat("a row of ", file_.path(), " has more than ", kMostRow, " bytes"))
              .line("file", cat(file_.path(), ", byte ", base))
              .remedy("a quote that is not closed makes everything behind it one row");
        block.resize(2 * block.size());
      }
    }
    file_.expect_unchanged();
    if (rows == 0) throw runtime_error(cat("the input file ", file_.path(), " has no rows"));
    if (parts_.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
      throw value_error(cat(file_.path(), " has more chunks than can be counted"))
          .remedy("give larger chunk_bytes");
    for (const TextPart& p : parts_) counts.push_back(p.rows);
    index_ =
        needed_for([&] { return "the index of " + file_.path(); }, [&] { return index_of_rows(counts); });
  }

  bool file_begins_with_mark() const {
    char begin[kMark.size()] = {};
    file_.read(0, std::min<int64_t>(kMark.size(), file_.size()), begin);
    return std::string_view(begin, kMark.size()) == kMark;
  }

  void find_columns() {
    places_.resize(static_cast<size_t>(column_count_));
    for (size_t i = 0; i < names_.size(); ++i) numbers_.try_emplace(names_[i], i);
    for (size_t s = 0; s < given_.size(); ++s) {
      CsvStream& stream = given_[s];
      if (stream.name.empty()) throw value_error(cat("a stream of ", file_.path(), " has no name"));
      if (stream.columns.empty()) stream.columns = {stream.name};
      for (size_t i = 0; i < stream.columns.size(); ++i)
        places_[column(stream, stream.columns[i])].push_back({s, static_cast<int64_t>(i)});
      words_.emplace_back();
      for (size_t k = 0; k < stream.labels.size(); ++k)
        if (!words_[s].emplace(stream.labels[k], static_cast<int32_t>(k)).second)
          throw value_error(
              cat("the label ", stream.labels[k], " of the stream ", stream.name, " comes twice"));
    }
  }
  size_t column(const CsvStream& stream, const std::string& name) const {
    const auto found = numbers_.find(name);
    if (found == numbers_.end())
      throw runtime_error(
          cat("the stream ", stream.name, " is to have the column ", name, ", which is not there"))
          .line("file", file_.path())
          .line("columns", join(names_, ", ", [](const std::string& n) { return n; }));
    return found->second;
  }

  Stream stream(const CsvStream& s) const {
    const int64_t classes = s.labels.empty() ? s.classes : static_cast<int64_t>(s.labels.size());
    if (!s.labels.empty() && s.classes != 0 && s.classes != classes)
      throw value_error(cat("the stream ", s.name, " has ", classes, " labels for ", s.classes, " classes"));
    if (classes < 0 || classes > std::numeric_limits<int32_t>::max())
      throw value_error(cat(classes, " classes, in the stream ", s.name));
    if (classes == 0) return {.name = s.name, .shape = {static_cast<int64_t>(s.columns.size())}};
    if (s.columns.size() != 1)
      throw value_error(
          cat("the stream ", s.name, " has classes in ", s.columns.size(), " columns, not in one"));
    return {.name = s.name, .storage = Storage::csr, .shape = {classes}};
  }

  [[noreturn]] void refuse(int64_t row, int64_t column, const std::string& what) const {
    throw runtime_error(cat("a row of ", file_.path(), " cannot be read: ", what))
        .line("file", cat(file_.path(), ", row ", row + 1, options_.header ? " behind the header" : ""))
        .line("column", column >= 0 ? names_[column] : "");
  }

  // row: of the file; at: in the chunk.
  void read_row(std::string_view line, int64_t row, int64_t at, std::vector<Rows>& rows,
                std::string& scratch) {
    const int64_t count =
        each_csv_field(line, options_.separator, scratch, [&](int64_t i, std::string_view field) {
          if (i < column_count_)
            for (const Place& place : places_[i])
              read_field(trimmed(field), row, i, place, at, rows[place.stream]);
        });
    if (count != column_count_)
      refuse(row, -1, cat("it has ", count, " fields for ", column_count_, " columns"));
  }

  void read_field(std::string_view field, int64_t row, int64_t column, const Place& place, int64_t at,
                  Rows& rows) {
    if (rows.classes) {
      rows.classes->columns()[at] = class_of(field, row, column, place.stream, rows.classes->classes());
      return;
    }
    float& x = static_cast<float*>(rows.numbers.get())[at * rows.width + place.at];
    if (field.empty() && options_.missing) {
      x = *options_.missing;
    } else if (!number_in_field(field, x)) {
      double wide;  // a number that no float32 comes near
      if (!number_in_field(field, wide))
        refuse(row, column,
               field.empty() ? "a number is missing" : cat("'", field.substr(0, 40), "' is no number"));
      x = static_cast<float>(wide);
    }
  }

  int32_t class_of(std::string_view field, int64_t row, int64_t column, size_t stream, int64_t classes) {
    const auto& words = words_[stream];
    if (!words.empty()) {
      const auto found = words.find(std::string(field));
      if (found == words.end()) refuse(row, column, cat("'", field.substr(0, 40), "' is none of the labels"));
      return found->second;
    }
    double number = 0;
    if (!number_in_field(field, number) || !(number >= 0 && number < static_cast<double>(classes)) ||
        number != static_cast<double>(static_cast<int64_t>(number)))
      refuse(row, column, cat("'", field.substr(0, 40), "' is no class from 0 to ", classes - 1));
    return static_cast<int32_t>(number);
  }

  std::vector<CsvStream> given_;
  CsvOptions options_;
  InputFile file_;
  std::vector<std::string> names_;  // of the columns
  std::unordered_map<std::string, size_t> numbers_;
  int64_t column_count_ = 0;
  std::vector<std::vector<Place>> places_;                       // of each column
  std::vector<std::unordered_map<std::string, int32_t>> words_;  // of each stream
  std::vector<Stream> streams_;
  std::vector<TextPart> parts_;
  SequenceIndex index_;
  LeftOut left_out_;
};

}  // namespace

DeserializerPtr csv(const std::string& path, std::vector<CsvStream> streams, const CsvOptions& options) {
  return opened([=] { return std::make_shared<Csv>(path, streams, options); });
}

}  // namespace cantik
