// Arrays in NumPy's files as a deserializer.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>
#include <cantik/table.h>

#include "base/memory.h"
#include "base/text.h"
#include "io/archive.h"
#include "io/class_rows.h"
#include "io/deserializer.h"
#include "io/npy_array.h"
#include "io/opened.h"
#include "io/row_index.h"

namespace cantik {
namespace {

class Arrays final : public Deserializer {
 public:
  Arrays(std::vector<NpyStream> given, const NpyOptions& options) : given_(std::move(given)) {
    if (given_.empty())
      throw value_error("no array is given").remedy("name at least one stream, with its file");
    if (options.chunk_bytes < 1)
      throw value_error(cat("chunk_bytes must be at least 1, and is ", options.chunk_bytes));
    int64_t bytes = 0;  // of a row of all arrays
    for (const NpyStream& s : given_) {
      if (s.name.empty()) throw value_error(cat("the stream of ", s.path, " has no name"));
      arrays_.push_back(std::make_unique<NpyArray>(s.path));
      add_stream(s, *arrays_.back());
      bytes += arrays_.back()->row_bytes();
    }
    counted_stream(streams_);  // for names that come twice
    for (const auto& a : arrays_)
      if (a->rows() != arrays_[0]->rows())
        throw value_error(cat("the arrays have different numbers of samples: ", arrays_[0]->path(), " has ",
                              arrays_[0]->rows(), ", ", a->path(), " has ", a->rows()));
    const int64_t rows = arrays_[0]->rows();
    if (rows == 0) throw runtime_error(cat(arrays_[0]->path(), " has no samples"));
    chunk_ = std::clamp<int64_t>(options.chunk_bytes / bytes, 1, std::numeric_limits<int32_t>::max());
    if ((rows - 1) / chunk_ >= std::numeric_limits<int32_t>::max())
      throw value_error(cat(rows, " samples in chunks of ", chunk_)).remedy("give larger chunk_bytes");
    std::vector<int64_t> counts;
    for (int64_t i = 0; i < rows; i += chunk_) counts.push_back(std::min(chunk_, rows - i));
    index_ = needed_for([&] { return "the index of " + name(); }, [&] { return index_of_rows(counts); });
    chunks_ = static_cast<int64_t>(counts.size());
  }

  const std::vector<Stream>& streams() const override { return streams_; }
  const SequenceIndex* index() const override { return &index_; }
  int64_t chunks() const override { return chunks_; }
  bool is_concurrent() const override { return true; }
  bool may_be_left() const override { return true; }
  std::string name() const override {
    return join(arrays_, ", ", [](const std::unique_ptr<NpyArray>& a) { return a->path(); });
  }

  Chunk load(int64_t number) override {
    const int64_t first = number * chunk_, n = std::min(chunk_, arrays_[0]->rows() - first);
    const auto layout = Layout::batch(n);
    Chunk chunk;
    for (size_t s = 0; s < streams_.size(); ++s) {
      const NpyArray& a = *arrays_[s];
      if (given_[s].classes > 0) {
        ClassRows rows(n, given_[s].classes);
        a.read_classes(first, n, given_[s].classes, rows.columns());
        chunk.emplace_back(rows.tensor(n), layout);
        continue;
      }
      const Shape shape = Shape{n} + a.shape();
      const std::shared_ptr<void> block = allocate(bytes_of(shape.elements(), size_of(a.dtype())));
      a.read(first, n, block.get());
      chunk.emplace_back(Tensor::borrow(a.dtype(), shape, block.get(), block, true), layout);
    }
    return chunk;
  }

 private:
  void add_stream(const NpyStream& given, const NpyArray& array) {
    if (given.classes < 0 || given.classes > std::numeric_limits<int32_t>::max())
      throw value_error(cat(given.classes, " classes, in the stream ", given.name));
    if (given.classes == 0) {
      streams_.push_back({.name = given.name, .dtype = array.dtype(), .shape = array.shape()});
      return;
    }
    if (!array.is_whole() || array.shape().elements() != 1)
      throw value_error(cat("the stream ", given.name, " of ", array.path(),
                            " has no classes: they are a whole number for each sample"));
    streams_.push_back({.name = given.name, .storage = Storage::csr, .shape = {given.classes}});
  }

  std::vector<NpyStream> given_;
  std::vector<std::unique_ptr<NpyArray>> arrays_;
  std::vector<Stream> streams_;
  SequenceIndex index_;
  int64_t chunk_ = 0, chunks_ = 0;  // chunk_: rows of one
};

}  // namespace

DeserializerPtr npy(std::vector<NpyStream> streams, const NpyOptions& options) {
  return opened([=] { return std::make_shared<Arrays>(streams, options); });
}

std::vector<NpyStream> arrays_of_npz(const std::string& path) {
  constexpr std::string_view kEnd = ".npy";
  std::vector<NpyStream> all;
  for (const std::string& member : Archive(path).names())
    if (member.ends_with(kEnd))
      all.push_back({.name = member.substr(0, member.size() - kEnd.size()), .path = path + "@/" + member});
  if (all.empty()) throw runtime_error(cat(path, " has no arrays")).line("file", path);
  return all;
}

}  // namespace cantik
