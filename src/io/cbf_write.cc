// Files in CNTK's binary format, written.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/cbf.h>
#include <cantik/error.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/cbf.h"
#include "io/written.h"

namespace cantik {
namespace {

template <class T>
void append_bytes(std::string& bytes, T x) {
  bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
}

class CbfWriter {
 public:
  CbfWriter(const std::string& path, const std::vector<Stream>& streams, int64_t chunk_bytes)
      : file_(path), streams_(streams), chunk_bytes_(chunk_bytes), bodies_(streams.size()) {
    std::string prefix;
    append_bytes(prefix, kCbfMagic);
    append_bytes(prefix, kCbfVersion);
    put(prefix);
  }

  void sequence(const WrittenSequence& s) {
    int64_t longest = 0;
    for (size_t i = 0; i < streams_.size(); ++i) {
      const Tensor rows = written_rows(streams_[i], s.chunk[i], s.in_chunk);
      const int64_t n = rows.shape()[0];
      if (n > std::numeric_limits<uint32_t>::max())
        throw runtime_error(
            cat("sequence ", s.key, " is too long for CNTK's binary format: ", n, " samples"));
      const size_t before = bodies_[i].size();
      append_bytes(bodies_[i], static_cast<uint32_t>(n));
      if (streams_[i].storage == Storage::dense)
        bodies_[i].append(static_cast<const char*>(rows.raw()), rows.bytes());
      else
        sparse(bodies_[i], rows);
      bytes_ += static_cast<int64_t>(bodies_[i].size() - before);
      longest = std::max(longest, n);
    }
    lengths_.push_back(static_cast<uint32_t>(longest));
    samples_ += longest;
    if (bytes_ >= chunk_bytes_) end_chunk();
  }

  void finish() {
    if (!lengths_.empty()) end_chunk();
    const int64_t header = at_;
    std::string bytes;
    append_bytes(bytes, kCbfMagic);
    append_bytes(bytes, static_cast<uint32_t>(chunks_));
    append_bytes(bytes, static_cast<uint32_t>(streams_.size()));
    for (const Stream& s : streams_) {
      append_bytes(bytes, s.storage == Storage::dense ? CbfEncoding::dense : CbfEncoding::sparse);
      append_bytes(bytes, static_cast<uint32_t>(s.name.size()));
      bytes += s.name;
      append_bytes(bytes, s.dtype == DType::float64 ? CbfElement::float64 : CbfElement::float32);
      append_bytes(bytes, static_cast<uint32_t>(s.shape.elements()));
    }
    bytes += table_;
    append_bytes(bytes, header);
    put(bytes);
    file_.commit();
  }

 private:
  void put(std::string_view bytes) {
    file_.write(bytes.data(), bytes.size());
    at_ += static_cast<int64_t>(bytes.size());
  }

  static void sparse(std::string& body, const Tensor& rows) {
    const int64_t n = rows.shape()[0], first = rows.starts()[0], entries = rows.starts()[n] - first;
    if (entries > std::numeric_limits<int32_t>::max())
      throw runtime_error(cat("a sequence has ", entries, " numbers, too many for CNTK's binary format"));
    append_bytes(body, static_cast<int32_t>(entries));
    const size_t element = size_of(rows.dtype()), count = static_cast<size_t>(entries);
    if (rows.raw()) {
      body.append(static_cast<const char*>(rows.raw()) + static_cast<size_t>(first) * element,
                  count * element);
    } else {
      const Tensor ones = Tensor::full(rows.dtype(), {entries}, 1);
      body.append(static_cast<const char*>(ones.raw()), ones.bytes());
    }
    body.append(reinterpret_cast<const char*>(rows.columns() + first), count * sizeof(int32_t));
    for (int64_t i = 0; i < n; ++i)
      append_bytes(body, static_cast<int32_t>(rows.starts()[i + 1] - rows.starts()[i]));
  }

  void end_chunk() {
    append_bytes(table_, at_);
    append_bytes(table_, static_cast<uint32_t>(lengths_.size()));
    append_bytes(table_,
                 static_cast<uint32_t>(std::min<int64_t>(samples_, std::numeric_limits<uint32_t>::max())));
    ++chunks_;
    put({reinterpret_cast<const char*>(lengths_.data()), lengths_.size() * sizeof(uint32_t)});
    for (std::string& body : bodies_) {
      put(body);
      body.clear();
    }
    lengths_.clear();
    bytes_ = samples_ = 0;
  }

  FileWriter file_;
  const std::vector<Stream>& streams_;
  int64_t chunk_bytes_;
  int64_t at_ = 0;  // in the file
  // Of the chunk:
  std::vector<std::string> bodies_;  // of each stream
  std::vector<uint32_t> lengths_;
  int64_t bytes_ = 0, samples_ = 0;
  // Of the chunks before it:
  std::string table_;
  int64_t chunks_ = 0;
};

}  // namespace

void write_cbf(const std::string& path, std::vector<DeserializerPtr> data, const CbfWriteOptions& options) {
  if (options.chunk_bytes < 1) throw value_error("a chunk of less than one byte");
  const DeserializerPtr all = data_to_write(std::move(data), "CNTK's binary format");
  needed_for([&] { return "the file " + path; },
             [&] {
               CbfWriter writer(path, all->streams(), options.chunk_bytes);
               each_sequence(*all, [&](const WrittenSequence& s) { writer.sequence(s); });
               writer.finish();
             });
}

}  // namespace cantik
