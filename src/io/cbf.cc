// Files in CNTK's binary format as a deserializer: the header, and the index of the sequences.
#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cantik/cbf.h>
#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/byte_reader.h"
#include "io/cbf.h"
#include "io/cbf_chunk.h"
#include "io/deserializer.h"
#include "io/opened.h"

namespace cantik {
namespace {

constexpr int64_t kWorkPerIndexedSequence = 5;

class Cbf final : public Deserializer {
 public:
  Cbf(const std::string& path, const CbfOptions& options) : file_(path) {
    read_header();
    rename(options);
    needed_for([&] { return "the index of " + path; },
               [&] {
                 for (int64_t c = 0; c < chunks(); ++c) index_chunk(c);
               });
    file_.expect_unchanged();
  }

  const std::vector<Stream>& streams() const override { return streams_; }
  const SequenceIndex* index() const override { return &index_; }
  int64_t chunks() const override { return static_cast<int64_t>(chunks_.size()); }
  bool may_read_ahead() const override { return true; }
  bool may_be_left() const override { return true; }
  std::string name() const override { return file_.path(); }

  Chunk load(int64_t number) override {
    may_end_now();
    const Place& place = chunks_[number];
    ByteReader bytes(file_, place.begin + 4 * place.sequences, place.end);
    Chunk chunk = read_cbf_chunk(bytes, streams_, listed_of(index_, number), file_.path());
    file_.expect_unchanged();
    return chunk;
  }

 private:
  struct Place {
    int64_t begin, end;  // in the file
    int64_t sequences;
  };

  [[noreturn]] void refuse(int64_t byte, const std::string& what) const {
    throw runtime_error(cat(file_.path(), " is not in CNTK's binary format: ", what))
        .line("file", cat(file_.path(), ", byte ", byte))
        .remedy("convert the text file anew, with write_cbf");
  }

  void read_header() {
    const int64_t size = file_.size();
    if (size < kCbfPrefix + kCbfHeader + kCbfSuffix) refuse(0, cat("it has ", size, " bytes"));
    ByteReader prefix(file_, 0, kCbfPrefix), suffix(file_, size - kCbfSuffix, size);
    if (prefix.number<uint64_t>() != kCbfMagic) refuse(0, "it does not begin as such a file");
    if (const uint32_t version = prefix.number<uint32_t>(); version != kCbfVersion)
      refuse(8, cat("it has version ", version, ", and there is version ", kCbfVersion));
    const int64_t header = suffix.number<int64_t>(), end = size - kCbfSuffix;
    if (header < kCbfPrefix || header > end - kCbfHeader)
      refuse(end, "its last number does not say where its header is");
    ByteReader bytes(file_, header, end);
    if (bytes.number<uint64_t>() != kCbfMagic) refuse(header, "its header does not begin as one");
    const int64_t chunks = bytes.number<uint32_t>(), streams = bytes.number<uint32_t>();
    if (streams < 1 || streams > bytes.left() / kCbfStream)
      refuse(header, cat("it has ", streams, " streams"));
    for (int64_t s = 0; s < streams; ++s) read_stream(bytes);
    if (chunks > bytes.left() / kCbfChunk || chunks > std::numeric_limits<int32_t>::max())
      refuse(bytes.position(), cat("it ends within the list of its ", chunks, " chunks"));
    chunks_.resize(static_cast<size_t>(chunks));
    for (Place& c : chunks_) {
      const int64_t at = bytes.position();
      c.begin = bytes.number<int64_t>();
      c.sequences = bytes.number<uint32_t>();
      bytes.skip(4);  // the samples, which are counted in the chunk
      const int64_t last = &c == chunks_.data() ? kCbfPrefix : (&c)[-1].begin;
      if (c.begin < last || c.begin > header)
        refuse(at, cat("chunk ", &c - chunks_.data(), " is said to begin at byte ", c.begin));
    }
    for (size_t c = 0; c < chunks_.size(); ++c)
      chunks_[c].end = c + 1 < chunks_.size() ? chunks_[c + 1].begin : header;
  }

  void read_stream(ByteReader& bytes) {
    const int64_t at = bytes.position();
    auto need = [&](int64_t n) {
      if (n > bytes.left()) refuse(at, cat("it ends within the description of stream ", streams_.size()));
    };
    need(kCbfStream);
    const uint8_t encoding = bytes.number<uint8_t>();
    const int64_t letters = bytes.number<uint32_t>();
    need(letters + kCbfStream - 5);
    std::string name(static_cast<size_t>(letters), 0);
    bytes.read(name.data(), letters);
    const uint8_t element = bytes.number<uint8_t>();
    const int64_t dim = bytes.number<uint32_t>();
    if (encoding > static_cast<uint8_t>(CbfEncoding::sparse))
      refuse(at, cat("the stream ", name, " has the encoding ", int{encoding}));
    if (element > static_cast<uint8_t>(CbfElement::float64))
      refuse(at, cat("the stream ", name, " has the element type ", int{element}));
    if (dim < 1 || dim > std::numeric_limits<int32_t>::max())
      refuse(at, cat("the stream ", name, " has samples of ", dim, " numbers"));
    streams_.push_back(
        {.name = std::move(name),
         .id = static_cast<int64_t>(streams_.size()),
         .storage = encoding == static_cast<uint8_t>(CbfEncoding::sparse) ? Storage::csr : Storage::dense,
         .dtype = element == static_cast<uint8_t>(CbfElement::float64) ? DType::float64 : DType::float32,
         .shape = {dim}});
  }

  void rename(const CbfOptions& options) {
    std::vector<std::string> names;
    for (const Stream& s : streams_) names.push_back(s.name);
    for (const CbfStream& given : options.streams) {
      const std::string& field = given.field.empty() ? given.name : given.field;
      const auto found = std::ranges::find(names, field);
      if (given.name.empty()) throw value_error(cat("a stream of ", file_.path(), " has no name"));
      if (found == names.end())
        throw runtime_error(cat("the stream ", given.name, " is not in ", file_.path()))
            .line("field", field)
            .line("streams", join(names, ", ", [](const std::string& s) { return s; }));
      streams_[found - names.begin()].name = given.name;
    }
    counted_stream(streams_);  // for names that come twice
  }

  // A sequence is as long as its longest stream, and takes at least so many bytes.
  void index_chunk(int64_t number) {
    may_end_now();
    Place& c = chunks_[number];
    const int64_t least = 4 * (1 + static_cast<int64_t>(streams_.size()));  // its counts
    if (c.sequences > (c.end - c.begin) / least || c.sequences > std::numeric_limits<int32_t>::max())
      refuse(c.begin,
             cat("chunk ", number, " has ", c.end - c.begin, " bytes for ", c.sequences, " sequences"));
    int64_t left = (c.end - c.begin) / 4;  // a sample takes at least four bytes
    ByteReader lengths(file_, c.begin, c.begin + 4 * c.sequences);
    for (int32_t i = 0; i < c.sequences; ++i) {
      may_end(kWorkPerIndexedSequence);
      const int64_t samples = lengths.number<uint32_t>();
      if (samples < 1 || samples > left)
        refuse(lengths.position() - 4,
               cat("sequence ", i, " of chunk ", number, " has ", samples, " samples"));
      left -= samples;
      index_.push_back({index_.size(), samples, static_cast<int32_t>(number), i});
    }
  }

  InputFile file_;
  std::vector<Stream> streams_;
  std::vector<Place> chunks_;
  SequenceIndex index_;
};

}  // namespace

DeserializerPtr cbf(const std::string& path, const CbfOptions& options) {
  return opened([=] { return std::make_shared<Cbf>(path, options); });
}

}  // namespace cantik
