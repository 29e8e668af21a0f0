// Files in CNTK's text format as a deserializer.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <cantik/error.h>

#include "base/memory.h"
#include "base/text.h"
#include "io/ctf.h"
#include "io/ctf_index_file.h"
#include "io/opened.h"

namespace cantik {
namespace {

class Ctf final : public Deserializer {
 public:
  Ctf(const std::string& path, std::vector<CtfStream> fields, const CtfOptions& options)
      : fields_(checked(path, std::move(fields), options)),
        file_(path, InputFile::Form::maybe_packed),
        problems_(file_, options.max_errors) {
    for (const CtfStream& f : fields_)
      streams_.push_back({f.name,
                          static_cast<int64_t>(streams_.size()),
                          f.sparse ? Storage::csr : Storage::dense,
                          DType::float32,
                          {f.dim},
                          f.defines_size});
    if (int64_t s = counted_stream(streams_); s >= 0) counted_ = &fields_[s];
    index_ = needed_for([&] { return "the index of " + path; }, [&] { return index(options); });
  }

  const std::vector<Stream>& streams() const override { return streams_; }
  const SequenceIndex* index() const override { return &index_.sequences(); }
  int64_t chunks() const override { return index_.sequences().chunks(); }
  bool may_read_ahead() const override { return true; }
  bool may_be_left() const override { return true; }
  std::string name() const override { return file_.path(); }
  std::vector<std::string> take_warnings() override {
    std::vector<std::string> told;
    problems_.take_warnings(told);
    return told;
  }

  Chunk load(int64_t number) override {
    std::vector<CtfRows> rows;
    CtfParser parser(fields_, {.are_numbered = index_.is_numbered, .are_counted = counted_ != nullptr},
                     problems_, rows);
    for (size_t s = 0; s < last_.size(); ++s) rows[s].reserve(last_[s]);
    const std::span<const CtfIndex::Text> texts = index_.texts_of(number);
    int64_t bytes = 0, parsed = 0;
    for (const CtfIndex::Text& t : texts) bytes += t.end - t.begin;
    for (const CtfIndex::Text& t : texts) {
      CtfText text(file_, t.begin, t.end);
      parser.begin(index_.sequences().key(static_cast<size_t>(t.sequence)));
      for (std::string_view piece = text.next(); !piece.empty(); piece = text.next()) {
        parser.lines(piece, text.offset());
        parsed += static_cast<int64_t>(piece.size());
        if (!last_.empty()) continue;
        last_ = sizes_of(rows, static_cast<double>(bytes) / static_cast<double>(parsed));
        for (size_t s = 0; s < last_.size(); ++s) rows[s].reserve(last_[s]);
      }
    }
    parser.finish();
    last_ = sizes_of(rows, 1);
    if (parser.sequences() != static_cast<int64_t>(index_.sequences().of_chunk(number).size()))
      throw runtime_error(cat("the input file ", file_.path(), " has other sequences than its index"))
          .line("file", cat(file_.path(), ", byte ", texts[0].begin))
          .remedy("remove the file of its index");
    return chunk_of(fields_, std::move(rows));
  }

 private:
  // Of so many times as much as has been read.
  static std::vector<CtfRows::Sizes> sizes_of(const std::vector<CtfRows>& rows, double times) {
    auto many = [times](int64_t n) { return static_cast<int64_t>(static_cast<double>(n) * times); };
    std::vector<CtfRows::Sizes> all;
    for (const CtfRows& r : rows) {
      const CtfRows::Sizes z = r.sizes();
      all.push_back({many(z.offsets), many(z.starts), many(z.columns), many(z.values)});
    }
    return all;
  }

  // From the file beside the text, or made and kept there, if that is wanted.
  CtfIndex index(const CtfOptions& options) {
    if (!options.cache_index) return index_ctf(file_, options, counted_, problems_);
    const CtfIndexKey key(file_.path(), options, counted_);
    if (std::optional<CtfIndex> kept = read_ctf_index(key, file_)) return *std::move(kept);
    CtfIndex made = index_ctf(file_, options, counted_, problems_);
    try {
      write_ctf_index(key, file_, made);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::runtime) throw;
      problems_.note(cat("the index of ", file_.path(), " is not kept in ", key.path, ": ", e.what()));
    }
    return made;
  }

  static std::vector<CtfStream> checked(const std::string& path, std::vector<CtfStream> fields,
                                        const CtfOptions& options) {
    if (fields.empty())
      throw runtime_error(cat("no stream is to be read from ", path))
          .remedy("name at least one stream, with its field and its shape");
    if (options.chunk_bytes < 1)
      throw value_error(cat("chunk_bytes must be at least 1, and is ", options.chunk_bytes));
    if (options.max_errors < 0)
      throw value_error(cat("max_errors must be at least 0, and is ", options.max_errors));
    for (size_t i = 0; i < fields.size(); ++i) {
      CtfStream& f = fields[i];
      if (f.field.empty()) f.field = f.name;
      if (f.name.empty()) throw value_error(cat("a stream of ", path, " has no name"));
      if (f.field[0] == '#' || std::any_of(f.field.begin(), f.field.end(), ends_name))
        throw value_error(
            cat("the stream ", f.name, " has the field name '", f.field, "', which a text file cannot hold"))
            .remedy("give a field name without blanks, | and control characters that does not begin with #");
      if (f.dim < 1 || f.dim > std::numeric_limits<int32_t>::max())
        throw runtime_error(cat("Sample dimension (", f.dim, ") for ", f.sparse ? "sparse" : "dense",
                                " input '", f.name,
                                "' is not from 1 to the maximum allowed value (2147483647)."));
      for (size_t j = 0; j < i; ++j)
        if (fields[j].field == f.field)
          throw runtime_error(cat("Alias ", f.field, " is already mapped to input ", fields[j].name, "."));
    }
    return fields;
  }

  std::vector<CtfStream> fields_;
  const CtfStream* counted_ = nullptr;
  std::vector<Stream> streams_;
  InputFile file_;
  CtfProblems problems_;
  CtfIndex index_;
  // Of the streams in the chunk that was read last: the next ones are like it. In the first one, as its first
  // sequences suggest: memory that grows step by step leaves blocks behind that nobody needs.
  std::vector<CtfRows::Sizes> last_;
};

}  // namespace

DeserializerPtr ctf(const std::string& path, std::vector<CtfStream> streams, const CtfOptions& options) {
  return opened([=] { return std::make_shared<Ctf>(path, streams, options); });
}

}  // namespace cantik
