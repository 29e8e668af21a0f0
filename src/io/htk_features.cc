// Features of speech: utterances of a script file, in chunks, read from archives.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cantik/error.h>
#include <cantik/htk.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/htk_archive.h"
#include "io/htk_script.h"
#include "io/opened.h"
#include "io/utterance.h"

namespace cantik {
namespace {

// A chunk ends with the utterance that passes so many frames: a quarter of an hour, as in CNTK.
constexpr int64_t kFeatureChunkFrames = 15 * 60 * 100;
constexpr int64_t kMostNeighbours = 10000;

class Features final : public Deserializer {
 public:
  Features(const std::string& path, const HtkFeatures& options) : path_(path), options_(options) {
    if (options.name.empty()) throw value_error(cat("the stream of ", path, " has no name"));
    if (options.dim < 1 || options.dim > 65535)
      throw value_error(cat("frames of ", options.dim, " numbers, in the stream ", options.name));
    if (std::min(options.left, options.right) < 0 || std::max(options.left, options.right) > kMostNeighbours)
      throw value_error(cat("a context of ", options.left, " and ", options.right, " frames"));
    script_ = read_script(path);
    if (script_.entries.empty())
      throw runtime_error("HTKDeserializer: No utterances to process.").line("file", path);
    find_dim();
    find_frames();
    drop_repeated();
    make_index();
    streams_ = {{.name = options_.name,
                 .dtype = DType::float32,
                 .shape = {file_dim_ * (options_.left + 1 + options_.right)},
                 .broadcast = options_.broadcast,
                 .left = options_.left,
                 .right = options_.right}};
  }

  const std::vector<Stream>& streams() const override { return streams_; }
  const SequenceIndex* index() const override { return &index_; }
  int64_t chunks() const override { return static_cast<int64_t>(first_.size()) - 1; }
  bool may_read_ahead() const override { return true; }
  bool may_be_left() const override { return true; }
  bool has_frames() const override { return true; }
  std::string name() const override { return path_; }
  std::vector<std::string> take_warnings() override {
    std::vector<std::string> told;
    names_.take_warnings(path_, told);
    return told;
  }

  Chunk load(int64_t number) override {
    const size_t begin = first_[number], end = first_[static_cast<size_t>(number) + 1];
    std::vector<int64_t> lengths;
    int64_t rows = 0;
    for (size_t i = begin; i < end; ++i) {
      lengths.push_back(index_.samples(i));
      rows += index_.samples(i);
    }
    Tensor data(DType::float32, {rows, file_dim_});
    float* to = data.data<float>();
    for (size_t i = begin; i < end;) {
      may_end_now();
      // Utterances that lie side by side are read at once.
      size_t last = i + 1;
      const ScriptEntry& entry = script_.entries[i];
      while (last < end && script_.entries[last].archive == entry.archive &&
             script_.entries[last].first == script_.entries[last - 1].last + 1)
        ++last;
      to = read(i, last, to);
      i = last;
    }
    if (archive_) archive_->expect_unchanged();
    archive_.reset();
    open_ = -1;
    return {Value(data.read_only(), Layout::of_lengths(lengths))};
  }

 private:
  [[noreturn]] void refuse(const ScriptEntry& entry, const std::string& what) const {
    throw runtime_error(what)
        .line("file", cat(path_, ", line ", entry.line))
        .line("utterance", entry.name)
        .line("archive", script_.archives[entry.archive]);
  }

  // Frames of the archive that is open, or is opened.
  const HtkArchive& archive(const ScriptEntry& entry) {
    if (open_ == entry.archive) return *archive_;
    if (archive_) archive_->expect_unchanged();
    open_ = -1;
    archive_.emplace(script_.archives[entry.archive]);
    open_ = entry.archive;
    return *archive_;
  }

  // Where no context is asked for, it may be in the number of numbers.
  void find_dim() {
    const HtkArchive& first = archive(script_.entries[0]);
    file_dim_ = first.dim();
    kind_ = first.kind();
    const int64_t frames = options_.dim / file_dim_;
    const bool fits = options_.dim % file_dim_ == 0 && frames % 2 == 1;
    if (!fits || (frames > 1 && options_.left + options_.right > 0))
      refuse(script_.entries[0], cat("the archive has frames of ", file_dim_, " numbers, the stream ",
                                     options_.name, " asks for ", options_.dim));
    if (frames > 1) options_.left = options_.right = frames / 2;
  }

  // Each archive is opened once where utterances of it follow one another.
  void find_frames() {
    std::vector<int64_t> frames(script_.archives.size(), -1);
    for (ScriptEntry& e : script_.entries) {
      int64_t& all = frames[e.archive];
      if (all < 0) {
        may_end_now();
        const HtkArchive& a = archive(e);
        if (a.dim() != file_dim_ || a.kind() != kind_)
          refuse(e, cat("the archive has frames of ", a.dim(), " numbers of kind ", a.kind(),
                        ", the first one of ", file_dim_, " of kind ", kind_));
        all = a.frames();
      }
      if (e.last < 0) e.last = all - 1;
      if (e.last >= all)
        refuse(e, cat("the last frame is ", e.last, ", and the archive has ", all, " frames"));
      if (e.last < e.first) refuse(e, "the utterance has no frames");
    }
    archive_.reset();
    open_ = -1;
  }

  void drop_repeated() {
    for (const ScriptEntry& e : script_.entries) names_.is_repeated(e.name);
    std::erase_if(script_.entries,
                  [&](const ScriptEntry& e) { return names_.is_dropped(key_of_utterance(e.name)); });
  }

  void make_index() {
    int64_t frames = kFeatureChunkFrames + 1;  // of the chunk
    int32_t in_chunk = 0;
    for (size_t i = 0; i < script_.entries.size(); ++i) {
      const ScriptEntry& e = script_.entries[i];
      if (frames > kFeatureChunkFrames) {
        first_.push_back(i);
        frames = in_chunk = 0;
      }
      const int64_t samples = e.last - e.first + 1;
      index_.push_back(
          {key_of_utterance(e.name), samples, static_cast<int32_t>(first_.size()) - 1, in_chunk++});
      frames += samples;
    }
    first_.push_back(script_.entries.size());
  }

  // Utterances i to last, which lie side by side in an archive. What is behind them in `to`.
  float* read(size_t i, size_t last, float* to) {
    const ScriptEntry& entry = script_.entries[i];
    const HtkArchive& from = archive(entry);
    const int64_t frames = script_.entries[last - 1].last - entry.first + 1;
    if (from.dim() != file_dim_ || script_.entries[last - 1].last >= from.frames())
      refuse(entry, "the archive has changed since the script was read");
    from.read(entry.first, frames, to);
    return to + frames * file_dim_;
  }

  std::string path_;
  HtkFeatures options_;
  Script script_;
  UtteranceNames names_;
  std::vector<Stream> streams_;
  SequenceIndex index_;
  std::vector<size_t> first_;  // [chunks + 1]: their first utterances
  int64_t file_dim_ = 0;
  int kind_ = 0;
  std::optional<HtkArchive> archive_;
  int32_t open_ = -1;  // which one it is
};

}  // namespace

DeserializerPtr htk_features(const std::string& script, const HtkFeatures& options) {
  return opened([=] {
    return needed_for([&] { return "the index of " + script; },
                      [&] { return std::make_shared<Features>(script, options); });
  });
}

}  // namespace cantik
